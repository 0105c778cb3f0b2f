import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import { Failures } from "@/features/executions/one/failures";
import { makeExecution, makeTask } from "@/shared/api/fakes";
import type { ExecutionDetail } from "@/shared/api/wire";
import { answerWith, draw } from "@/shared/testing/render";

function execution(fields: Partial<ExecutionDetail> = {}): ExecutionDetail {
  const costs = { calls: 0, cost_usd: 0, tokens_input: 0, tokens_output: 0, total_tokens: 0, models: "mock", note: null };
  const task = makeTask({ status: "ERROR", error_type: "MODEL_REFUSED", error_message: "no to a***@example.org" });
  return { ...makeExecution({ status: "BLOCKED" }), costs, tasks: [task], tasks_truncated: false, ...fields };
}

describe("Failures", () => {
  it("says what failed, advises, and retries the task", async () => {
    const asked = answerWith(() => ({ body: {} }));
    await draw(<Failures execution={execution()} onTask={() => undefined} />);

    expect(screen.getByText("no to a***@example.org")).toBeTruthy();
    expect(screen.getByText(/declined to answer/)).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Retry" }));
    await waitFor(() => expect(asked[0]?.url).toMatch(/executions\/exe_1\/tasks\/tsk_1\/retry$/));
  });

  it("offers nothing to retry once the execution has ended", async () => {
    await draw(<Failures execution={execution({ status: "FAILED" })} onTask={() => undefined} />);

    expect(screen.queryByRole("button", { name: "Retry" })).toBeNull();
  });
});
