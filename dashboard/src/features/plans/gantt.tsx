import { useElementSize, useMergedRef } from "@mantine/hooks";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef } from "react";

import { GanttArrows } from "@/features/plans/gantt-arrows";
import { ticksOf } from "@/features/plans/gantt-axis";
import type { Arrow, GanttRow, Span } from "@/features/plans/gantt-rows";
import { ROW, spanOf } from "@/features/plans/gantt-rows";
import classes from "@/features/plans/gantt.module.css";
import { formatHours } from "@/features/plans/hours";
import { useNow } from "@/shared/time/use-now";

const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

interface Props {
  rows: GanttRow[];
  arrows: Arrow[];
  closed: ReadonlySet<string>;
  zoom: number;
  onToggle: (phaseId: string) => void;
  onTask: (taskId: string) => void;
}

/** The plan over time: one line a task, the critical path marked, arrows for what depends on what. */
export function Gantt({ rows, arrows, closed, zoom, onToggle, onTask }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const { ref: corner, width: labels } = useElementSize();
  const { ref: measured, width: whole } = useElementSize();
  const ref = useMergedRef(place, measured);
  const virtual = useVirtualizer({ count: rows.length, getScrollElement: () => place.current, estimateSize: () => ROW, overscan: 15 });
  const width = Math.max(240, whole - labels - 24) * zoom;
  const span = useMemo(() => widened(spanOf(rows)), [rows]);
  const at = (ms: number) => ((ms - span.fromMs) / (span.toMs - span.fromMs)) * width;
  const shown = virtual.getVirtualItems();
  return (
    <div ref={ref} className={classes.scroll} tabIndex={0} role="region" aria-label="Gantt chart">
      <div className={classes.canvas} style={{ width: labels + width + 8, height: virtual.getTotalSize() + ROW }}>
        <div className={classes.axis} aria-hidden>
          <div ref={corner} className={classes.corner} />
          <div className={classes.bars}>
            {ticksOf(span, width).map((tick) => (
              <span key={tick.atMs} className={classes.tick} style={{ left: at(Math.max(tick.atMs, span.fromMs)) }}>
                {tick.label}
              </span>
            ))}
          </div>
        </div>
        <div className={classes.lines} style={{ left: labels, width }} aria-hidden>
          <Today at={at} span={span} />
          <GanttArrows arrows={arrows} rows={rows} at={at} first={shown[0]?.index ?? 0} last={shown.at(-1)?.index ?? 0} />
        </div>
        {shown.map((item) => {
          const row = rows[item.index];
          if (row === undefined) return null;
          return (
            <div key={row.id} className={classes.row} data-kind={row.kind} style={{ transform: `translateY(${item.start + ROW}px)` }}>
              <Label row={row} isClosed={closed.has(row.id)} onToggle={onToggle} onTask={onTask} />
              <div className={classes.bars}>
                <Bar row={row} left={at(row.fromMs)} width={at(row.toMs) - at(row.fromMs)} />
              </div>
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** Never empty: a plan of milestones only still has a length. */
function widened(span: Span | null): Span {
  const { fromMs, toMs } = span ?? { fromMs: 0, toMs: 0 };
  return { fromMs, toMs: Math.max(toMs, fromMs + 3_600_000) };
}

function Today({ at, span }: { at: (ms: number) => number; span: Span }) {
  const now = useNow();
  if (now < span.fromMs || now > span.toMs) return null;
  return <span className={classes.today} style={{ left: at(now) }} />;
}

function Label({ row, isClosed, onToggle, onTask }: { row: GanttRow; isClosed: boolean } & Pick<Props, "onToggle" | "onTask">) {
  if (row.kind === "phase") {
    return (
      <button type="button" className={classes.label} data-kind="phase" aria-expanded={!isClosed} onClick={() => onToggle(row.id)}>
        {isClosed ? <IconChevronRight size={14} aria-hidden /> : <IconChevronDown size={14} aria-hidden />}
        <span className="clip">{row.label}</span>
        <span className="dim numbers">{row.size}</span>
      </button>
    );
  }
  return (
    <button type="button" className={classes.label} title={row.label} onClick={() => onTask(row.id)}>
      <span className="clip">{row.label}</span>
    </button>
  );
}

function Bar({ row, left, width }: { row: GanttRow; left: number; width: number }) {
  const isMilestone = row.kind === "task" && row.fromMs === row.toMs;
  const float = row.isCritical ? "critical" : `${formatHours(row.floatHours)} of float`;
  const told = `${row.label}: ${FULL.format(row.fromMs)} to ${FULL.format(row.toMs)}${row.kind === "task" ? `, ${float}` : ""}`;
  return (
    <span
      role="img"
      aria-label={told}
      title={told}
      className={isMilestone ? classes.milestone : classes.bar}
      data-kind={row.kind}
      data-critical={row.isCritical || undefined}
      style={isMilestone ? { left: left - 6 } : { left, width: Math.max(3, width) }}
    />
  );
}
