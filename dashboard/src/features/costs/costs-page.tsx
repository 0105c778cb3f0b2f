import { Alert, SegmentedControl, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";

import classes from "@/features/costs/costs-page.module.css";
import { Budgets } from "@/features/costs/budgets";
import { LedgerTable } from "@/features/costs/ledger-table";
import { Suggestions } from "@/features/costs/suggestions";
import type { LedgerGroup } from "@/shared/api/ledger";
import { ledgerBy } from "@/shared/api/ledger";
import type { LedgerLine } from "@/shared/api/wire";
import { Page } from "@/shared/layout/page";
import { useLive } from "@/shared/live/use-live";
import { formatCount, formatShortCount, formatUsd } from "@/shared/money";
import { Loaded } from "@/shared/states/loaded";
import { EmptyState, LoadingRows } from "@/shared/states/states";

const SpendChart = lazy(() => import("@/features/costs/spend-chart"));

const GROUPS = [
  { value: "day", label: "By day" },
  { value: "agent", label: "By agent" },
  { value: "model", label: "By model" },
  { value: "execution", label: "By execution" },
];

export function CostsPage({ by, onBy }: { by: LedgerGroup; onBy: (by: LedgerGroup) => void }) {
  useLive({ of: "lists" });
  const query = useQuery(ledgerBy(by));
  return (
    <Page title="Costs" actions={<SegmentedControl data={GROUPS} value={by} onChange={(value) => onBy(value as LedgerGroup)} aria-label="Grouped by" />}>
      <Loaded query={query}>
        {({ items, note }) =>
          items.length === 0 ? (
            <EmptyState title="Nothing has been spent">Each call of a model is booked here: reserved before it, settled after it.</EmptyState>
          ) : (
            <>
              {note !== null && (
                <Alert variant="light" color="yellow" p="xs">
                  {note}
                </Alert>
              )}
              <Totals lines={items} />
              <section className={`panel ${classes.chart}`} aria-label="Spend">
                <Suspense fallback={<LoadingRows rows={5} />}>
                  <SpendChart lines={items} by={by} />
                </Suspense>
              </section>
              <LedgerTable lines={items} by={by} />
            </>
          )
        }
      </Loaded>
      <Budgets />
      <Suggestions />
    </Page>
  );
}

function Totals({ lines }: { lines: LedgerLine[] }) {
  const sum = (pick: (line: LedgerLine) => number) => lines.reduce((total, line) => total + pick(line), 0);
  const flagged = sum((line) => line.flagged_calls);
  const unpriced = sum((line) => line.unpriced_calls);
  const figures = [
    ["Settled", formatUsd(sum((line) => line.cost_usd))],
    ["Reserved", formatUsd(sum((line) => line.reserved_usd))],
    ["Calls", formatCount(sum((line) => line.calls))],
    ["Tokens in", formatShortCount(sum((line) => line.tokens_input))],
    ["Tokens out", formatShortCount(sum((line) => line.tokens_output))],
  ] as const;
  return (
    <div className={classes.totals}>
      {figures.map(([label, value]) => (
        <div key={label} className={`panel ${classes.total}`}>
          <Text size="xs" c="dimmed">
            {label}
          </Text>
          <Title order={2} size="h3" className="numbers">
            {value}
          </Title>
        </div>
      ))}
      {unpriced > 0 && <Flagged label="Calls without a price" count={unpriced} title="Their model has no known price, so they count as $0 here." />}
      {flagged > unpriced && (
        <Flagged label="Calls to look at" count={flagged - unpriced} title="What the model reported does not add up; the price was computed again." />
      )}
    </div>
  );
}

function Flagged({ label, count, title }: { label: string; count: number; title: string }) {
  return (
    <div className={`panel ${classes.total}`} data-bad title={title}>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Title order={2} size="h3" className="numbers">
        {formatCount(count)}
      </Title>
    </div>
  );
}
