import { Checkbox } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useVirtualizer } from "@tanstack/react-virtual";
import type { Dispatch, SetStateAction } from "react";
import { useCallback, useEffect, useRef } from "react";

import { ExecutionRow } from "@/features/executions/list/execution-row";
import classes from "@/features/executions/list/execution-table.module.css";
import type { Execution } from "@/shared/api/wire";

interface Props {
  rows: Execution[];
  chosen: ReadonlySet<string>;
  onChosen: Dispatch<SetStateAction<ReadonlySet<string>>>;
  hasOlder: boolean;
  onEnd: () => void;
}

const AHEAD = 40;

/** Only the rows in sight exist; ten thousand scroll like ten. */
export function ExecutionTable({ rows, chosen, onChosen, hasOlder, onEnd }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const narrow = useMediaQuery("(max-width: 760px)");
  const height = narrow ? 66 : 42;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => place.current,
    estimateSize: () => height,
    getItemKey: (index) => rows[index]?.execution_id ?? index,
    overscan: 12,
  });
  useEffect(() => virtual.measure(), [virtual, height]);
  const toggle = useCallback((id: string) => onChosen((before) => toggled(before, id)), [onChosen]);
  const shown = virtual.getVirtualItems();
  const isNearEnd = (shown.at(-1)?.index ?? 0) >= rows.length - AHEAD;
  useEffect(() => {
    if (isNearEnd && hasOlder) onEnd();
  }, [isNearEnd, hasOlder, onEnd, rows.length]);
  return (
    <div className={`panel ${classes.table}`} role="table" aria-label="Executions" aria-rowcount={hasOlder ? -1 : rows.length}>
      {!narrow && <Head rows={rows} chosen={chosen} onChosen={onChosen} />}
      <div ref={place} className={classes.scroll} role="rowgroup" data-testid="execution-rows">
        <div className={classes.space} style={{ height: virtual.getTotalSize() }}>
          {shown.map((item) => {
            const row = rows[item.index];
            if (row === undefined) return null;
            return (
              <div key={item.key} className={classes.slot} style={{ height, transform: `translateY(${item.start}px)` }}>
                <ExecutionRow row={row} narrow={narrow} checked={chosen.has(row.execution_id)} onToggle={toggle} />
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

function toggled(chosen: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(chosen);
  if (!next.delete(id)) next.add(id);
  return next;
}

function Head({ rows, chosen, onChosen }: Pick<Props, "rows" | "chosen" | "onChosen">) {
  const all = rows.length > 0 && rows.every((row) => chosen.has(row.execution_id));
  return (
    <div className={`${classes.row} ${classes.head}`} role="row">
      <span role="columnheader">
        <Checkbox
          aria-label="Choose all that are shown"
          checked={all}
          indeterminate={!all && chosen.size > 0}
          onChange={() => onChosen(all ? new Set() : new Set(rows.map((row) => row.execution_id)))}
        />
      </span>
      {["Status", "Execution", "Progress", "What it waits for", "Started", "Took"].map((title) => (
        <span key={title} role="columnheader">
          {title}
        </span>
      ))}
    </div>
  );
}
