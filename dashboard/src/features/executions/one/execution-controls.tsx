import { Button } from "@mantine/core";
import { IconPlayerPause, IconPlayerPlay, IconRefresh } from "@tabler/icons-react";

import type { ExecutionCommand } from "@/shared/api/executions";
import { useExecutionCommand } from "@/shared/api/executions";
import type { ExecutionDetail } from "@/shared/api/wire";
import { ConfirmButton } from "@/shared/layout/confirm-button";
import { say, sayError } from "@/shared/states/notice";
import { hasEnded } from "@/shared/status/status";

interface Props {
  execution: ExecutionDetail;
  onOpen: (executionId: string) => void;
}

/** Only what the status allows is offered. */
export function ExecutionControls({ execution, onOpen }: Props) {
  const send = useExecutionCommand(execution.execution_id);
  const run = (wanted: ExecutionCommand) => send.mutate(wanted, { onError: sayError });
  const retry = () =>
    send.mutate(
      { do: "retry" },
      {
        onError: sayError,
        onSuccess: (next) => {
          if (next.execution_id === execution.execution_id) return;
          say("A new execution has started; it is linked to this one.");
          onOpen(next.execution_id);
        },
      },
    );
  const failed = execution.tasks.some((task) => task.status === "ERROR");
  const canRetry = ["FAILED", "CANCELLED"].includes(execution.status) || (!hasEnded(execution) && failed);
  return (
    <>
      {["RUNNING", "BLOCKED"].includes(execution.status) && (
        <Button variant="default" leftSection={<IconPlayerPause size={14} />} loading={send.isPending} onClick={() => run({ do: "pause" })}>
          Pause
        </Button>
      )}
      {execution.status === "PAUSED" && (
        <Button leftSection={<IconPlayerPlay size={14} />} loading={send.isPending} onClick={() => run({ do: "resume" })}>
          Resume
        </Button>
      )}
      {canRetry && (
        <Button leftSection={<IconRefresh size={14} />} loading={send.isPending} onClick={retry}>
          {hasEnded(execution) ? "Start again" : "Retry failed tasks"}
        </Button>
      )}
      {failed && !hasEnded(execution) && (
        <ConfirmButton label="Give up" question="End it as FAILED? Its failed tasks are not retried any more." onConfirm={() => run({ do: "give-up" })} />
      )}
      {!hasEnded(execution) && (
        <ConfirmButton
          label="Cancel"
          question="Cancel this execution? Its open approvals close; what was sent stays sent."
          reason="Why (kept in the log)"
          onConfirm={(reason) => run({ do: "cancel", reason })}
        />
      )}
    </>
  );
}
