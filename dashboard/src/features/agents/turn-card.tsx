import { Link } from "@tanstack/react-router";

import classes from "@/features/agents/agents-page.module.css";
import type { Turn } from "@/features/agents/turns";
import { JsonView } from "@/shared/data/json-view";
import { formatCount, formatUsd } from "@/shared/money";

export function TurnCard({ turn }: { turn: Turn }) {
  return (
    <li className={classes.turn} data-kind={turn.kind}>
      <div className={classes.turnHead}>{headOf(turn)}</div>
      {turn.kind === "tool" ? (
        <div className={classes.turns}>
          <JsonView value={turn.arguments} label="Arguments" />
          {turn.outcome && <JsonView value={turn.outcome.result} label="Result" />}
        </div>
      ) : (
        <span className="prose">{turn.text}</span>
      )}
      {turn.kind === "waiting" && (
        <Link to="/inbox" className="link">
          {" "}
          To the inbox
        </Link>
      )}
    </li>
  );
}

function headOf(turn: Turn): string {
  switch (turn.kind) {
    case "text":
      return "Says";
    case "tool":
      return `Calls ${turn.tool}${turn.outcome === null ? " …" : turn.outcome.success ? "" : ": failed"}`;
    case "answer":
      return `Answer, ${formatCount(turn.tokens)} tokens, ${formatUsd(turn.costUsd)}`;
    case "waiting":
      return "Waits for a person";
    case "failure":
      return "Failed";
  }
}
