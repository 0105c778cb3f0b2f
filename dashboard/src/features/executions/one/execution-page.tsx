import { Button, Tabs, Tooltip } from "@mantine/core";
import { IconEye, IconEyeOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";

import { DataTab } from "@/features/executions/one/data-tab";
import { EventsTab } from "@/features/executions/one/events-tab";
import { ExecutionControls } from "@/features/executions/one/execution-controls";
import { ExecutionFacts } from "@/features/executions/one/execution-facts";
import classes from "@/features/executions/one/execution-page.module.css";
import { Failures } from "@/features/executions/one/failures";
import { PlanNow } from "@/features/executions/one/plan-now";
import { PlanTab } from "@/features/executions/one/plan-tab";
import { ScheduleTab } from "@/features/executions/one/schedule-tab";
import { TaskPanel } from "@/features/executions/one/task-panel";
import { TasksTab } from "@/features/executions/one/tasks-tab";
import { TimelineTab } from "@/features/executions/one/timeline-tab";
import { TurnsTab } from "@/features/executions/one/turns-tab";
import { useExecution } from "@/features/executions/one/use-execution";
import { useRevealed } from "@/features/executions/one/use-revealed";
import type { RunTree } from "@/shared/api/plan-runs";
import { runTree } from "@/shared/api/plan-runs";
import type { ExecutionDetail, LogEvent } from "@/shared/api/wire";
import { Crumb } from "@/shared/layout/crumb";
import { Page } from "@/shared/layout/page";
import { ErrorState, LoadingRows } from "@/shared/states/states";

const GraphTab = lazy(() => import("@/features/executions/one/graph-tab"));

const PLAN_TABS = [
  ["plan", "Plan"],
  ["schedule", "Schedule"],
] as const;
const TABS = [
  ["graph", "Graph"],
  ["timeline", "Timeline"],
  ["tasks", "Tasks"],
  ["events", "Events"],
  ["turns", "Model turns"],
  ["data", "Input / output"],
] as const;
export type Tab = (typeof TABS | typeof PLAN_TABS)[number][0];

export interface View {
  tab?: Tab;
  task?: string;
  handler?: string;
}

interface Props {
  executionId: string;
  view: View;
  onView: (change: View) => void;
  onOpen: (executionId: string) => void;
}

export function ExecutionPage({ executionId, view, onView, onOpen }: Props) {
  const { detail, log: masked } = useExecution(executionId);
  const looking = useRevealed(executionId, masked.data?.at(-1)?.seq);
  const tree = useQuery({ ...runTree(executionId), enabled: detail.data?.plan_id != null });
  const above = <Crumb to="/executions">Executions</Crumb>;
  if (detail.data === undefined) {
    return (
      <Page title={executionId} above={above}>
        {detail.error ? <ErrorState error={detail.error} onRetry={() => void detail.refetch()} /> : <LoadingRows />}
      </Page>
    );
  }
  const execution = looking.data?.detail ?? detail.data;
  const log = looking.data?.log ?? masked.data ?? [];
  const task = execution.tasks.find((one) => one.task_id === view.task);
  return (
    <Page
      title={execution.name}
      name={`${execution.name} ${executionId.slice(-6)}`}
      above={above}
      actions={
        <>
          <RevealSwitch isOn={looking.isOn} isLoading={looking.isLoading} onToggle={looking.toggle} />
          <ExecutionControls execution={execution} onOpen={onOpen} />
        </>
      }
    >
      <ExecutionFacts execution={execution} />
      {tree.data && <PlanNow tree={tree.data} />}
      <Failures execution={execution} onTask={(id) => onView({ task: id })} />
      <ExecutionTabs execution={execution} log={log} tree={tree.data} view={view} onView={onView} />
      <TaskPanel execution={execution} task={task} log={log} onClose={() => onView({ task: undefined })} />
    </Page>
  );
}

function RevealSwitch({ isOn, isLoading, onToggle }: { isOn: boolean; isLoading: boolean; onToggle: () => void }) {
  return (
    <Tooltip label={isOn ? "Masks e-mail addresses and phone numbers again" : "E-mail addresses and phone numbers as they are. That you looked is recorded."} multiline maw={260}>
      <Button
        variant={isOn ? "light" : "default"}
        leftSection={isOn ? <IconEyeOff size={14} /> : <IconEye size={14} />}
        loading={isLoading}
        aria-pressed={isOn}
        onClick={onToggle}
      >
        {isOn ? "Mask personal data" : "Show personal data"}
      </Button>
    </Tooltip>
  );
}

interface TabsProps {
  execution: ExecutionDetail;
  log: LogEvent[];
  tree: RunTree | undefined;
  view: View;
  onView: (change: View) => void;
}

function ExecutionTabs({ execution, log, tree, view, onView }: TabsProps) {
  const isPlan = execution.plan_id !== null;
  const tabs = isPlan ? [...PLAN_TABS, ...TABS.filter(([value]) => value !== "graph")] : TABS;
  const onTask = (id: string) => onView({ task: id });
  const onHandler = (handler: string | undefined) => onView({ tab: "tasks", handler });
  return (
    <Tabs value={view.tab ?? (isPlan ? "plan" : "graph")} onChange={(tab) => onView({ tab: tab as Tab })} keepMounted={false} className={classes.tabs}>
      <Tabs.List className={classes.tabList}>
        {tabs.map(([value, label]) => (
          <Tabs.Tab key={value} value={value}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {isPlan && <PlanPanels tree={tree} onTask={onTask} />}
      <Tabs.Panel value="graph">
        <Suspense fallback={<LoadingRows />}>
          <GraphTab execution={execution} log={log} onHandler={onHandler} />
        </Suspense>
      </Tabs.Panel>
      <Tabs.Panel value="timeline">
        <TimelineTab execution={execution} log={log} onTask={onTask} />
      </Tabs.Panel>
      <Tabs.Panel value="tasks">
        <TasksTab execution={execution} handler={view.handler} onHandler={onHandler} onTask={onTask} />
      </Tabs.Panel>
      <Tabs.Panel value="events">
        <EventsTab log={log} onTask={onTask} />
      </Tabs.Panel>
      <Tabs.Panel value="turns">
        <TurnsTab execution={execution} onTask={onTask} />
      </Tabs.Panel>
      <Tabs.Panel value="data">
        <DataTab log={log} retryOf={execution.retry_of} />
      </Tabs.Panel>
    </Tabs>
  );
}

function PlanPanels({ tree, onTask }: { tree: RunTree | undefined; onTask: (taskId: string) => void }) {
  return (
    <>
      <Tabs.Panel value="plan">{tree ? <PlanTab tree={tree} onTask={onTask} /> : <LoadingRows />}</Tabs.Panel>
      <Tabs.Panel value="schedule">{tree ? <ScheduleTab tree={tree} onTask={onTask} /> : <LoadingRows />}</Tabs.Panel>
    </>
  );
}
