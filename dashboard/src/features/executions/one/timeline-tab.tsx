import { ActionIcon, Group, Tooltip } from "@mantine/core";
import { IconZoomIn, IconZoomOut } from "@tabler/icons-react";
import { useMemo, useState } from "react";

import type { Range } from "@/features/executions/one/timeline";
import { timelinesOf } from "@/features/executions/one/timeline";
import classes from "@/features/executions/one/timeline-tab.module.css";
import { Waterfall } from "@/features/executions/one/waterfall";
import type { ExecutionDetail, LogEvent } from "@/shared/api/wire";
import { EmptyState } from "@/shared/states/states";
import { hasEnded } from "@/shared/status/status";
import { useNow } from "@/shared/time/use-now";

const LEGEND = [
  ["queued", "in the queue"],
  ["running", "at work"],
  ["retry", "until the next attempt"],
  ["waiting", "waits for an event or a time"],
  ["person", "waits for a person"],
] as const;
const MOST_ZOOM = 256;

interface Props {
  execution: ExecutionDetail;
  log: LogEvent[];
  onTask: (taskId: string) => void;
}

export function TimelineTab({ execution, log, onTask }: Props) {
  const timelines = useMemo(() => timelinesOf(log), [log]);
  const range = useRange(execution);
  const [zoom, setZoom] = useState(1);
  if (execution.tasks.length === 0) return <EmptyState title="No task has started yet" />;
  return (
    <div className={`panel ${classes.timeline}`}>
      <Group justify="space-between" px="md" py={8} gap="xs" className={classes.tools}>
        <div className={classes.legend}>
          {LEGEND.map(([kind, label]) => (
            <span key={kind}>
              <span className={classes.sample} data-kind={kind} aria-hidden />
              {label}
            </span>
          ))}
        </div>
        <Group gap={2}>
          <Tooltip label="Wider view">
            <ActionIcon disabled={zoom === 1} onClick={() => setZoom(zoom / 2)} aria-label="Zoom out">
              <IconZoomOut size={16} />
            </ActionIcon>
          </Tooltip>
          <Tooltip label="Closer view">
            <ActionIcon disabled={zoom >= MOST_ZOOM} onClick={() => setZoom(zoom * 2)} aria-label="Zoom in">
              <IconZoomIn size={16} />
            </ActionIcon>
          </Tooltip>
        </Group>
      </Group>
      <Waterfall tasks={execution.tasks} timelines={timelines} range={range} zoom={zoom} onTask={onTask} />
    </div>
  );
}

function useRange(execution: ExecutionDetail): Range {
  const now = useNow();
  const fromMs = Date.parse(execution.created_at);
  const toMs = hasEnded(execution) ? Date.parse(execution.completed_at ?? execution.updated_at) : now;
  return { fromMs, toMs: Math.max(toMs, fromMs + 1) };
}
