import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import { JsonView } from "@/shared/data/json-view";
import { draw } from "@/shared/testing/render";

describe("JsonView", () => {
  it("shows the beginning of a long list and the rest when asked", async () => {
    await draw(<JsonView value={{ list: Array.from({ length: 120 }, (_, index) => index) }} label="Input" />);
    await userEvent.click(screen.getByRole("button", { name: /list/ }));
    expect(screen.queryByText("119")).toBeNull();

    await userEvent.click(screen.getByRole("button", { name: "20 more" }));

    expect(screen.getByText("119")).toBeTruthy();
  });

  it("draws markup as text", async () => {
    await draw(<JsonView value="<script>alert(1)</script>" label="Input" />);

    expect(screen.getByText("<script>alert(1)</script>")).toBeTruthy();
  });
});
