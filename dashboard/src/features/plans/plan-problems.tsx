import { Title } from "@mantine/core";

import classes from "@/features/plans/plans-page.module.css";
import type { PlanDetail } from "@/shared/api/plans";
import { EmptyState } from "@/shared/states/states";

/** What the import left out or changed, and the risks that the plan itself names. */
export function PlanProblems({ plan }: { plan: PlanDetail }) {
  const { risks } = plan.plan;
  if (plan.problems.length === 0 && risks.length === 0) {
    return <EmptyState title="Nothing was left out">The import took everything, and the plan names no risks.</EmptyState>;
  }
  return (
    <div className={classes.part}>
      {plan.problems.length > 0 && (
        <section className="panel">
          <Title order={2} size="h5" px="md" pt="sm">
            Left out or changed by the import
          </Title>
          <ul className={classes.problems}>
            {plan.problems.map((problem, index) => (
              <li key={index}>
                <span className="mono dim">{problem.place}</span> <span className="prose">{problem.message}</span>
                <div className="dim">{problem.hint}</div>
              </li>
            ))}
          </ul>
        </section>
      )}
      {risks.length > 0 && (
        <section className="panel">
          <Title order={2} size="h5" px="md" pt="sm">
            Risks
          </Title>
          <ul className={classes.problems}>
            {risks.map((risk) => (
              <li key={risk.risk_id}>
                <span className="prose">{risk.description}</span>
                {risk.mitigation !== "" && <div className="dim prose">{risk.mitigation}</div>}
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}
