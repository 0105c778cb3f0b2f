import { Alert, Button, Group, Kbd, Text } from "@mantine/core";

import classes from "@/features/inbox/approval-view.module.css";
import type { Deciding } from "@/features/inbox/use-deciding";

/** What will be sent, and sending it. */
export function DecisionBar({ deciding }: { deciding: Deciding }) {
  const { approval, readiness, refusal } = deciding;
  const bundle = approval.items.length > 1;
  const undecided = readiness.open - readiness.verdicts;
  return (
    <footer className={classes.bar}>
      {refusal && (
        <Alert color="red" variant="light" p="xs" mb="xs" role="alert">
          {refusal.message}
        </Alert>
      )}
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed" aria-live="polite" className={classes.summary}>
          {bundle ? summaryOf(deciding) : readiness.obstacle !== "No verdict yet." && readiness.obstacle}
          {bundle && readiness.obstacle !== null && readiness.verdicts > 0 && ` ${readiness.obstacle}`}
        </Text>
        <Group gap="xs">
          {bundle && undecided > 0 && (
            <Button variant="default" onClick={deciding.approveRest}>
              Approve the other {undecided}
            </Button>
          )}
          <Button onClick={deciding.send} loading={deciding.isSending} disabled={readiness.obstacle !== null} rightSection={<Kbd size="xs" visibleFrom="sm">Ctrl ⏎</Kbd>}>
            {readiness.verdicts > 1 ? `Send ${readiness.verdicts} verdicts` : "Send verdict"}
          </Button>
        </Group>
      </Group>
    </footer>
  );
}

function summaryOf({ approval, draftOf }: Deciding): string {
  const counts = { approve: 0, reject: 0, revise: 0, none: 0 };
  for (const item of approval.items) {
    if (item.status === "pending") counts[draftOf(item).verdict ?? "none"] += 1;
  }
  const parts = [
    counts.approve > 0 && `${counts.approve} to approve`,
    counts.reject > 0 && `${counts.reject} to reject`,
    counts.revise > 0 && `${counts.revise} to send back`,
    counts.none > 0 && `${counts.none} undecided`,
  ];
  return `${parts.filter(Boolean).join(", ")}.`;
}
