import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef } from "react";

import classes from "@/features/executions/one/plan-tab.module.css";
import type { Bar, ScheduleRow } from "@/features/executions/one/plan-schedule";
import { scheduleOf, spanOf } from "@/features/executions/one/plan-schedule";
import timeline from "@/features/executions/one/timeline-tab.module.css";
import type { RunTree } from "@/shared/api/plan-runs";
import { readRunTask } from "@/shared/status/run-status";
import { formatDuration } from "@/shared/time/duration";
import { useNow } from "@/shared/time/use-now";

const ROW = 30;
const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** What was planned above what has happened, a line a task. */
export function ScheduleTab({ tree, onTask }: { tree: RunTree; onTask: (taskId: string) => void }) {
  const now = useNow();
  const place = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => scheduleOf(tree, now), [tree, now]);
  const span = useMemo(() => spanOf(rows, now), [rows, now]);
  const virtual = useVirtualizer({ count: rows.length, getScrollElement: () => place.current, estimateSize: () => ROW, overscan: 15 });
  return (
    <div className="panel">
      <div className={timeline.tools} style={{ padding: "8px 14px" }}>
        <div className={timeline.legend}>
          <span><span className={`${classes.planned} ${classes.sample}`} aria-hidden /> planned</span>
          <span><span className={`${classes.planned} ${classes.sample}`} data-critical aria-hidden /> planned, critical</span>
          <span><span className={`${classes.actual} ${classes.sample}`} aria-hidden /> actual</span>
          <span className="numbers">{FULL.format(span.fromMs)} – {FULL.format(span.toMs)}</span>
        </div>
      </div>
      <div ref={place} className={classes.chart} tabIndex={0} role="region" aria-label="Planned and actual">
        <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
          {virtual.getVirtualItems().map((item) => {
            const row = rows[item.index];
            return row && <Line key={row.id} row={row} top={item.start} span={span} now={now} onTask={onTask} />;
          })}
        </div>
      </div>
    </div>
  );
}

function Line({ row, top, span, now, onTask }: { row: ScheduleRow; top: number; span: Bar; now: number; onTask: (id: string) => void }) {
  const percent = (ms: number) => `${(100 * (ms - span.fromMs)) / (span.toMs - span.fromMs)}%`;
  const place = (bar: Bar) => ({ left: percent(bar.fromMs), width: percent(span.fromMs + bar.toMs - bar.fromMs) });
  const id = row.task?.execution_task_id;
  return (
    <div className={classes.row} data-kind={row.task === null ? "phase" : "task"} style={{ transform: `translateY(${top}px)` }}>
      {id == null ? (
        <span className={`${classes.label} clip`} title={row.label}>{row.label}</span>
      ) : (
        <button type="button" className={`${classes.label} clip`} title={row.label} onClick={() => onTask(id)}>{row.label}</button>
      )}
      <div className={classes.bars} role={row.task === null ? undefined : "img"} aria-label={row.task === null ? undefined : told(row)}>
        {row.planned && <span className={classes.planned} data-critical={row.task?.is_critical || undefined} style={place(row.planned)} />}
        {row.actual && row.task && <span className={classes.actual} data-meaning={readRunTask(row.task).meaning} style={place(row.actual)} />}
        <span className={classes.today} style={{ left: percent(now) }} />
      </div>
    </div>
  );
}

function told({ label, planned, actual, lateMs }: ScheduleRow): string {
  const plan = planned === null ? "" : `planned ${FULL.format(planned.fromMs)} to ${FULL.format(planned.toMs)}`;
  if (actual === null || lateMs === null) return `${label}: ${plan}, not begun`;
  return `${label}: ${plan}, began ${FULL.format(actual.fromMs)}, ${formatDuration(Math.abs(lateMs))} ${lateMs > 0 ? "later" : "earlier"} than planned`;
}
