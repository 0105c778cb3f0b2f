import { Link } from "@tanstack/react-router";

import classes from "@/features/executions/one/plan-tab.module.css";
import type { RunTree } from "@/shared/api/plan-runs";
import { KindMark } from "@/shared/status/kind-mark";
import { readRunTask } from "@/shared/status/run-status";
import { StatusBadge } from "@/shared/status/status-badge";

const MOST = 3;

/** Which plan this is, and what it is doing now. */
export function PlanNow({ tree }: { tree: RunTree }) {
  const current = tree.phases.flatMap((phase) => phase.tasks).filter((task) => task.status === "RUNNING" || task.status === "BLOCKED");
  return (
    <section className={`panel ${classes.now}`} aria-label="Now">
      <span>
        <span className="dim">Plan</span>
        <Link to="/plans/$planId" params={{ planId: tree.plan_id }} className="link prose">
          {tree.title}
        </Link>
      </span>
      {current.slice(0, MOST).map((task) => {
        const subtask = task.subtasks.find((one) => one.status === "RUNNING" || one.status === "BLOCKED");
        return (
          <span key={task.task_id}>
            <StatusBadge reading={readRunTask(task)} compact />
            <span className="prose">{task.title || task.task_id}</span>
            {subtask && <KindMark kind={subtask.action === "human" ? "human" : "agent"} size={13} />}
            {subtask && <span className="dim clip">{subtask.title || subtask.subtask_id}</span>}
          </span>
        );
      })}
      {current.length === 0 && <span className="dim">No task is at work.</span>}
      {current.length > MOST && <span className="dim">and {current.length - MOST} more</span>}
    </section>
  );
}
