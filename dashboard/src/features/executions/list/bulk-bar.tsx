import { Button, CloseButton, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";

import { runForEach } from "@/features/executions/list/bulk";
import classes from "@/features/executions/list/execution-table.module.css";
import type { ExecutionCommand } from "@/shared/api/executions";
import { executionKeys } from "@/shared/api/executions";
import type { Execution } from "@/shared/api/wire";
import { ConfirmButton } from "@/shared/layout/confirm-button";
import { say, sayError } from "@/shared/states/notice";
import { hasEnded, readExecution } from "@/shared/status/status";

/** One command for each chosen execution, by its id; what was refused is said one by one. */
export function BulkBar({ executions, onDone }: { executions: Execution[]; onDone: () => void }) {
  const client = useQueryClient();
  const bulk = useMutation({
    mutationFn: ({ targets, wanted }: { targets: Execution[]; wanted: ExecutionCommand }) => runForEach(targets, wanted),
    onSuccess: ({ done, refused }) => {
      say(`${done} done${refused.length > 0 ? `, ${refused.length} refused: ${refused[0]?.message ?? ""}` : ""}`);
      onDone();
    },
    onError: sayError,
    onSettled: () => client.invalidateQueries({ queryKey: executionKeys.all }),
  });
  const open = executions.filter((one) => !hasEnded(one));
  const paused = executions.filter((one) => one.status === "PAUSED");
  const failed = executions.filter((one) => readExecution(one).meaning === "failed" || one.status === "CANCELLED");
  const button = (label: string, targets: Execution[], wanted: ExecutionCommand) => (
    <Button variant="default" disabled={targets.length === 0} loading={bulk.isPending} onClick={() => bulk.mutate({ targets, wanted })}>
      {label} {targets.length > 0 && targets.length}
    </Button>
  );
  return (
    <div className={`panel ${classes.bulk}`} role="toolbar" aria-label="Commands for the chosen executions">
      <Text size="sm" fw={600}>
        {executions.length} chosen
      </Text>
      {button("Pause", open.filter((one) => one.status !== "PAUSED"), { do: "pause" })}
      {button("Resume", paused, { do: "resume" })}
      {button("Retry", failed, { do: "retry" })}
      <ConfirmButton
        label={`Cancel ${open.length}`}
        question={`Cancel ${open.length} executions? Their open approvals close; this cannot be undone.`}
        disabled={open.length === 0}
        onConfirm={() => bulk.mutate({ targets: open, wanted: { do: "cancel", reason: "cancelled from the list" } })}
      />
      <CloseButton size="sm" onClick={onDone} aria-label="Choose none" />
    </div>
  );
}
