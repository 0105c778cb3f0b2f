import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef } from "react";

import type { Range, Span, TaskTimeline } from "@/features/executions/one/timeline";
import { ticksOf } from "@/features/executions/one/timeline";
import classes from "@/features/executions/one/timeline-tab.module.css";
import type { Task } from "@/shared/api/wire";
import { KindMark } from "@/shared/status/kind-mark";
import { readTask } from "@/shared/status/status";
import { StatusIcon } from "@/shared/status/status-badge";
import { formatDuration } from "@/shared/time/duration";

const ROW = 28;
const WORDS = { queued: "in the queue", running: "at work", waiting: "waiting", person: "waiting for a person", retry: "until the next attempt" };

interface Props {
  tasks: Task[];
  timelines: ReadonlyMap<string, TaskTimeline>;
  range: Range;
  zoom: number;
  onTask: (taskId: string) => void;
}

/** One row a task, one bar a span. Rows out of sight do not exist. */
export function Waterfall({ tasks, timelines, range, zoom, onTask }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({ count: tasks.length, getScrollElement: () => place.current, estimateSize: () => ROW, overscan: 20 });
  const width = `calc(var(--label-width) + (100% - var(--label-width)) * ${zoom})`;
  return (
    <div ref={place} className={classes.scroll} tabIndex={0} role="region" aria-label="Timeline">
      <div className={classes.canvas} style={{ width, height: virtual.getTotalSize() + ROW }}>
        <Axis range={range} most={8 * Math.min(zoom, 32)} />
        {virtual.getVirtualItems().map((item) => {
          const task = tasks[item.index];
          if (task === undefined) return null;
          return (
            <div key={task.task_id} className={classes.row} style={{ transform: `translateY(${item.start + ROW}px)` }}>
              <button type="button" className={classes.label} onClick={() => onTask(task.task_id)}>
                <StatusIcon reading={readTask(task)} size={13} />
                <KindMark kind={task.executor} size={14} />
                <span className="clip">{task.handler}</span>
              </button>
              <div className={classes.bars}>
                <Bars timeline={timelines.get(task.task_id)} range={range} />
              </div>
            </div>
          );
        })}
      </div>
    </div>
  );
}

function Axis({ range, most }: { range: Range; most: number }) {
  return (
    <div className={classes.axis} aria-hidden>
      <div className={classes.corner} />
      <div className={classes.bars}>
        {ticksOf(range, most).map((at) => (
          <span key={at} className={classes.tick} style={{ left: `${shareOf(at, range)}%` }}>
            {at === range.fromMs ? "0" : formatDuration(at - range.fromMs)}
          </span>
        ))}
      </div>
    </div>
  );
}

function shareOf(atMs: number, { fromMs, toMs }: Range): number {
  return (100 * (atMs - fromMs)) / (toMs - fromMs);
}

function Bars({ timeline, range }: { timeline: TaskTimeline | undefined; range: Range }) {
  if (timeline === undefined) return null;
  return (
    <>
      {timeline.spans.map((span, index) => (
        <Bar key={index} span={span} range={range} />
      ))}
      {timeline.failedAtMs.map((at) => (
        <span key={at} className={classes.failed} style={{ left: `${shareOf(at, range)}%` }} title="An attempt failed" />
      ))}
    </>
  );
}

function Bar({ span, range }: { span: Span; range: Range }) {
  const toMs = span.toMs ?? range.toMs;
  const left = shareOf(span.fromMs, range);
  const attempt = span.kind === "running" ? `, attempt ${span.attempt}` : "";
  return (
    <span
      className={classes.bar}
      data-kind={span.kind}
      style={{ left: `${left}%`, width: `max(2px, ${shareOf(toMs, range) - left}%)` }}
      title={`${formatDuration(toMs - span.fromMs)} ${WORDS[span.kind]}${attempt}`}
    />
  );
}
