import { Button } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";

import classes from "@/features/executions/one/execution-page.module.css";
import { adviceOn } from "@/features/executions/one/failure-advice";
import { useExecutionCommand } from "@/shared/api/executions";
import type { ExecutionDetail, Task } from "@/shared/api/wire";
import { sayError } from "@/shared/states/notice";
import { hasEnded } from "@/shared/status/status";

const MOST = 3;

/** What failed, in the words of the error, and what can be done about it. */
export function Failures({ execution, onTask }: { execution: ExecutionDetail; onTask: (taskId: string) => void }) {
  const failed = execution.tasks.filter((task) => task.status === "ERROR");
  if (failed.length === 0) return null;
  return (
    <section className={`panel ${classes.failures}`} aria-label="Failed tasks">
      {failed.slice(0, MOST).map((task) => (
        <Failure key={task.task_id} execution={execution} task={task} onOpen={() => onTask(task.task_id)} />
      ))}
      {failed.length > MOST && <p className="dim">{failed.length - MOST} more failed tasks are under Tasks.</p>}
    </section>
  );
}

function Failure({ execution, task, onOpen }: { execution: ExecutionDetail; task: Task; onOpen: () => void }) {
  const send = useExecutionCommand(execution.execution_id);
  const open = !hasEnded(execution);
  return (
    <div className={classes.failure}>
      <IconAlertTriangle size={17} color="var(--status-failed)" aria-hidden />
      <div className={classes.failureText}>
        <strong>{task.handler}</strong> failed after {task.attempt} {task.attempt === 1 ? "attempt" : "attempts"}
        {task.error_type !== null && <span className="mono dim"> {task.error_type}</span>}
        <p className="prose">{task.error_message ?? "no message"}</p>
        <p className="dim">{adviceOn(task.error_type)}</p>
      </div>
      <div className={classes.failureActions}>
        <Button variant="subtle" onClick={onOpen}>
          Look
        </Button>
        {open && (
          <>
            <Button variant="default" loading={send.isPending} onClick={() => send.mutate({ do: "skip-task", taskId: task.task_id }, { onError: sayError })}>
              Skip
            </Button>
            <Button loading={send.isPending} onClick={() => send.mutate({ do: "retry-task", taskId: task.task_id }, { onError: sayError })}>
              Retry
            </Button>
          </>
        )}
      </div>
    </div>
  );
}
