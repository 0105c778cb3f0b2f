import classes from "@/features/plans/gantt.module.css";
import type { Arrow, GanttRow } from "@/features/plans/gantt-rows";
import { ROW } from "@/features/plans/gantt-rows";

const MOST = 600;
const OUT = 7;

interface Props {
  arrows: Arrow[];
  rows: GanttRow[];
  at: (ms: number) => number;
  first: number;
  last: number;
}

/** The arrows that touch or cross the lines in sight. */
export function GanttArrows({ arrows, rows, at, first, last }: Props) {
  const shown = arrows.filter(({ fromRow, toRow }) => Math.max(fromRow, toRow) >= first && Math.min(fromRow, toRow) <= last).slice(0, MOST);
  return (
    <svg className={classes.arrows} width="100%" height={rows.length * ROW}>
      {shown.map((arrow) => (
        <path key={`${arrow.fromRow} ${arrow.toRow} ${arrow.leavesEnd} ${arrow.entersEnd}`} data-critical={arrow.isCritical || undefined} d={pathOf(arrow, rows, at)} />
      ))}
    </svg>
  );
}

function pathOf({ fromRow, toRow, leavesEnd, entersEnd }: Arrow, rows: GanttRow[], at: (ms: number) => number): string {
  const from = rows[fromRow];
  const to = rows[toRow];
  if (from === undefined || to === undefined) return "";
  const x1 = at(leavesEnd ? from.toMs : from.fromMs);
  const x2 = at(entersEnd ? to.toMs : to.fromMs);
  const y1 = fromRow * ROW + ROW / 2;
  const y2 = toRow * ROW + ROW / 2;
  const down = toRow > fromRow ? 1 : -1;
  const out = leavesEnd ? OUT : -OUT;
  const before = entersEnd ? OUT : -OUT;
  // Out of the bar, down between two lines, back to where the other bar begins, into it.
  const lane = y2 - (down * ROW) / 2;
  const head = entersEnd ? 4 : -4;
  return `M${x1} ${y1}h${out}V${lane}H${x2 + before}V${y2}H${x2}m${head} -3.5L${x2} ${y2}l${head} 3.5`;
}
