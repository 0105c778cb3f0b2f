import type { LedgerGroup } from "@/shared/api/ledger";
import type { LedgerLine } from "@/shared/api/wire";

export interface ChartLine {
  key: string;
  label: string;
  cost_usd: number;
}

const FEWEST_DAYS = 14;
const MOST_DAYS = 90;
const MOST_BARS = 12;
const DAY_MS = 86_400_000;

/** Days without spend are days too; of agents, models and executions only the dearest are drawn. */
export function chartLines(lines: readonly LedgerLine[], by: LedgerGroup, today: string): ChartLine[] {
  if (by === "day") return days(lines, today);
  return [...lines]
    .sort((a, b) => b.cost_usd - a.cost_usd)
    .slice(0, MOST_BARS)
    .map(({ key, name, cost_usd }) => ({ key, label: by === "execution" ? key.slice(-6) : name, cost_usd }));
}

function days(lines: readonly LedgerLine[], today: string): ChartLine[] {
  const costOf = new Map(lines.map((line) => [line.key, line.cost_usd]));
  const last = Date.parse(today);
  const first = Math.min(...lines.map((line) => Date.parse(line.key)), last - (FEWEST_DAYS - 1) * DAY_MS);
  const from = Math.max(first, last - (MOST_DAYS - 1) * DAY_MS);
  const out: ChartLine[] = [];
  for (let at = from; at <= last; at += DAY_MS) {
    const key = new Date(at).toISOString().slice(0, 10);
    out.push({ key, label: key.slice(5), cost_usd: costOf.get(key) ?? 0 });
  }
  return out;
}
