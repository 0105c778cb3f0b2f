import { Alert, SegmentedControl, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";

import classes from "@/features/costs/costs-page.module.css";
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
      <Suggestions />
    </Page>
  );
}

function Totals({ lines }: { lines: LedgerLine[] }) {
  const sum = (pick: (line: LedgerLine) => number) => lines.reduce((total, line) => total + pick(line), 0);
  const flagged = sum((line) => line.flagged_calls);
  const figures = [
    ["Spent", formatUsd(sum((line) => line.cost_usd))],
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
      {flagged > 0 && (
        <div className={`panel ${classes.total}`} data-bad>
          <Text size="xs" c="dimmed">
            Calls to look at
          </Text>
          <Title order={2} size="h3">
            {flagged}
          </Title>
        </div>
      )}
    </div>
  );
}
