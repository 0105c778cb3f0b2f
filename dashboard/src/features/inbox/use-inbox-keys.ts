import { useHotkeys } from "@mantine/hooks";

import type { Deciding } from "@/features/inbox/use-deciding";
import type { Verdict } from "@/shared/api/approvals";

/** Keys of the inbox. They rest while a field has the focus. */
export function useInboxKeys(deciding: Deciding, onMove: (step: number) => void): void {
  const { approval, focused } = deciding;
  const isOpen = approval.status === "pending" && focused?.status === "pending";
  const step = (by: number) => {
    const at = approval.items.findIndex((item) => item.item_id === focused?.item_id);
    const next = approval.items[at + by];
    if (next === undefined) onMove(by);
    else deciding.focus(next.item_id);
  };
  const judge = (verdict: Verdict) => {
    if (!isOpen) return;
    deciding.judge(focused, verdict);
    if (verdict === "approve" && approval.items.length > 1) step(1);
  };
  useHotkeys([
    ["j", () => step(1)],
    ["k", () => step(-1)],
    ["shift+J", () => onMove(1)],
    ["shift+K", () => onMove(-1)],
    ["a", () => judge("approve")],
    ["r", () => judge("reject")],
    ["s", () => judge("revise")],
    ["e", () => isOpen && approval.editable.length > 0 && deciding.setEditing(deciding.editing === null ? focused.item_id : null)],
  ]);
  // Sending works from inside a field too.
  useHotkeys([["mod+Enter", deciding.send]], []);
}
