import { Alert, Button, Group, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";

import classes from "@/features/chat/chat-page.module.css";
import type { Verdict } from "@/shared/api/approvals";
import { oneApproval, useDecide } from "@/shared/api/approvals";
import type { ApprovalDetail } from "@/shared/api/wire";
import { JsonTree } from "@/shared/data/json-tree";
import { Loaded } from "@/shared/states/loaded";
import { LoadingRows } from "@/shared/states/states";
import { readApproval } from "@/shared/status/status";
import { StatusBadge } from "@/shared/status/status-badge";

/** The exact action and the decision on it, where one reads of it; edits are made in the inbox. */
export function InlineApproval({ approvalId }: { approvalId: string }) {
  const query = useQuery(oneApproval(approvalId));
  return (
    <section className={classes.approval} aria-label="Approval">
      <Loaded query={query} loading={<LoadingRows rows={2} />}>
        {(approval) => <Body approval={approval} />}
      </Loaded>
    </section>
  );
}

function Body({ approval }: { approval: ApprovalDetail }) {
  return (
    <>
      <strong className="prose">{approval.title}</strong>
      {approval.items.map((item) => (
        <div key={item.item_id} className={classes.exact} tabIndex={0} role="region" aria-label={item.title}>
          <JsonTree value={item.edits === null ? item.data : { ...item.data, ...item.edits }} />
        </div>
      ))}
      {approval.status === "pending" ? <Buttons approval={approval} /> : <StatusBadge reading={readApproval(approval.status)} />}
    </>
  );
}

function Buttons({ approval }: { approval: ApprovalDetail }) {
  const [feedback, setFeedback] = useState("");
  const decide = useDecide(approval.approval_id);
  const items = approval.items.filter((item) => item.status === "pending").map(({ item_id, digest }) => ({ item_id, digest }));
  const send = (decision: Verdict) => decide.mutate({ decision, items, feedback: feedback.trim() || undefined });
  return (
    <>
      {decide.error && (
        <Alert color="red" variant="light" p="xs" role="alert">
          {decide.error.message}
        </Alert>
      )}
      <TextInput size="xs" label="Reason" description="Needed to reject" value={feedback} onChange={(event) => setFeedback(event.currentTarget.value)} />
      <Group gap="xs">
        <Button loading={decide.isPending} disabled={approval.form !== null} onClick={() => send("approve")}>
          Approve
        </Button>
        <Button variant="default" loading={decide.isPending} disabled={feedback.trim() === ""} onClick={() => send("reject")}>
          Reject
        </Button>
        <Link to="/inbox" search={{ approval: approval.approval_id }} className="link">
          Edit it in the inbox
        </Link>
      </Group>
    </>
  );
}
