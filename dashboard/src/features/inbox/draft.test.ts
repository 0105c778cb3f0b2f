import { describe, expect, it } from "vitest";

import { EMPTY_DRAFT, readinessOf, toDecision, withEdit, withItem } from "@/features/inbox/draft";
import { makeApproval, makeItem } from "@/shared/api/fakes";

const first = makeItem({ item_id: "itm_1", digest: "d1" });
const second = makeItem({ item_id: "itm_2", digest: "d2" });
const bundle = makeApproval({ items: [first, second] });

describe("toDecision", () => {
  it("names only the judged items, each with its digest and verdict", () => {
    let draft = withItem(EMPTY_DRAFT, first, { verdict: "approve" });
    draft = withEdit(draft, first, "subject", "Hi");

    expect(toDecision(bundle, draft)).toEqual({
      decision: "approve",
      items: [{ item_id: "itm_1", decision: "approve", digest: "d1", edits: { subject: "Hi" } }],
    });
  });

  it("sends feedback with a rejection and no edits", () => {
    let draft = withEdit(EMPTY_DRAFT, second, "body", "Other");
    draft = withItem(draft, second, { verdict: "reject", feedback: " too long " });

    expect(toDecision(bundle, draft).items).toEqual([
      { item_id: "itm_2", decision: "reject", digest: "d2", feedback: "too long" },
    ]);
  });

  it("leaves out an item that somebody else has decided", () => {
    const decided = makeApproval({ items: [{ ...first, status: "approved" }, second] });
    const draft = withItem(EMPTY_DRAFT, first, { verdict: "approve" });

    expect(toDecision(decided, draft).items).toEqual([]);
  });
});

describe("withEdit", () => {
  it("forgets an edit that restores the original", () => {
    const edited = withEdit(EMPTY_DRAFT, first, "subject", "Hi");

    expect(withEdit(edited, first, "subject", "Hello").items.itm_1?.edits).toEqual({});
  });
});

describe("readinessOf", () => {
  it("asks for a verdict, then for feedback", () => {
    const rejected = withItem(EMPTY_DRAFT, first, { verdict: "reject" });

    expect(readinessOf(bundle, EMPTY_DRAFT).obstacle).toBe("No verdict yet.");
    expect(readinessOf(bundle, rejected).obstacle).toMatch(/feedback/);
    expect(readinessOf(bundle, withItem(rejected, first, { feedback: "no" })).obstacle).toBeNull();
  });

  it("refuses to send a verdict on an item that has changed since", () => {
    const draft = withItem(EMPTY_DRAFT, first, { verdict: "approve" });
    const changed = makeApproval({ items: [{ ...first, digest: "new" }] });

    expect(readinessOf(changed, draft).obstacle).toMatch(/changed/);
  });

  it("needs the form's fields only to approve", () => {
    const form = { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] };
    const approval = makeApproval({ items: [first], form });
    const approve = withItem(EMPTY_DRAFT, first, { verdict: "approve" });

    expect(readinessOf(approval, approve).obstacle).toMatch(/amount/);
    expect(readinessOf(approval, { ...approve, form: { amount: 0 } }).obstacle).toBeNull();
    expect(readinessOf(approval, withItem(EMPTY_DRAFT, first, { verdict: "reject", feedback: "no" })).obstacle).toBeNull();
  });
});
