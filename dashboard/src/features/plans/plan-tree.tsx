import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";

import { formatHours } from "@/features/plans/hours";
import classes from "@/features/plans/plans-page.module.css";
import type { PlannedTask, PlanPhase, PlanTask } from "@/shared/api/plans";
import { EmptyState } from "@/shared/states/states";
import { KindMark } from "@/shared/status/kind-mark";

interface Props {
  phases: PlanPhase[];
  planned: ReadonlyMap<string, PlannedTask>;
  closed: ReadonlySet<string>;
  onToggle: (phaseId: string) => void;
  onTask: (taskId: string) => void;
}

/** Phases, their tasks, their subtasks. */
export function PlanTree({ phases, planned, closed, onToggle, onTask }: Props) {
  if (phases.length === 0) return <EmptyState title="The plan has no phases" />;
  return (
    <div className={`panel ${classes.tree}`} role="region" aria-label="Tree">
      {phases.map((phase) => (
        <div key={phase.phase_id} className={classes.phase}>
          <button type="button" className={classes.phaseHead} aria-expanded={!closed.has(phase.phase_id)} onClick={() => onToggle(phase.phase_id)}>
            {closed.has(phase.phase_id) ? <IconChevronRight size={14} aria-hidden /> : <IconChevronDown size={14} aria-hidden />}
            <span className="prose">{phase.name || phase.phase_id}</span>
            <span className="dim">{phase.tasks.length} tasks</span>
          </button>
          {!closed.has(phase.phase_id) && phase.tasks.map((task) => <TaskLine key={task.task_id} task={task} times={planned.get(task.task_id)} onTask={onTask} />)}
        </div>
      ))}
    </div>
  );
}

function TaskLine({ task, times, onTask }: { task: PlanTask; times: PlannedTask | undefined; onTask: (id: string) => void }) {
  return (
    <>
      <button type="button" className={classes.task} onClick={() => onTask(task.task_id)}>
        <span className="prose">{task.title || task.task_id}</span>
        <span className={`dim clip ${classes.wide}`}>{task.assignee_role}</span>
        <span className="dim numbers">{task.estimated_hours === null ? "" : formatHours(task.estimated_hours)}</span>
        <span className={`numbers ${classes.wide}`}>{times && <Float times={times} />}</span>
      </button>
      {task.subtasks.length > 0 && (
        <ul className={classes.subtasks}>
          {task.subtasks.map((subtask) => (
            <li key={subtask.subtask_id}>
              <KindMark kind={subtask.action === "human" ? "human" : "automated"} size={13} />
              <span className="clip">{subtask.title || subtask.subtask_id}</span>
              <span className="mono">{subtask.action}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Float({ times }: { times: PlannedTask }) {
  if (times.is_critical) return <span className={classes.critical}>critical</span>;
  return <span className="dim">{formatHours(times.total_float_hours)} float</span>;
}
