import classes from "@/features/inbox/inbox-page.module.css";
import { Deadline } from "@/features/inbox/deadline";
import type { Approval } from "@/shared/api/wire";
import { readApproval } from "@/shared/status/status";
import { StatusBadge } from "@/shared/status/status-badge";
import { When } from "@/shared/time/when";

interface Props {
  approvals: Approval[];
  shown: string | null;
  onOpen: (approvalId: string) => void;
}

export function ApprovalList({ approvals, shown, onOpen }: Props) {
  return (
    <div className={`panel ${classes.list}`} role="list" aria-label="Approvals">
      {approvals.map((approval) => (
        <div key={approval.approval_id} role="listitem">
          <button type="button" className={classes.entry} aria-current={approval.approval_id === shown || undefined} onClick={() => onOpen(approval.approval_id)}>
            <span className={classes.entryTitle}>{approval.title}</span>
            <span className={classes.entryMore}>
              {approval.status !== "pending" && <StatusBadge reading={readApproval(approval.status)} />}
              {approval.items_total > 1 && (
                <span>
                  {approval.items_open} of {approval.items_total} open
                </span>
              )}
              <span>{approval.handler}</span>
              <span className={classes.entryTime}>{approval.status === "pending" && approval.expires_at !== null ? <Deadline at={approval.expires_at} /> : <When at={approval.decided_at ?? approval.created_at} />}</span>
            </span>
          </button>
        </div>
      ))}
    </div>
  );
}
