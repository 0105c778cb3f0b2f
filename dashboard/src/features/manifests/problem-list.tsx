import { IconAlertTriangle, IconInfoCircle } from "@tabler/icons-react";

import classes from "@/features/manifests/problem-list.module.css";
import type { Problem } from "@/shared/api/api-error";

interface Props {
  problems: readonly Problem[];
  onProblem?: (problem: Problem) => void;
}

/** Problems of a manifest, each with its place, its rule and what to do. */
export function ProblemList({ problems, onProblem }: Props) {
  if (problems.length === 0) return null;
  return (
    <ul className={`panel ${classes.list}`} aria-label="Problems">
      {problems.map((problem, index) => (
        <li key={index}>
          <button type="button" className={classes.problem} disabled={onProblem === undefined} onClick={() => onProblem?.(problem)}>
            {problem.severity === "warning" ? <IconInfoCircle size={15} color="var(--status-person)" /> : <IconAlertTriangle size={15} color="var(--status-failed)" />}
            <span className={`${classes.place} numbers dim`}>{problem.line == null ? "" : `${problem.line}:${problem.column ?? 1}`}</span>
            <span>
              {problem.message ?? problem.rule} <span className="mono dim">{problem.message === undefined ? "" : problem.rule}</span>
              {problem.hint != null && <span className={classes.hint}>{problem.hint}</span>}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
