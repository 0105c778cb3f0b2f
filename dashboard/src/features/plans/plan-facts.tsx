import { TextInput } from "@mantine/core";
import type { ReactNode } from "react";

import { formatHours } from "@/features/plans/hours";
import classes from "@/features/plans/plans-page.module.css";
import type { PlanDetail, PlanSchedule } from "@/shared/api/plans";
import { formatCount } from "@/shared/money";

const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });

interface Props {
  plan: PlanDetail;
  schedule: PlanSchedule | undefined;
  onStart: (day: string | undefined) => void;
}

export function PlanFacts({ plan, schedule, onStart }: Props) {
  const finish = schedule?.items.reduce((latest, item) => (item.planned_finish > latest ? item.planned_finish : latest), "");
  return (
    <section className={`panel ${classes.facts}`} aria-label="Figures">
      <Fact label="Phases">{formatCount(plan.phases_total)}</Fact>
      <Fact label="Tasks">{formatCount(plan.tasks_total)}</Fact>
      <Fact label="Subtasks">{formatCount(plan.subtasks_total)}</Fact>
      <Fact label="Dependencies">{formatCount(plan.dependencies_total)}</Fact>
      <Fact label="Working time">{schedule ? formatHours(schedule.total_hours) : "–"}</Fact>
      <Fact label="Critical tasks">{schedule ? formatCount(schedule.critical_path.length) : "–"}</Fact>
      <Fact label="Ends">{finish ? DAY.format(new Date(finish)) : "–"}</Fact>
      <TextInput
        type="date"
        label="Starts"
        classNames={{ label: classes.factLabel }}
        value={schedule?.start ?? ""}
        onChange={(event) => onStart(event.currentTarget.value || undefined)}
      />
      {plan.goal !== "" && (
        <p className={`${classes.goal} prose`} tabIndex={0}>
          {plan.goal}
        </p>
      )}
    </section>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <span className={classes.factLabel}>{label}</span>
      <span className="numbers">{children}</span>
    </div>
  );
}
