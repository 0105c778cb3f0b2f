import { describe, expect, it } from "vitest";

import { mask, maskValue } from "@/shared/data/mask";

describe("mask", () => {
  it.each([
    ["write to ada.l@example.org now", "write to a•••@example.org now"],
    ["+1-555-0100-22", "•••22"],
    ["2026-11-21 10:00", "2026-11-21 10:00"],
    ["tsk_01M7Y1V6TGFCFJ6WMXJV47BXHC", "tsk_01M7Y1V6TGFCFJ6WMXJV47BXHC"],
    ["zoë@exämple.org", "z•••@exämple.org"],
  ])("turns %j into %j", (text, masked) => {
    expect(mask(text)).toBe(masked);
  });

  it("reaches into lists and objects", () => {
    expect(maskValue({ to: ["a@b.org", 3, null] })).toEqual({ to: ["a•••@b.org", 3, null] });
  });
});
