import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import classes from "@/features/executions/one/execution-page.module.css";
import type { ExecutionDetail } from "@/shared/api/wire";
import { CopyableId } from "@/shared/data/copyable";
import { formatShortCount, formatUsd } from "@/shared/money";
import { hasEnded, readExecution } from "@/shared/status/status";
import { StatusBadge } from "@/shared/status/status-badge";
import { formatDuration } from "@/shared/time/duration";
import { useNow } from "@/shared/time/use-now";
import { When } from "@/shared/time/when";

/** The figures of an execution in one line. */
export function ExecutionFacts({ execution }: { execution: ExecutionDetail }) {
  const { costs, progress } = execution;
  return (
    <section className={`panel ${classes.facts}`} aria-label="Figures">
      <Fact label="Status">
        <StatusBadge reading={readExecution(execution)} />
        {execution.pause_requested && execution.status !== "PAUSED" && <span className="dim"> pausing …</span>}
      </Fact>
      <Fact label="Progress">
        {progress.percent} % <span className="dim">{progress.tasks_completed} of {progress.tasks_total} tasks</span>
      </Fact>
      <Fact label="Started">
        <When at={execution.started_at ?? execution.created_at} />
      </Fact>
      <Fact label={hasEnded(execution) ? "Took" : "Runs since"}>
        <Length execution={execution} />
      </Fact>
      <Fact label={costs.models === "mock" ? "Cost (mock)" : "Cost"}>
        <span title={costs.note ?? undefined}>{formatUsd(costs.cost_usd)}</span> <span className="dim">{costs.calls} calls</span>
      </Fact>
      <Fact label="Tokens">
        {formatShortCount(costs.total_tokens)}{" "}
        <span className="dim">
          {formatShortCount(costs.tokens_input)} in, {formatShortCount(costs.tokens_output)} out
        </span>
      </Fact>
      <Fact label="Id">
        <CopyableId id={execution.execution_id} short />
      </Fact>
      {execution.retry_of !== null && (
        <Fact label="Retry of">
          <Link to="/executions/$executionId" params={{ executionId: execution.retry_of }} className="link mono">
            {execution.retry_of.slice(-6)}
          </Link>
        </Fact>
      )}
      {execution.status_message !== null && <p className={classes.message}>{execution.status_message}</p>}
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

function Length({ execution }: { execution: ExecutionDetail }) {
  const now = useNow();
  const from = Date.parse(execution.started_at ?? execution.created_at);
  const to = hasEnded(execution) ? Date.parse(execution.completed_at ?? execution.updated_at) : now;
  return formatDuration(Math.max(0, to - from));
}
