import { screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";

import { blocksOf, LineDiff, linesOf } from "@/shared/data/line-diff";
import { draw } from "@/shared/testing/render";

const LINES = Array.from({ length: 20 }, (_, index) => `line ${index}`);

describe("LineDiff", () => {
  it("folds what stayed and keeps what is near a change", () => {
    const after = LINES.map((line, index) => (index === 10 ? "changed" : line));

    const blocks = blocksOf(linesOf(LINES.join("\n"), after.join("\n")));

    expect([blocks[0], blocks.at(-1)]).toEqual([7, 6]);
    expect(blocks.filter((block) => typeof block !== "number" && block.sign !== " ")).toEqual([
      { sign: "-", text: "line 10" },
      { sign: "+", text: "changed" },
    ]);
  });

  it("says so when nothing differs", async () => {
    await draw(<LineDiff before="a" after="a" label="Changes" />);

    expect(screen.getByText("Nothing differs.")).toBeTruthy();
  });
});
