import { Link } from "@tanstack/react-router";

import classes from "@/features/chat/chat-page.module.css";
import type { Message } from "@/shared/api/chat";
import { formatCount, formatUsd } from "@/shared/money";
import { When } from "@/shared/time/when";

const SAID = { refused: "Not done", failed: "Failed", question: "Asks back" } as const;

export function MessageCard({ message }: { message: Message }) {
  const { detail } = message;
  const kind = detail.kind ?? "response";
  const said = kind in SAID ? SAID[kind as keyof typeof SAID] : null;
  const by = [detail.template ?? detail.executor_type, detail.model].filter(Boolean).join(", ");
  return (
    <li className={classes.message} data-role={message.role} data-kind={kind}>
      {message.role === "assistant" && said !== null && (
        <span className={classes.said}>
          {said} {detail.code !== undefined && <span className="mono">{detail.code}</span>}
        </span>
      )}
      <div className={`prose ${classes.text}`}>{message.content}</div>
      {detail.sources !== undefined && detail.sources.length > 0 && (
        <ul className={classes.sources} aria-label="Sources">
          {detail.sources.map((source, index) => (
            <li key={index} className="clip">
              {source.title} <span className="dim">{source.place}</span>
            </li>
          ))}
        </ul>
      )}
      <div className={classes.meta}>
        <When at={message.created_at} />
        {message.role === "assistant" && (
          <>
            {by !== "" && <span>{by}</span>}
            {message.cost_usd !== null && <span className="numbers" title={detail.note}>{formatUsd(message.cost_usd)}{detail.note !== undefined && " (mock)"}</span>}
            {detail.tokens_output !== undefined && <span className="numbers">{formatCount((detail.tokens_input ?? 0) + detail.tokens_output)} tokens</span>}
            <Link to="/executions/$executionId" params={{ executionId: message.execution_id }} className="link">
              Its execution
            </Link>
          </>
        )}
      </div>
    </li>
  );
}
