import { IconChecklist } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { PlanDrop } from "@/features/plans/plan-drop";
import classes from "@/features/plans/plans-page.module.css";
import type { PlanRow, PlanSummary } from "@/shared/api/plans";
import { listPlans } from "@/shared/api/plans";
import { Page } from "@/shared/layout/page";
import { Loaded } from "@/shared/states/loaded";
import { EmptyState } from "@/shared/states/states";
import { When } from "@/shared/time/when";

const SOURCES: Record<string, string> = { planexe: "PlanExe run", json: "JSON", csv: "CSV" };

/** The plans that were imported, and the place to drop another one. */
export function PlansPage({ onImported }: { onImported: (plan: PlanSummary) => void }) {
  const query = useQuery(listPlans());
  return (
    <Page title="Plans">
      <PlanDrop onImported={onImported} />
      <Loaded query={query}>{({ items }) => (items.length === 0 ? <Nothing /> : <Cards plans={items} />)}</Loaded>
    </Page>
  );
}

function Nothing() {
  return (
    <EmptyState icon={<IconChecklist size={28} stroke={1.5} />} title="No plan yet">
      A plan says what has to be done, in phases and tasks, and what waits for what. Drop one above, or use{" "}
      <span className="mono">tercet plan import FILE</span>.
    </EmptyState>
  );
}

function Cards({ plans }: { plans: PlanRow[] }) {
  return (
    <div className={classes.cards}>
      {plans.map((plan) => (
        <Link key={plan.plan_id} to="/plans/$planId" params={{ planId: plan.plan_id }} search={{}} className={`panel ${classes.card}`}>
          <span className={classes.name}>{plan.title}</span>
          <span className="dim">
            {plan.tasks_total} tasks, from {SOURCES[plan.source] ?? plan.source}, <When at={plan.created_at} />
          </span>
        </Link>
      ))}
    </div>
  );
}
