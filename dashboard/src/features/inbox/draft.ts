import type { Decision, ItemVerdict, Verdict } from "@/shared/api/approvals";
import type { ApprovalDetail, ApprovalItem } from "@/shared/api/wire";

/** What the reader means to say about one item, before it is sent. */
export interface ItemDraft {
  verdict: Verdict | null;
  edits: Record<string, unknown>;
  feedback: string;
  /** Of the item as it was when the draft began; a different one means that it has changed since. */
  digest: string;
}

export interface Draft {
  items: Readonly<Record<string, ItemDraft>>;
  option: string | null;
  form: Record<string, unknown>;
}

export const EMPTY_DRAFT: Draft = { items: {}, option: null, form: {} };

export function draftOf(draft: Draft, item: ApprovalItem): ItemDraft {
  return draft.items[item.item_id] ?? { verdict: null, edits: {}, feedback: "", digest: item.digest };
}

export function withItem(draft: Draft, item: ApprovalItem, change: Partial<ItemDraft>): Draft {
  return { ...draft, items: { ...draft.items, [item.item_id]: { ...draftOf(draft, item), ...change } } };
}

/** Sets a field of the item; the original value again is no edit. */
export function withEdit(draft: Draft, item: ApprovalItem, field: string, value: unknown): Draft {
  const edits = { ...draftOf(draft, item).edits, [field]: value };
  if (JSON.stringify(value) === JSON.stringify(item.data[field])) {
    return withItem(draft, item, { edits: Object.fromEntries(Object.entries(edits).filter(([key]) => key !== field)) });
  }
  return withItem(draft, item, { edits });
}

export interface Readiness {
  verdicts: number;
  open: number;
  /** Why it cannot be sent yet; null when it can. */
  obstacle: string | null;
}

export function readinessOf(approval: ApprovalDetail, draft: Draft): Readiness {
  const pending = approval.items.filter((item) => item.status === "pending");
  const judged = pending.filter((item) => draftOf(draft, item).verdict !== null);
  const mute = judged.filter((item) => {
    const { verdict, feedback } = draftOf(draft, item);
    return verdict !== "approve" && feedback.trim() === "";
  });
  const changed = judged.filter((item) => draftOf(draft, item).digest !== item.digest);
  const approves = judged.some((item) => draftOf(draft, item).verdict === "approve");
  const missing = approves ? (approval.form?.required ?? []).filter((field) => isBlank(draft.form[field])) : [];
  let obstacle: string | null = null;
  if (judged.length === 0) obstacle = "No verdict yet.";
  else if (changed.length > 0) obstacle = "An item has changed since you judged it: look at it again.";
  else if (mute.length > 0) obstacle = "Say why: feedback is needed to reject or to send back.";
  else if (missing.length > 0) obstacle = `The form needs ${missing.join(", ")}.`;
  return { verdicts: judged.length, open: pending.length, obstacle };
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

/** Names every item that is meant, each with its own verdict and the digest of what was shown. */
export function toDecision(approval: ApprovalDetail, draft: Draft): Decision {
  const items: ItemVerdict[] = [];
  for (const item of approval.items) {
    const { verdict, edits, feedback, digest } = draftOf(draft, item);
    if (item.status !== "pending" || verdict === null) continue;
    items.push({
      item_id: item.item_id,
      decision: verdict,
      digest,
      ...(verdict === "approve" && Object.keys(edits).length > 0 ? { edits } : {}),
      ...(feedback.trim() === "" ? {} : { feedback: feedback.trim() }),
    });
  }
  const approves = items.some((item) => item.decision === "approve");
  return {
    decision: items[0]?.decision ?? "approve",
    items,
    ...(draft.option === null ? {} : { option: draft.option }),
    ...(approves && approval.form !== null ? { form: draft.form } : {}),
  };
}
