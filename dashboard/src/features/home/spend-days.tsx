import { Tooltip } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import classes from "@/features/home/home-page.module.css";
import { ledgerBy } from "@/shared/api/ledger";
import { formatUsd } from "@/shared/money";
import { Loaded } from "@/shared/states/loaded";

const DAYS = 14;
const DAY_MS = 86_400_000;

/** One bar a day. Days are UTC, as in the ledger. */
export function SpendDays() {
  const query = useQuery(ledgerBy("day"));
  return (
    <Loaded query={query}>
      {({ items, models }) => {
        const costOf = new Map(items.map((line) => [line.key, line.cost_usd]));
        const days = Array.from({ length: DAYS }, (_, index) => new Date(Date.now() - (DAYS - 1 - index) * DAY_MS).toISOString().slice(0, 10));
        const most = Math.max(...days.map((day) => costOf.get(day) ?? 0), Number.EPSILON);
        const total = days.reduce((sum, day) => sum + (costOf.get(day) ?? 0), 0);
        return (
          <>
            <div className={classes.days} role="img" aria-label={`${formatUsd(total)} in ${DAYS} days`}>
              {days.map((day) => {
                const cost = costOf.get(day) ?? 0;
                return (
                  <Tooltip key={day} label={`${day}: ${formatUsd(cost)}`}>
                    <span className={classes.day} data-none={cost === 0 || undefined} style={{ height: `${(100 * cost) / most}%` }} />
                  </Tooltip>
                );
              })}
            </div>
            <div className={classes.sums}>
              <span>
                {formatUsd(total)}
                {models === "mock" && " (mock: what it would have cost)"}
              </span>
              <span>today {formatUsd(costOf.get(days.at(-1) ?? "") ?? 0)}</span>
            </div>
          </>
        );
      }}
    </Loaded>
  );
}
