import { diffLines } from "diff";
import { useMemo } from "react";

import classes from "@/shared/data/line-diff.module.css";

/** Lines that did not change are shown this far around those that did. */
const AROUND = 3;

interface DiffLine {
  sign: "+" | "-" | " ";
  text: string;
}

/** What changed between two texts, line by line; what stayed is folded. */
export function LineDiff({ before, after, label }: { before: string; after: string; label: string }) {
  const blocks = useMemo(() => blocksOf(linesOf(before, after)), [before, after]);
  if (before === after) return <p className="dim">Nothing differs.</p>;
  return (
    <div className={classes.diff} role="region" aria-label={label} tabIndex={0}>
      {blocks.map((block, index) =>
        typeof block === "number" ? (
          <div key={index} className={classes.folded}>
            {block} {block === 1 ? "line" : "lines"} unchanged
          </div>
        ) : (
          <div key={index} className={classes.line} data-sign={block.sign === " " ? undefined : block.sign}>
            <span className={classes.sign}>{block.sign}</span>
            {block.text}
          </div>
        ),
      )}
    </div>
  );
}

export function linesOf(before: string, after: string): DiffLine[] {
  return diffLines(before, after).flatMap((part) => {
    const sign = part.added ? "+" : part.removed ? "-" : " ";
    return part.value.replace(/\n$/, "").split("\n").map((text): DiffLine => ({ sign, text }));
  });
}

/** Runs of unchanged lines become a number, except the lines next to a change. */
export function blocksOf(lines: readonly DiffLine[]): (DiffLine | number)[] {
  const isNear = (index: number) => lines.slice(Math.max(0, index - AROUND), index + AROUND + 1).some((line) => line.sign !== " ");
  const blocks: (DiffLine | number)[] = [];
  lines.forEach((line, index) => {
    const last = blocks.at(-1);
    if (isNear(index)) blocks.push(line);
    else if (typeof last === "number") blocks[blocks.length - 1] = last + 1;
    else blocks.push(1);
  });
  return blocks;
}
