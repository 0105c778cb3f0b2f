import { Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import classes from "@/features/costs/costs-page.module.css";
import { listBudgets } from "@/shared/api/ledger";
import type { Budget } from "@/shared/api/wire";
import { formatCount, formatUsd } from "@/shared/money";

const SCOPES = { call: "each call", execution: "each execution", agent: "each agent", owner: "everything", day: "today" };
const AT_LIMIT = { stop: "stops", approve: "asks a person", fallback: "takes a cheaper model" };

/** The limits of the manifests in force: what is settled, what is reserved for calls that run, what is left. */
export function Budgets() {
  const items = useQuery(listBudgets()).data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <section aria-label="Budgets" className={classes.suggestions}>
      <Title order={2} size="h5">
        Budgets
      </Title>
      {items.map((budget, index) => (
        <BudgetLine key={index} budget={budget} />
      ))}
    </section>
  );
}

function BudgetLine({ budget }: { budget: Budget }) {
  return (
    <div className={`panel ${classes.budget}`}>
      <div className={classes.budgetHead}>
        <span>
          <strong>{whatOf(budget)}</strong> <span className="dim">in {budget.manifest}</span>
        </span>
        <span className="numbers">
          {limitOf(budget)} <span className="dim">then it {AT_LIMIT[budget.on_limit]}</span>
        </span>
      </div>
      {budget.settled_usd !== null && <Used budget={budget} settled={budget.settled_usd} reserved={budget.reserved_usd ?? 0} />}
    </div>
  );
}

function whatOf({ scope, name }: Budget): string {
  if (name === null) return SCOPES[scope];
  return scope === "agent" ? name : `${SCOPES[scope]} of ${name}`;
}

function limitOf({ limit_usd, limit_tokens }: Budget): string {
  const limits = [limit_usd === null ? null : formatUsd(limit_usd), limit_tokens === null ? null : `${formatCount(limit_tokens)} tokens`];
  return `at most ${limits.filter((one) => one !== null).join(" or ")},`;
}

function Used({ budget, settled, reserved }: { budget: Budget; settled: number; reserved: number }) {
  const told = `${formatUsd(settled)} settled, ${formatUsd(reserved)} reserved, ${formatCount(budget.tokens ?? 0)} tokens`;
  const limit = budget.limit_usd;
  const share = (usd: number) => `${limit === null || limit === 0 ? 0 : Math.min(100, (100 * usd) / limit)}%`;
  return (
    <>
      {limit !== null && (
        <div className={classes.meter} role="img" aria-label={told}>
          <span className={classes.settled} data-full={settled + reserved >= limit || undefined} style={{ width: share(settled) }} />
          <span className={classes.reserved} style={{ width: share(reserved) }} />
        </div>
      )}
      <span className="dim numbers">{told}</span>
    </>
  );
}
