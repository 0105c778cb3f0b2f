import { describe, expect, it } from "vitest";

import { fitWidth } from "@/shared/graph/fit-width";

describe("fitWidth", () => {
  it("shrinks to the width and keeps the middle in the middle", () => {
    const { view, height } = fitWidth({ width: 1_200, height: 1_000 }, 1_008);

    expect(view).toEqual({ zoom: 0.8, x: 24, y: 24 });
    expect(height).toBe(848);
  });

  it("never enlarges and never shrinks beyond reading", () => {
    expect(fitWidth({ width: 100, height: 10 }, 1_000).view.zoom).toBe(1);
    expect(fitWidth({ width: 9_000, height: 10 }, 390).view.zoom).toBe(0.55);
  });
});
