import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts";

import { chartLines } from "@/features/costs/chart-lines";
import type { LedgerGroup } from "@/shared/api/ledger";
import type { LedgerLine } from "@/shared/api/wire";
import { formatUsd } from "@/shared/money";

const TICK = { fontSize: 11, fill: "var(--text-dim)" };
const BOX = { background: "var(--surface)", border: "1px solid var(--line-strong)", borderRadius: 8, fontSize: 12, color: "var(--text)" };

export default function SpendChart({ lines, by }: { lines: LedgerLine[]; by: LedgerGroup }) {
  const drawn = chartLines(lines, by, new Date().toISOString().slice(0, 10));
  const isWide = by !== "day";
  const height = isWide ? Math.max(140, drawn.length * 34 + 40) : 220;
  return (
    <ResponsiveContainer width="100%" height={height}>
      <BarChart data={drawn} layout={isWide ? "vertical" : "horizontal"} margin={{ top: 4, right: 16, bottom: 0, left: 4 }} accessibilityLayer>
        <CartesianGrid stroke="var(--line)" vertical={isWide} horizontal={!isWide} />
        {isWide ? (
          <>
            <XAxis type="number" tick={TICK} tickFormatter={formatUsd} stroke="var(--line-strong)" />
            <YAxis type="category" dataKey="label" width={140} tick={TICK} stroke="var(--line-strong)" />
          </>
        ) : (
          <>
            <XAxis dataKey="label" tick={TICK} stroke="var(--line-strong)" minTickGap={20} />
            <YAxis tick={TICK} tickFormatter={formatUsd} width={64} stroke="var(--line-strong)" />
          </>
        )}
        <Tooltip contentStyle={BOX} cursor={{ fill: "var(--surface-hover)" }} formatter={(value) => [formatUsd(Number(value)), "cost"]} />
        <Bar dataKey="cost_usd" fill="var(--mantine-color-iris-5)" radius={3} maxBarSize={34} isAnimationActive={false} />
      </BarChart>
    </ResponsiveContainer>
  );
}
