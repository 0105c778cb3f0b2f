import { expect, test } from "vitest";

import { waitBefore } from "@/shared/live/stream-socket";

test("the wait before another attempt doubles up to a bound and is spread", () => {
  expect([0, 1, 2, 3, 9].map((attempt) => waitBefore(attempt, 0.5))).toEqual([500, 1_000, 2_000, 4_000, 15_000]);
  expect(waitBefore(0, 0)).toBe(375);
});
