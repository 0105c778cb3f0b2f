import { Button, Drawer, Group, Stack, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";

import { AttemptsPart } from "@/features/executions/one/attempts-part";
import { adviceOn } from "@/features/executions/one/failure-advice";
import { SubtaskCard } from "@/features/executions/one/subtask-card";
import { TaskLog } from "@/features/executions/one/task-log";
import { useExecutionCommand } from "@/shared/api/executions";
import type { ExecutionDetail, LogEvent, Task } from "@/shared/api/wire";
import { CopyableId } from "@/shared/data/copyable";
import { JsonView } from "@/shared/data/json-view";
import { sayError } from "@/shared/states/notice";
import { KindMark } from "@/shared/status/kind-mark";
import { hasEnded, readTask } from "@/shared/status/status";
import { StatusBadge } from "@/shared/status/status-badge";
import { When } from "@/shared/time/when";

interface Props {
  execution: ExecutionDetail;
  task: Task | undefined;
  log: LogEvent[];
  onClose: () => void;
}

/** Everything about one task, beside the view that it was opened from. */
export function TaskPanel({ execution, task, log, onClose }: Props) {
  return (
    <Drawer
      opened={task !== undefined}
      onClose={onClose}
      position="right"
      size={620}
      title={
        task && (
          <Group gap="xs">
            <KindMark kind={task.executor} size={18} />
            <Text fw={650}>{task.handler}</Text>
            <StatusBadge reading={readTask(task)} />
          </Group>
        )
      }
    >
      {task && <TaskBody execution={execution} task={task} log={log} />}
    </Drawer>
  );
}

function TaskBody({ execution, task, log }: { execution: ExecutionDetail; task: Task; log: LogEvent[] }) {
  const trigger = log.find((event) => event.event_id === task.event_id);
  return (
    <Stack gap="lg">
      <Group gap="lg" justify="space-between">
        <Text size="sm" c="dimmed">
          Attempt {task.attempt} of {task.max_attempts}, came <When at={task.created_at} as="full" />
        </Text>
        <CopyableId id={task.task_id} short />
      </Group>
      {task.status_message !== null && <Text size="sm">{task.status_message}</Text>}
      <TaskActions execution={execution} task={task} />
      {task.error_message !== null && <TaskError task={task} />}
      {trigger && (
        <Part title={`Input: ${trigger.name ?? "event"}`}>
          <JsonView value={trigger.output_data} label="Input" />
        </Part>
      )}
      {task.result_data !== null && (
        <Part title="Result">
          <JsonView value={task.result_data} label="Result" />
        </Part>
      )}
      {task.subtasks.length > 0 && (
        <Part title="Steps">
          <Stack gap="xs">
            {task.subtasks.map((step) => (
              <SubtaskCard key={step.subtask_id} step={step} />
            ))}
          </Stack>
        </Part>
      )}
      {task.attempt > 1 && (
        <Part title="Attempts">
          <AttemptsPart task={task} log={log} />
        </Part>
      )}
      <Part title="Log">
        <TaskLog events={log.filter((event) => event.task_id === task.task_id)} />
      </Part>
    </Stack>
  );
}

function Part({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <section>
      <Title order={3} size="h6" mb={6}>
        {title}
      </Title>
      {children}
    </section>
  );
}

function TaskError({ task }: { task: Task }) {
  return (
    <Part title="Error">
      <Text size="sm" className="prose" c="var(--status-failed)">
        {task.error_type !== null && <span className="mono">{task.error_type} </span>}
        {task.error_message ?? ""}
      </Text>
      <Text size="sm" c="dimmed" mt={4}>
        {adviceOn(task.error_type)}
      </Text>
    </Part>
  );
}

function TaskActions({ execution, task }: { execution: ExecutionDetail; task: Task }) {
  const send = useExecutionCommand(execution.execution_id);
  if (hasEnded(execution) || !["ERROR", "BLOCKED", "QUEUED"].includes(task.status)) return null;
  const run = (wanted: "retry-task" | "skip-task") => send.mutate({ do: wanted, taskId: task.task_id }, { onError: sayError });
  return (
    <Group gap="xs">
      {task.status === "ERROR" && (
        <Button loading={send.isPending} onClick={() => run("retry-task")}>
          Retry
        </Button>
      )}
      {task.executor === "human" && task.status === "BLOCKED" && (
        <Link to="/inbox">
          <Button component="span">Decide in the inbox</Button>
        </Link>
      )}
      <Button variant="default" loading={send.isPending} onClick={() => run("skip-task")}>
        Skip
      </Button>
    </Group>
  );
}
