import { Checkbox } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { memo } from "react";

import classes from "@/features/executions/list/execution-table.module.css";
import type { Execution } from "@/shared/api/wire";
import { hasEnded, readExecution } from "@/shared/status/status";
import { StatusBadge } from "@/shared/status/status-badge";
import { formatDuration } from "@/shared/time/duration";
import { useNow } from "@/shared/time/use-now";
import { When } from "@/shared/time/when";

interface Props {
  row: Execution;
  narrow: boolean;
  checked: boolean;
  onToggle: (id: string) => void;
}

export const ExecutionRow = memo(ExecutionRowView, (before, after) => {
  // Polling brings equal rows as new objects: what did not change is not drawn again.
  const same = before.row.updated_at === after.row.updated_at && before.row.execution_id === after.row.execution_id;
  return same && before.checked === after.checked && before.narrow === after.narrow;
});

function ExecutionRowView({ row, narrow, checked, onToggle }: Props) {
  const check = <Checkbox aria-label={`Choose ${row.name} ${row.execution_id}`} checked={checked} onChange={() => onToggle(row.execution_id)} />;
  const name = (
    <Link to="/executions/$executionId" params={{ executionId: row.execution_id }} className={classes.name}>
      <span className="clip">{row.name}</span>
      <span className="mono dim">{row.execution_id.slice(-6)}</span>
      {row.retry_of !== null && <span className={classes.tag}>retry</span>}
    </Link>
  );
  if (narrow) return <NarrowRow row={row} check={check} name={name} checked={checked} />;
  return (
    <div className={classes.row} role="row" data-chosen={checked || undefined}>
      <span role="cell">{check}</span>
      <span role="cell">
        <StatusBadge reading={readExecution(row)} />
      </span>
      <span role="cell" className="clip">
        {name}
      </span>
      <span role="cell">
        <Progress row={row} />
      </span>
      <span role="cell" className="clip dim" title={row.status_message ?? undefined}>
        {row.status_message}
      </span>
      <span role="cell" className="dim">
        <When at={row.created_at} />
      </span>
      <span role="cell" className="dim numbers">
        <Took row={row} />
      </span>
    </div>
  );
}

function NarrowRow({ row, check, name, checked }: { row: Execution; check: React.ReactNode; name: React.ReactNode; checked: boolean }) {
  return (
    <div className={classes.card} role="row" data-chosen={checked || undefined}>
      <span role="cell">{check}</span>
      <span role="cell" className="clip">
        {name}
        <span className={`${classes.second} dim clip`}>
          <When at={row.created_at} /> {row.status_message}
        </span>
      </span>
      <span role="cell">
        <StatusBadge reading={readExecution(row)} compact />
      </span>
    </div>
  );
}

function Progress({ row }: { row: Execution }) {
  const { tasks_completed: done, tasks_total: total, percent } = row.progress;
  return (
    <span className={classes.progress} title={`${done} of ${total} tasks`}>
      <span className={classes.track} aria-hidden>
        <span style={{ width: `${percent}%` }} data-meaning={readExecution(row).meaning} />
      </span>
      <span className="numbers dim">
        {done}/{total}
      </span>
    </span>
  );
}

function Took({ row }: { row: Execution }) {
  if (row.started_at === null) return "–";
  if (!hasEnded(row)) return <SoFar since={row.started_at} />;
  return formatDuration(Date.parse(row.completed_at ?? row.updated_at) - Date.parse(row.started_at));
}

function SoFar({ since }: { since: string }) {
  const now = useNow();
  return formatDuration(Math.max(0, now - Date.parse(since)));
}
