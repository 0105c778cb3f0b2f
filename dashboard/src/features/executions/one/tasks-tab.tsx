import { Chip, Group } from "@mantine/core";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef } from "react";

import classes from "@/features/executions/one/tasks-tab.module.css";
import type { ExecutionDetail, Task } from "@/shared/api/wire";
import { EmptyState } from "@/shared/states/states";
import { KindMark } from "@/shared/status/kind-mark";
import { readTask } from "@/shared/status/status";
import { StatusBadge } from "@/shared/status/status-badge";
import { formatDuration } from "@/shared/time/duration";
import { When } from "@/shared/time/when";

const ROW = 38;

interface Props {
  execution: ExecutionDetail;
  handler: string | undefined;
  onHandler: (handler: string | undefined) => void;
  onTask: (taskId: string) => void;
}

/** The tasks in the order in which they came, with a choice of the handler. */
export function TasksTab({ execution, handler, onHandler, onTask }: Props) {
  const counts = useMemo(() => countByHandler(execution.tasks), [execution.tasks]);
  const tasks = useMemo(
    () => (handler === undefined ? execution.tasks : execution.tasks.filter((task) => task.handler === handler)),
    [execution.tasks, handler],
  );
  if (execution.tasks.length === 0) return <EmptyState title="No task has started yet" />;
  return (
    <>
      <Chip.Group value={handler ?? ""} onChange={(value) => onHandler(value === "" || value === handler ? undefined : value)}>
        <Group gap={6} mb="sm" role="group" aria-label="Handler">
          <Chip value="" size="xs">
            All {execution.tasks.length}
          </Chip>
          {[...counts].map(([name, count]) => (
            <Chip key={name} value={name} size="xs">
              {name} {count}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      {execution.tasks_truncated && <p className="dim">Only the first {execution.tasks.length} tasks are shown.</p>}
      <TaskRows tasks={tasks} onTask={onTask} />
    </>
  );
}

function countByHandler(tasks: Task[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const task of tasks) counts.set(task.handler, (counts.get(task.handler) ?? 0) + 1);
  return counts;
}

function TaskRows({ tasks, onTask }: { tasks: Task[]; onTask: (taskId: string) => void }) {
  const place = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({ count: tasks.length, getScrollElement: () => place.current, estimateSize: () => ROW, overscan: 15 });
  return (
    <div ref={place} className={`panel ${classes.scroll}`} role="region" aria-label="Tasks" tabIndex={0}>
      <div className={classes.space} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((item) => {
          const task = tasks[item.index];
          if (task === undefined) return null;
          return (
            <button
              key={task.task_id}
              type="button"
              className={classes.row}
              style={{ transform: `translateY(${item.start}px)` }}
              onClick={() => onTask(task.task_id)}
            >
              <KindMark kind={task.executor} />
              <span className="clip">
                {task.handler} <span className="mono dim">{task.task_id.slice(-4)}</span>
              </span>
              <span>
                <StatusBadge reading={readTask(task)} compact />
              </span>
              <span className={`${classes.message} clip dim`}>{task.error_message ?? task.status_message}</span>
              <span className={`${classes.figure} dim numbers`}>{task.attempt > 1 ? `${task.attempt} attempts` : ""}</span>
              <span className={`${classes.figure} dim numbers`}>{tookOf(task)}</span>
              <span className={`${classes.figure} dim`}>
                <When at={task.created_at} as="clock" />
              </span>
            </button>
          );
        })}
      </div>
    </div>
  );
}

function tookOf(task: Task): string {
  if (task.started_at === null || task.completed_at === null) return "";
  return formatDuration(Date.parse(task.completed_at) - Date.parse(task.started_at));
}
