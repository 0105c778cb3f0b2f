import { describe, expect, it } from "vitest";

import { chartLines } from "@/features/costs/chart-lines";
import type { LedgerLine } from "@/shared/api/wire";

const line = (key: string, cost_usd: number): LedgerLine => ({
  key,
  cost_usd,
  calls: 1,
  tokens_input: 0,
  tokens_output: 0,
  total_tokens: 0,
  reserved_usd: 0,
  flagged_calls: 0, unpriced_calls: 0, name: key,
});

describe("chartLines", () => {
  it("fills the days without spend", () => {
    const drawn = chartLines([line("2026-03-01", 2), line("2026-03-03", 1)], "day", "2026-03-04");

    expect(drawn).toHaveLength(14);
    expect(drawn.slice(-4).map((day) => day.cost_usd)).toEqual([2, 0, 1, 0]);
  });

  it("draws the dearest first", () => {
    expect(chartLines([line("a", 1), line("b", 3)], "agent", "2026-03-04").map((one) => one.key)).toEqual(["b", "a"]);
  });
});
