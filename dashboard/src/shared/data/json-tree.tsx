import { useState } from "react";

import classes from "@/shared/data/json-view.module.css";

const OPEN_DEPTH = 2;
const MOST_ENTRIES = 100;
const LONGEST_TEXT = 2_000;

interface Props {
  value: unknown;
  name?: string;
  depth?: number;
}

/** One value; objects and lists fold, long lists and texts show their beginning first. */
export function JsonTree({ value, name, depth = 0 }: Props) {
  if (typeof value === "object" && value !== null) return <Branch value={value} name={name} depth={depth} />;
  return (
    <div className={classes.row}>
      {name !== undefined && <Name text={name} />}
      <Leaf value={value} />
    </div>
  );
}

function Branch({ value, name, depth = 0 }: { value: object; name?: string; depth?: number }) {
  const entries: [string, unknown][] = Object.entries(value);
  const [open, setOpen] = useState(depth < OPEN_DEPTH && entries.length <= MOST_ENTRIES);
  const [all, setAll] = useState(false);
  const [before, after] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  if (entries.length === 0) return <Line name={name} text={before + after} />;
  const shown = all ? entries : entries.slice(0, MOST_ENTRIES);
  return (
    <div>
      <button type="button" className={classes.fold} aria-expanded={open} onClick={() => setOpen(!open)}>
        <span className={classes.arrow} aria-hidden>
          {open ? "▾" : "▸"}
        </span>
        {name !== undefined && <Name text={name} />}
        <span className="dim">{open ? before : `${before} ${entries.length} ${after}`}</span>
      </button>
      {open && (
        <div className={classes.inner}>
          {shown.map(([key, inner]) => (
            <JsonTree key={key} value={inner} name={Array.isArray(value) ? undefined : key} depth={depth + 1} />
          ))}
          {shown.length < entries.length && (
            <button type="button" className={classes.more} onClick={() => setAll(true)}>
              {entries.length - shown.length} more
            </button>
          )}
        </div>
      )}
      {open && <div className="dim">{after}</div>}
    </div>
  );
}

function Line({ name, text }: { name?: string; text: string }) {
  return (
    <div className={classes.row}>
      {name !== undefined && <Name text={name} />}
      <span className="dim">{text}</span>
    </div>
  );
}

function Name({ text }: { text: string }) {
  return <span className={classes.name}>{text}: </span>;
}

function Leaf({ value }: { value: unknown }) {
  const [all, setAll] = useState(false);
  if (typeof value !== "string") return <span className={classes.literal}>{String(value)}</span>;
  const cut = !all && value.length > LONGEST_TEXT;
  return (
    <span className={classes.text}>
      {cut ? value.slice(0, LONGEST_TEXT) : value}
      {cut && (
        <button type="button" className={classes.more} onClick={() => setAll(true)}>
          … {value.length - LONGEST_TEXT} more characters
        </button>
      )}
    </span>
  );
}
