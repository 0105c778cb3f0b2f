import { ActionIcon, Alert, Group, Text, Title } from "@mantine/core";
import { IconArrowLeft } from "@tabler/icons-react";

import classes from "@/features/inbox/approval-view.module.css";
import { Deadline } from "@/features/inbox/deadline";
import { ReassignButton } from "@/features/inbox/reassign-button";
import { useRevoke } from "@/shared/api/approvals";
import type { ApprovalDetail } from "@/shared/api/wire";
import { ConfirmButton } from "@/shared/layout/confirm-button";
import { sayError } from "@/shared/states/notice";
import { readApproval } from "@/shared/status/status";
import { StatusBadge } from "@/shared/status/status-badge";
import { When } from "@/shared/time/when";

export function ApprovalHead({ approval, onBack }: { approval: ApprovalDetail; onBack: () => void }) {
  return (
    <header className={classes.head}>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <ActionIcon onClick={onBack} hiddenFrom="md" aria-label="Back to the list">
          <IconArrowLeft size={18} />
        </ActionIcon>
        <Title order={2} size="h4" className={classes.title}>
          {approval.title}
        </Title>
        <StatusBadge reading={readApproval(approval.status)} />
      </Group>
      <Group gap="xs" justify="space-between">
        <Facts approval={approval} />
        {approval.status === "pending" ? <ReassignButton approval={approval} /> : <Revoke approval={approval} />}
      </Group>
      {approval.instructions !== null && <Text size="sm" className="prose" mt={6}>{approval.instructions}</Text>}
      {approval.decided_at !== null && <Decided approval={approval} />}
    </header>
  );
}

function Facts({ approval }: { approval: ApprovalDetail }) {
  const assigned = approval.assigned_to.length > 0 ? approval.assigned_to : [...(approval.who?.users ?? []), ...(approval.who?.roles ?? [])];
  return (
    <div className={classes.facts}>
      <span>{approval.handler}</span>
      <span>
        asked <When at={approval.created_at} />
        {approval.requested_by !== null && ` by ${approval.requested_by}`}
      </span>
      {assigned.length > 0 && <span>for {assigned.join(", ")}</span>}
      {approval.status === "pending" && approval.expires_at !== null && <Deadline at={approval.expires_at} />}
      {approval.reminders_sent > 0 && <span>reminded {approval.reminders_sent}×</span>}
      {approval.escalated_at !== null && (
        <span>
          escalated <When at={approval.escalated_at} />
        </span>
      )}
      {!approval.ready && approval.status === "pending" && <span>more items may come</span>}
    </div>
  );
}

function Decided({ approval }: { approval: ApprovalDetail }) {
  const who = approval.decided_by ?? "nobody in time";
  return (
    <Alert variant="light" color="gray" mt="sm" p="xs">
      {readApproval(approval.status).label} by <strong>{who}</strong>, <When at={approval.decided_at} as="full" />
      {approval.option !== null && `, option “${approval.option}”`}
      {approval.feedback !== null && <span className="prose">: {approval.feedback}</span>}
    </Alert>
  );
}

function Revoke({ approval }: { approval: ApprovalDetail }) {
  const revoke = useRevoke(approval.approval_id);
  if (!approval.items.some((item) => item.status === "approved")) return null;
  return (
    <ConfirmButton
      label="Take back"
      question="Take the approval back? What has not been sent yet will not be."
      reason="Why (kept in the log)"
      loading={revoke.isPending}
      onConfirm={(reason) => revoke.mutate(reason, { onError: sayError })}
    />
  );
}
