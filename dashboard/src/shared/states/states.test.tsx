import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";

import { ApiError, unreachable } from "@/shared/api/api-error";
import { ErrorState } from "@/shared/states/states";
import { draw } from "@/shared/testing/render";

describe("ErrorState", () => {
  it("says what the server said, its hint, and tries again", async () => {
    const onRetry = vi.fn();
    await draw(<ErrorState error={new ApiError("there is no execution 'x'", "NOT_FOUND", 404, "look at the list")} onRetry={onRetry} />);

    expect(screen.getByRole("heading").textContent).toBe("Not found");
    expect(screen.getByText("look at the list")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Try again" }));
    expect(onRetry).toHaveBeenCalledOnce();
  });

  it("tells a silent server from a refusal", async () => {
    await draw(<ErrorState error={unreachable()} />);

    expect(screen.getByRole("heading").textContent).toBe("No answer");
  });
});
