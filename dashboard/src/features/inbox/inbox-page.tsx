import { SegmentedControl } from "@mantine/core";
import { IconInbox } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import { ApprovalList } from "@/features/inbox/approval-list";
import { ApprovalView } from "@/features/inbox/approval-view";
import { byDeadline } from "@/features/inbox/by-deadline";
import classes from "@/features/inbox/inbox-page.module.css";
import { listApprovals } from "@/shared/api/approvals";
import type { ApprovalStatus } from "@/shared/api/wire";
import { Page } from "@/shared/layout/page";
import { useLive } from "@/shared/live/use-live";
import { Loaded } from "@/shared/states/loaded";
import { EmptyState } from "@/shared/states/states";

interface Props {
  status: ApprovalStatus | "all";
  approvalId: string | null;
  onStatus: (status: ApprovalStatus | "all") => void;
  onOpen: (approvalId: string | null) => void;
}

const VIEWS = [
  { value: "pending", label: "Waiting" },
  { value: "approved", label: "Approved" },
  { value: "rejected", label: "Rejected" },
  { value: "all", label: "All" },
];

export function InboxPage({ status, approvalId, onStatus, onOpen }: Props) {
  useLive({ of: "lists" });
  const query = useQuery(listApprovals(status === "all" ? undefined : status));
  const approvals = useMemo(() => byDeadline(query.data?.items ?? []), [query.data]);
  const shown = approvalId ?? (window.innerWidth > 900 ? (approvals[0]?.approval_id ?? null) : null);
  const move = (step: number) => {
    const at = approvals.findIndex((one) => one.approval_id === shown);
    const next = approvals[at + step];
    if (next !== undefined) onOpen(next.approval_id);
  };
  return (
    <Page
      title="Inbox"
      fill
      actions={<SegmentedControl data={VIEWS} value={status} onChange={(value) => onStatus(value as ApprovalStatus | "all")} aria-label="Which approvals" />}
    >
      <Loaded query={query}>
        {() =>
          approvals.length === 0 && approvalId === null ? (
            <Nothing status={status} />
          ) : (
            <div className={classes.split} data-open={approvalId !== null || undefined}>
              <ApprovalList approvals={approvals} shown={shown} onOpen={onOpen} />
              <section className={`panel ${classes.view}`} aria-label="Approval">
                {shown === null ? <EmptyState title="Choose an approval" /> : <ApprovalView key={shown} approvalId={shown} onMove={move} onBack={() => onOpen(null)} />}
              </section>
            </div>
          )
        }
      </Loaded>
    </Page>
  );
}

function Nothing({ status }: { status: string }) {
  if (status !== "pending") return <EmptyState title="Nothing here">No approval has this status.</EmptyState>;
  return (
    <EmptyState icon={<IconInbox size={28} stroke={1.5} />} title="Nothing waits for you">
      When an agent or a manifest needs a person’s decision, it appears here by itself.
    </EmptyState>
  );
}
