import { useState } from "react";

import type { Draft, ItemDraft, Readiness } from "@/features/inbox/draft";
import { draftOf, EMPTY_DRAFT, readinessOf, toDecision, withEdit, withItem } from "@/features/inbox/draft";
import { ApiError } from "@/shared/api/api-error";
import { useDecide } from "@/shared/api/approvals";
import type { ApprovalDetail, ApprovalItem } from "@/shared/api/wire";
import { say, sayError } from "@/shared/states/notice";

export interface Deciding {
  approval: ApprovalDetail;
  draft: Draft;
  readiness: Readiness;
  focused: ApprovalItem | undefined;
  editing: string | null;
  isSending: boolean;
  refusal: Error | null;
  draftOf: (item: ApprovalItem) => ItemDraft;
  judge: (item: ApprovalItem, verdict: ItemDraft["verdict"]) => void;
  approveRest: () => void;
  write: (item: ApprovalItem, change: Partial<ItemDraft>) => void;
  edit: (item: ApprovalItem, field: string, value: unknown) => void;
  fill: (change: Partial<Pick<Draft, "option" | "form">>) => void;
  focus: (itemId: string) => void;
  setEditing: (itemId: string | null) => void;
  send: () => void;
}

/** The draft of a decision, and sending it. */
export function useDeciding(approval: ApprovalDetail): Deciding {
  const [draft, setDraft] = useState<Draft>(EMPTY_DRAFT);
  const [focusedId, focus] = useState<string | null>(null);
  const [editing, setEditing] = useState<string | null>(null);
  const decide = useDecide(approval.approval_id);
  const readiness = readinessOf(approval, draft);
  const pending = approval.items.filter((item) => item.status === "pending");
  const focused = approval.items.find((item) => item.item_id === focusedId) ?? pending[0] ?? approval.items[0];
  const send = () => {
    if (readiness.obstacle !== null || decide.isPending) return;
    decide.mutate(toDecision(approval, draft), {
      onSuccess: () => {
        say(readiness.verdicts === 1 ? "Decided." : `${readiness.verdicts} verdicts sent.`);
        setDraft(EMPTY_DRAFT);
        setEditing(null);
      },
      onError: (error) => {
        // The view tells of a decision that somebody else made; all other refusals are said here.
        if (!(error instanceof ApiError && error.code === "ALREADY_DECIDED")) sayError(error);
      },
    });
  };
  return {
    approval,
    draft,
    readiness,
    focused,
    editing,
    isSending: decide.isPending,
    refusal: decide.error,
    draftOf: (item) => draftOf(draft, item),
    judge: (item, verdict) => setDraft((before) => withItem(before, item, { verdict, digest: item.digest })),
    approveRest: () =>
      setDraft((before) =>
        pending.reduce((all, item) => (draftOf(all, item).verdict === null ? withItem(all, item, { verdict: "approve", digest: item.digest }) : all), before),
      ),
    write: (item, change) => setDraft((before) => withItem(before, item, change)),
    edit: (item, field, value) => setDraft((before) => withEdit(before, item, field, value)),
    fill: (change) => setDraft((before) => ({ ...before, ...change })),
    focus,
    setEditing,
    send,
  };
}
