import { describe, expect, it, vi } from "vitest";

import { runForEach } from "@/features/executions/list/bulk";
import { ApiError } from "@/shared/api/api-error";
import { makeExecution } from "@/shared/api/fakes";

describe("runForEach", () => {
  it("goes on after a refusal and says what was refused", async () => {
    const refusal = new ApiError("this status is final", "INVALID_STATE_TRANSITION", 409);
    const send = vi.fn((id: string) => (id === "exe_2" ? Promise.reject(refusal) : Promise.resolve(makeExecution())));
    const targets = ["exe_1", "exe_2", "exe_3"].map((execution_id) => makeExecution({ execution_id }));

    const outcome = await runForEach(targets, { do: "pause" }, send);

    expect(outcome).toEqual({ done: 2, refused: [refusal] });
    expect(send.mock.calls.map(([id]) => id).sort()).toEqual(["exe_1", "exe_2", "exe_3"]);
  });
});
