import { Loader } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import classes from "@/features/chat/chat-page.module.css";
import { InlineApproval } from "@/features/chat/inline-approval";
import type { OpenTurn } from "@/features/chat/turns";
import { executionLog, oneExecution } from "@/shared/api/executions";
import type { LogEvent } from "@/shared/api/wire";
import { useLive } from "@/shared/live/use-live";
import { hasEnded, readExecution } from "@/shared/status/status";

/** A turn at work: its text as it comes, and what a person has to decide first. */
export function OpenTurnCard({ turn }: { turn: OpenTurn }) {
  useLive({ of: "execution", executionId: turn.executionId });
  const execution = useQuery(oneExecution(turn.executionId)).data;
  const isBlocked = execution?.status === "BLOCKED";
  // Who comes later was not told of the approval; the log has it.
  const log = useQuery({ ...executionLog(turn.executionId), enabled: isBlocked && turn.approvalIds.length === 0 });
  const approvals = turn.approvalIds.length > 0 ? turn.approvalIds : isBlocked ? openApprovals(log.data ?? []) : [];
  const ended = execution !== undefined && hasEnded(execution);
  return (
    <li className={classes.message} data-role="assistant" data-open>
      {turn.text !== "" && (
        <div className={`prose ${classes.text}`} aria-live="polite">
          {turn.text}
        </div>
      )}
      {turn.reasons.length > 0 && approvals.length > 0 && <p className="dim prose">{turn.reasons.join(" ")}</p>}
      {approvals.map((id) => (
        <InlineApproval key={id} approvalId={id} />
      ))}
      <div className={classes.meta} role="status">
        {!ended && approvals.length === 0 && <Loader size={12} aria-hidden />}
        <span>{ended ? `Ended without an answer: ${readExecution(execution).label}` : approvals.length > 0 ? "Waits for a decision" : doing(turn)}</span>
        <Link to="/executions/$executionId" params={{ executionId: turn.executionId }} className="link">
          Its execution
        </Link>
      </div>
    </li>
  );
}

function doing({ phase, by, text }: OpenTurn): string {
  if (phase === "reading") return "Reads …";
  if (phase === "deciding") return "Decides …";
  return `${text === "" ? "At work" : "Writes"}${by === null ? "" : `: ${by}`} …`;
}

function openApprovals(log: readonly LogEvent[]): string[] {
  const asked = log.filter((event) => event.event_type === "approval_requested");
  return [...new Set(asked.map((event) => (event.output_data as { approval_id?: string } | null)?.approval_id))].filter((id) => id !== undefined);
}
