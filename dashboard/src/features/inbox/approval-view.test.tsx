import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import { ApprovalView } from "@/features/inbox/approval-view";
import { makeApproval, makeItem } from "@/shared/api/fakes";
import type { ApprovalDetail } from "@/shared/api/wire";
import { answerWith, draw } from "@/shared/testing/render";

const HOSTILE = "<img src=x onerror=alert(1)>{{ 7*7 }}";

async function open(approval: ApprovalDetail, decided: { status?: number; body: unknown } = { body: approval }): Promise<Request[]> {
  const asked = answerWith((request) => (request.method === "POST" ? decided : { body: approval }));
  await draw(<ApprovalView approvalId={approval.approval_id} onMove={() => undefined} onBack={() => undefined} />);
  await screen.findByRole("heading", { name: approval.title });
  return asked;
}

/** Reads a copy: a body can be read only once. */
function decisionOf(asked: Request[]): Promise<unknown> | undefined {
  return asked.find((request) => request.method === "POST")?.clone().json() as Promise<unknown> | undefined;
}

describe("ApprovalView", () => {
  it("shows every field of the action as text", async () => {
    await open(makeApproval({ title: HOSTILE, items: [makeItem({ data: { subject: HOSTILE, to: "ada@example.org" } })] }));

    expect(screen.getAllByText(HOSTILE).length).toBeGreaterThan(1);
    expect(screen.getByText("ada@example.org")).toBeTruthy();
    expect(document.querySelector("img")).toBeNull();
  });

  it("sends the edited item with the digest of what was shown", async () => {
    const user = userEvent.setup();
    const asked = await open(makeApproval());
    await user.click(screen.getByRole("button", { name: "Edit" }));
    await user.clear(screen.getByLabelText("subject"));
    await user.type(screen.getByLabelText("subject"), "Good day");
    await user.click(screen.getByRole("button", { name: "Approve" }));
    await user.click(screen.getByRole("button", { name: /Send verdict/ }));

    await waitFor(() => expect(decisionOf(asked)).toBeDefined());
    expect(await decisionOf(asked)).toEqual({
      decision: "approve",
      items: [{ item_id: "itm_1", decision: "approve", digest: "d1", edits: { subject: "Good day" } }],
    });
  });

  it("asks why before it rejects", async () => {
    const user = userEvent.setup();
    await open(makeApproval());
    await user.click(screen.getByRole("button", { name: "Reject" }));

    expect(screen.getByRole("button", { name: /Send verdict/ })).toHaveProperty("disabled", true);

    await user.type(screen.getByLabelText(/Why not/), "too long");
    expect(screen.getByRole("button", { name: /Send verdict/ })).toHaveProperty("disabled", false);
  });

  it("says who was faster", async () => {
    const user = userEvent.setup();
    const error = "the approval was decided (approved) by frida at 2026-11-20T10:00:00.000Z";
    await open(makeApproval(), { status: 409, body: { success: false, error, code: "ALREADY_DECIDED" } });
    await user.click(screen.getByRole("button", { name: "Approve" }));
    await user.click(screen.getByRole("button", { name: /Send verdict/ }));

    expect((await screen.findByRole("alert")).textContent).toContain("frida");
  });

  it("offers no verdict on what is decided", async () => {
    const item = makeItem({ status: "approved", decided_by: "frida", decided_at: "2026-11-20T10:00:00.000Z" });
    await open(makeApproval({ status: "approved", decided_by: "frida", decided_at: item.decided_at, items: [item] }));

    expect(screen.queryByRole("button", { name: "Approve" })).toBeNull();
    expect(screen.getByText("Take back")).toBeTruthy();
  });
});
