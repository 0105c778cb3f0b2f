import { Button, Menu, Tabs } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";

import { GanttTab } from "@/features/plans/gantt-tab";
import { PlanFacts } from "@/features/plans/plan-facts";
import { PlanProblems } from "@/features/plans/plan-problems";
import { PlanTaskPanel } from "@/features/plans/plan-task-panel";
import { PlanTree } from "@/features/plans/plan-tree";
import classes from "@/features/plans/plans-page.module.css";
import { saveAs } from "@/features/plans/save-as";
import { StartPlan } from "@/features/plans/start-plan";
import type { PlanDetail, PlanFormat } from "@/shared/api/plans";
import { exportPlan, onePlan, planSchedule, useDeletePlan } from "@/shared/api/plans";
import { ConfirmButton } from "@/shared/layout/confirm-button";
import { Crumb } from "@/shared/layout/crumb";
import { Page } from "@/shared/layout/page";
import { Loaded } from "@/shared/states/loaded";
import { sayError } from "@/shared/states/notice";

export interface PlanView {
  tab?: "gantt" | "tree" | "problems";
  task?: string;
  start?: string;
}

interface Props {
  planId: string;
  view: PlanView;
  onView: (change: PlanView) => void;
  onDeleted: () => void;
  onOpen: (executionId: string) => void;
}

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

export function PlanPage({ planId, view, onView, onDeleted, onOpen }: Props) {
  const query = useQuery(onePlan(planId));
  const above = <Crumb to="/plans">Plans</Crumb>;
  return (
    <Page
      title={query.data?.title ?? "Plan"}
      above={above}
      actions={query.data && <PlanActions plan={query.data} start={view.start} onDeleted={onDeleted} onOpen={onOpen} />}
    >
      <Loaded query={query}>{(plan) => <PlanBody plan={plan} view={view} onView={onView} />}</Loaded>
    </Page>
  );
}

function PlanBody({ plan, view, onView }: { plan: PlanDetail } & Pick<Props, "view" | "onView">) {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const schedule = useQuery(planSchedule(plan.plan_id, { start: view.start, timezone: ZONE }));
  const planned = useMemo(() => new Map(schedule.data?.items.map((item) => [item.task_id, item])), [schedule.data]);
  const task = plan.plan.phases.flatMap((phase) => phase.tasks).find((one) => one.task_id === view.task);
  const onTask = (id: string) => onView({ task: id });
  const onToggle = (id: string) => setClosed((before) => (before.has(id) ? new Set([...before].filter((one) => one !== id)) : new Set([...before, id])));
  const folding = { closed, onToggle, onTask, planned };
  return (
    <>
      <PlanFacts plan={plan} schedule={schedule.data} onStart={(start) => onView({ start })} />
      <Tabs value={view.tab ?? "gantt"} onChange={(tab) => onView({ tab: tab as PlanView["tab"] })} keepMounted={false}>
        <Tabs.List className={classes.tabList}>
          <Tabs.Tab value="gantt">Gantt</Tabs.Tab>
          <Tabs.Tab value="tree">Tree</Tabs.Tab>
          <Tabs.Tab value="problems">Problems and risks {plan.problems.length + plan.plan.risks.length || ""}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="gantt">
          <Loaded query={schedule}>{() => <GanttTab plan={plan} {...folding} />}</Loaded>
        </Tabs.Panel>
        <Tabs.Panel value="tree">
          <PlanTree phases={plan.plan.phases} {...folding} />
        </Tabs.Panel>
        <Tabs.Panel value="problems">
          <PlanProblems plan={plan} />
        </Tabs.Panel>
      </Tabs>
      <PlanTaskPanel plan={plan} task={task} times={planned.get(view.task ?? "")} onTask={onTask} onClose={() => onView({ task: undefined })} />
    </>
  );
}

const FORMATS: readonly [PlanFormat, string][] = [
  ["json", "JSON, reads back as it was"],
  ["csv", "CSV, for a spreadsheet"],
  ["ical", "iCalendar, the planned times"],
];

function PlanActions({ plan, start, onDeleted, onOpen }: { plan: PlanDetail; start: string | undefined } & Pick<Props, "onDeleted" | "onOpen">) {
  const remove = useDeletePlan(plan.plan_id);
  const save = (format: PlanFormat) =>
    exportPlan(plan.plan_id, format, { start, timezone: ZONE })
      .then((content) => saveAs(content, `${plan.title}.${format === "ical" ? "ics" : format}`))
      .catch(sayError);
  return (
    <>
      <StartPlan plan={plan} onOpen={onOpen} />
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" leftSection={<IconDownload size={14} />}>
            Export
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {FORMATS.map(([format, label]) => (
            <Menu.Item key={format} onClick={() => void save(format)}>
              {label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <ConfirmButton
        label="Delete"
        question="Take this plan out of the library? Its executions and their costs stay."
        loading={remove.isPending}
        onConfirm={() => remove.mutate(undefined, { onSuccess: onDeleted, onError: sayError })}
      />
    </>
  );
}
