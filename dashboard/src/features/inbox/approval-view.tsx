import { useQuery } from "@tanstack/react-query";

import { ApprovalHead } from "@/features/inbox/approval-head";
import classes from "@/features/inbox/approval-view.module.css";
import { DecisionBar } from "@/features/inbox/decision-bar";
import { DecisionForm } from "@/features/inbox/decision-form";
import { ItemCard } from "@/features/inbox/item-card";
import type { Deciding } from "@/features/inbox/use-deciding";
import { useDeciding } from "@/features/inbox/use-deciding";
import { useInboxKeys } from "@/features/inbox/use-inbox-keys";
import { oneApproval } from "@/shared/api/approvals";
import type { ApprovalDetail } from "@/shared/api/wire";
import { useLive } from "@/shared/live/use-live";
import { Loaded } from "@/shared/states/loaded";

interface Props {
  approvalId: string;
  onMove: (step: number) => void;
  onBack: () => void;
}

export function ApprovalView({ approvalId, onMove, onBack }: Props) {
  useLive({ of: "lists" });
  const query = useQuery(oneApproval(approvalId));
  return <Loaded query={query}>{(approval) => <Open approval={approval} onMove={onMove} onBack={onBack} />}</Loaded>;
}

function Open({ approval, onMove, onBack }: { approval: ApprovalDetail; onMove: (step: number) => void; onBack: () => void }) {
  const deciding = useDeciding(approval);
  useInboxKeys(deciding, onMove);
  return (
    <>
      <div className={classes.scroll}>
        <ApprovalHead approval={approval} onBack={onBack} />
        <Items deciding={deciding} />
        {approval.status === "pending" && <DecisionForm approval={approval} deciding={deciding} />}
      </div>
      {approval.status === "pending" && <DecisionBar deciding={deciding} />}
    </>
  );
}

function Items({ deciding }: { deciding: Deciding }) {
  const { approval, focused } = deciding;
  const single = approval.items.length === 1;
  return (
    <div className={classes.items} role="list" aria-label="Items">
      {approval.items.map((item, index) => (
        <ItemCard key={item.item_id} item={item} index={index} isFocused={single || item.item_id === focused?.item_id} isSingle={single} deciding={deciding} />
      ))}
    </div>
  );
}
