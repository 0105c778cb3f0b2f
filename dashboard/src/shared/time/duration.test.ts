import { describe, expect, it } from "vitest";

import { formatDistance, formatDuration } from "@/shared/time/duration";

describe("formatDuration", () => {
  it.each([
    [0, "0 ms"],
    [999, "999 ms"],
    [1_000, "1 s"],
    [3_420, "3.4 s"],
    [59_960, "1 min"],
    [90_000, "1 min 30 s"],
    [3_600_000, "1 h"],
    [90_061_000, "1 d 1 h"],
  ])("says %d ms as %s", (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});

describe("formatDistance", () => {
  it("says what is past, present and to come", () => {
    expect(formatDistance(0, 65_000)).toBe("1 min ago");
    expect(formatDistance(1_000, 1_200)).toBe("now");
    expect(formatDistance(7_200_000, 0)).toBe("in 2 h");
  });
});
