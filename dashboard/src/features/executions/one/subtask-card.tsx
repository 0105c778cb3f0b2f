import { Collapse, Text } from "@mantine/core";
import { useState } from "react";

import { readTurn } from "@/features/executions/one/model-turn";
import classes from "@/features/executions/one/subtask-card.module.css";
import type { Subtask } from "@/shared/api/wire";
import { JsonView } from "@/shared/data/json-view";
import { formatCount, formatUsd } from "@/shared/money";
import { readSubtask } from "@/shared/status/status";
import { StatusIcon } from "@/shared/status/status-badge";
import { formatDuration } from "@/shared/time/duration";

/** A named step; a model's turn shows model, tokens and price in its head. */
export function SubtaskCard({ step }: { step: Subtask }) {
  const [open, setOpen] = useState(false);
  const turn = readTurn(step);
  return (
    <div className={classes.card}>
      <button type="button" className={classes.head} aria-expanded={open} onClick={() => setOpen(!open)}>
        <StatusIcon reading={readSubtask(step.status)} />
        <span className="mono clip">{step.name}</span>
        {turn && (
          <span className={`${classes.turn} dim numbers clip`}>
            {turn.model} · {formatCount(turn.tokensInput)} in, {formatCount(turn.tokensOutput)} out · {formatUsd(turn.costUsd)}
            {turn.cacheReadTokens > 0 && ` · ${formatCount(turn.cacheReadTokens)} from cache`}
            {turn.unpriced && " · no known price"}
          </span>
        )}
        <span className={`${classes.took} dim numbers`}>{tookOf(step)}</span>
      </button>
      <Collapse expanded={open}>
        <div className={classes.body}>
          {turn?.content != null && <Text className={`prose ${classes.content}`}>{turn.content}</Text>}
          {turn?.toolCalls.map((call, index) => (
            <div key={index}>
              <Text size="xs" c="dimmed" mb={4}>
                calls <span className="mono">{call.name}</span>
              </Text>
              <JsonView value={call.arguments} label={`Arguments of ${call.name}`} />
            </div>
          ))}
          {step.result_data === null ? <Text size="sm" c="dimmed">No result yet.</Text> : <JsonView value={step.result_data} label={`Result of ${step.name}`} />}
        </div>
      </Collapse>
    </div>
  );
}

function tookOf(step: Subtask): string {
  if (step.started_at === null || step.completed_at === null) return "";
  return formatDuration(Date.parse(step.completed_at) - Date.parse(step.started_at));
}
