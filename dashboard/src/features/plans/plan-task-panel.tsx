import { Button, Drawer, Group, Stack, Text, Title, UnstyledButton } from "@mantine/core";
import type { ReactNode } from "react";
import { useState } from "react";

import { DecomposeTask } from "@/features/plans/decompose-task";
import { formatHours } from "@/features/plans/hours";
import classes from "@/features/plans/plans-page.module.css";
import { SubtaskEditor } from "@/features/plans/subtask-editor";
import type { PlanDetail, PlannedTask, PlanTask } from "@/shared/api/plans";
import { JsonView } from "@/shared/data/json-view";
import { KindMark } from "@/shared/status/kind-mark";
import { When } from "@/shared/time/when";

const TIERS = { 1: "An agent alone", 2: "An agent, with approval", 3: "People only" };

interface Props {
  plan: PlanDetail;
  task: PlanTask | undefined;
  times: PlannedTask | undefined;
  onTask: (taskId: string) => void;
  onClose: () => void;
}

/** Everything that the plan says about one task. */
export function PlanTaskPanel({ plan, task, times, onTask, onClose }: Props) {
  return (
    <Drawer opened={task !== undefined} onClose={onClose} position="right" size={560} title={task && <Text fw={650}>{task.title || task.task_id}</Text>}>
      {task && (
        <Stack gap="lg">
          <TaskFacts task={task} times={times} />
          {task.description !== "" && (
            <Text size="sm" className="prose">
              {task.description}
            </Text>
          )}
          {task.acceptance_criteria.length > 0 && (
            <Part title="Done when">
              <ul>
                {task.acceptance_criteria.map((criterion) => (
                  <li key={criterion} className="prose">
                    {criterion}
                  </li>
                ))}
              </ul>
            </Part>
          )}
          <Neighbours plan={plan} task={task} onTask={onTask} />
          <SubtaskPart key={task.task_id} planId={plan.plan_id} task={task} />
        </Stack>
      )}
    </Drawer>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={classes.part}>
      <Title order={3} size="h6">
        {title}
      </Title>
      {children}
    </section>
  );
}

function TaskFacts({ task, times }: { task: PlanTask; times: PlannedTask | undefined }) {
  const facts: [string, ReactNode][] = [
    ["Who may", TIERS[task.risk_tier]],
    ["Role", task.assignee_role ?? "–"],
    ["Estimated", task.estimated_hours === null ? "not known" : formatHours(task.estimated_hours)],
    ["Priority", task.priority],
  ];
  if (times !== undefined) {
    facts.push(
      ["Planned start", <When key="start" at={times.planned_start} as="full" />],
      ["Planned finish", <When key="finish" at={times.planned_finish} as="full" />],
      ["Float", times.is_critical ? <span className={classes.critical}>none: critical</span> : formatHours(times.total_float_hours)],
    );
  }
  return (
    <Group gap="sm 24px">
      {facts.map(([label, value]) => (
        <div key={label} className={classes.fact}>
          <span className={classes.factLabel}>{label}</span>
          <span>{value}</span>
        </div>
      ))}
    </Group>
  );
}

function Neighbours({ plan, task, onTask }: { plan: PlanDetail; task: PlanTask; onTask: (id: string) => void }) {
  const all = plan.plan.phases.flatMap((phase) => phase.tasks);
  const links = plan.plan.dependencies;
  const before = new Set([...task.prerequisites, ...links.filter((link) => link.to === task.task_id).map((link) => link.from)]);
  const after = new Set(links.filter((link) => link.from === task.task_id).map((link) => link.to));
  const lists: [string, PlanTask[]][] = [
    ["Waits for", all.filter((one) => before.has(one.task_id))],
    ["Waited for by", all.filter((one) => after.has(one.task_id) || one.prerequisites.includes(task.task_id))],
  ];
  return lists.map(
    ([title, tasks]) =>
      tasks.length > 0 && (
        <Part key={title} title={title}>
          {tasks.map((one) => (
            <UnstyledButton key={one.task_id} className="link" fz="sm" onClick={() => onTask(one.task_id)}>
              {one.title || one.task_id}
            </UnstyledButton>
          ))}
        </Part>
      ),
  );
}

function SubtaskPart({ planId, task }: { planId: string; task: PlanTask }) {
  const [isEdited, setEdited] = useState(false);
  return (
    <Part title="Subtasks">
      {isEdited ? (
        <SubtaskEditor planId={planId} task={task} onDone={() => setEdited(false)} />
      ) : (
        <>
          {task.subtasks.length === 0 && (
            <Text size="sm" c="dimmed">
              None yet: an agent splits the task when it begins, or here.
            </Text>
          )}
          <Subtasks task={task} />
          <Button variant="default" style={{ justifySelf: "start" }} onClick={() => setEdited(true)}>
            Edit subtasks
          </Button>
          <DecomposeTask planId={planId} task={task} />
        </>
      )}
    </Part>
  );
}

function Subtasks({ task }: { task: PlanTask }) {
  return (
    <>
      {task.subtasks.map((subtask) => (
        <div key={subtask.subtask_id} className={classes.part}>
          <Group gap={8}>
            <KindMark kind={subtask.action === "human" ? "human" : "automated"} size={15} />
            <Text size="sm" className="prose" flex={1}>
              {subtask.title || subtask.subtask_id}
            </Text>
            <span className="mono dim">{subtask.action}</span>
          </Group>
          {subtask.description !== "" && (
            <Text size="sm" c="dimmed" className="prose">
              {subtask.description}
            </Text>
          )}
          {Object.keys(subtask.params).length > 0 && <JsonView value={subtask.params} label="Parameters" />}
        </div>
      ))}
    </>
  );
}
