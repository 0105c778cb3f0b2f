import { Progress } from "@mantine/core";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";

import { adviceOn } from "@/features/executions/one/failure-advice";
import classes from "@/features/executions/one/plan-tab.module.css";
import { listAgents } from "@/shared/api/agents";
import type { RunPhase, RunSubtask, RunTask, RunTree } from "@/shared/api/plan-runs";
import { EmptyState } from "@/shared/states/states";
import { KindMark } from "@/shared/status/kind-mark";
import { readRunSubtask, readRunTask } from "@/shared/status/run-status";
import { StatusBadge } from "@/shared/status/status-badge";
import { formatDuration } from "@/shared/time/duration";

interface Props {
  tree: RunTree;
  onTask: (taskId: string) => void;
}

/** Phases, tasks and subtasks of the plan, with what has become of each. */
export function PlanTab({ tree, onTask }: Props) {
  const [turned, setTurned] = useState<ReadonlySet<string>>(new Set());
  const names = new Map(useQuery(listAgents()).data?.map((agent) => [agent.id, agent.name]));
  const onTurn = (id: string) => setTurned((before) => new Set(before.has(id) ? [...before].filter((one) => one !== id) : [...before, id]));
  if (tree.phases.length === 0) return <EmptyState title="The plan has no phases" />;
  return (
    <div className={`panel ${classes.tree}`} role="region" aria-label="Plan">
      {tree.phases.map((phase) => {
        const isOpen = !turned.has(phase.phase_id);
        return (
          <section key={phase.phase_id} className={classes.phase} aria-label={phase.name}>
            <button type="button" className={classes.phaseHead} aria-expanded={isOpen} onClick={() => onTurn(phase.phase_id)}>
              <Chevron isOpen={isOpen} />
              <span className="prose">{phase.name || phase.phase_id}</span>
              <span className="dim numbers">{doneOf(phase)} of {phase.tasks.length}</span>
            </button>
            {isOpen &&
              phase.tasks.map((task) => (
                <TaskLines key={task.task_id} task={task} isTurned={turned.has(`task ${task.task_id}`)} onTurn={() => onTurn(`task ${task.task_id}`)} names={names} onTask={onTask} />
              ))}
          </section>
        );
      })}
    </div>
  );
}

function doneOf(phase: RunPhase): number {
  return phase.tasks.filter((task) => task.status === "COMPLETE" || task.status === "SKIPPED").length;
}

function Chevron({ isOpen }: { isOpen: boolean }) {
  return isOpen ? <IconChevronDown size={14} aria-hidden /> : <IconChevronRight size={14} aria-hidden />;
}

interface TaskProps {
  task: RunTask;
  isTurned: boolean;
  onTurn: () => void;
  names: ReadonlyMap<string, string>;
  onTask: (taskId: string) => void;
}

/** What needs a look is open from the start: tasks at work, in trouble or waiting. */
function TaskLines({ task, isTurned, onTurn, names, onTask }: TaskProps) {
  const isOpen = ["RUNNING", "BLOCKED", "ERROR"].includes(task.status) !== isTurned;
  const id = task.execution_task_id;
  return (
    <>
      <div className={classes.task}>
        <button type="button" className={classes.turn} aria-expanded={isOpen} aria-label={`Subtasks of ${task.title || task.task_id}`} disabled={task.subtasks.length === 0} onClick={onTurn}>
          {task.subtasks.length > 0 && <Chevron isOpen={isOpen} />}
        </button>
        <button type="button" className={classes.name} disabled={id === null} onClick={() => id !== null && onTask(id)}>
          <span className="prose">{task.title || task.task_id}</span>
          {task.is_critical && <span className={classes.critical}>critical</span>}
        </button>
        <span className={classes.progress}>
          {task.subtasks_total > 0 && (
            <>
              <Progress value={task.progress_percent} size={5} aria-label={`Progress of ${task.title}`} flex={1} />
              <span className="dim numbers">{task.subtasks_completed}/{task.subtasks_total}</span>
            </>
          )}
        </span>
        <StatusBadge reading={readRunTask(task)} compact />
        <Took of={task} />
      </div>
      {task.error_message !== null && <Trouble message={task.error_message} type={null} />}
      {isOpen && (
        <ul className={classes.subtasks}>
          {task.subtasks.map((subtask) => (
            <SubtaskLine key={subtask.subtask_id} subtask={subtask} agent={names.get(subtask.agent_id ?? "") ?? subtask.agent_id} />
          ))}
        </ul>
      )}
    </>
  );
}

function SubtaskLine({ subtask, agent }: { subtask: RunSubtask; agent: string | null }) {
  const reading = readRunSubtask(subtask);
  const isHuman = subtask.action === "human";
  return (
    <li>
      <div className={classes.subtask}>
        <KindMark kind={isHuman ? "human" : "agent"} size={13} />
        <span className={classes.subtaskName}>
          <span className="prose">{subtask.title || subtask.subtask_id}</span> <span className="mono dim">{subtask.action}</span>
        </span>
        <span className="dim clip">{agent}</span>
        <span className="dim numbers">{subtask.attempt > 1 ? `${subtask.attempt} attempts` : ""}</span>
        <StatusBadge reading={reading} compact />
        <Took of={subtask} />
      </div>
      {subtask.error_message !== null && subtask.status !== "COMPLETE" && <Trouble message={subtask.error_message} type={subtask.error_type} />}
      {reading.meaning === "person" && (
        <Link to="/inbox" className={`link ${classes.next}`}>
          Decide it in the inbox
        </Link>
      )}
    </li>
  );
}

function Trouble({ message, type }: { message: string; type: string | null }) {
  return (
    <p className={classes.trouble}>
      {type !== null && <span className="mono">{type} </span>}
      <span className="prose">{message}</span> <span className="dim">{adviceOn(type)}</span>
    </p>
  );
}

function Took({ of }: { of: Pick<RunTask, "started_at" | "completed_at"> }) {
  const took = of.started_at === null || of.completed_at === null ? "" : formatDuration(Date.parse(of.completed_at) - Date.parse(of.started_at));
  return <span className={`dim numbers ${classes.took}`}>{took}</span>;
}
