import { Table } from "@mantine/core";
import { useMemo } from "react";

import type { TurnOfTask } from "@/features/executions/one/model-turn";
import { turnsOf } from "@/features/executions/one/model-turn";
import classes from "@/features/executions/one/turns-tab.module.css";
import type { ExecutionDetail } from "@/shared/api/wire";
import { formatCount, formatUsd } from "@/shared/money";
import { EmptyState } from "@/shared/states/states";
import { formatDuration } from "@/shared/time/duration";
import { When } from "@/shared/time/when";

const MOST = 300;

/** What models were asked and what it cost, turn by turn; a turn opens its task, which has the whole conversation. */
export function TurnsTab({ execution, onTask }: { execution: ExecutionDetail; onTask: (taskId: string) => void }) {
  const turns = useMemo(() => turnsOf(execution.tasks), [execution.tasks]);
  if (turns.length === 0) return <EmptyState title="No model was asked">Turns of agents appear here, each with its tokens, its price and its tool calls.</EmptyState>;
  return (
    <div className={`panel ${classes.scroll}`} role="region" aria-label="Model turns" tabIndex={0}>
      <Table verticalSpacing={6} horizontalSpacing="md" miw={860} highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Began</Table.Th>
            <Table.Th>Turn</Table.Th>
            <Table.Th>Model</Table.Th>
            <Table.Th>Answer</Table.Th>
            {["In", "From cache", "Out", "Cost", "Took"].map((head) => (
              <Table.Th key={head} className={classes.figure}>
                {head}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {turns.slice(0, MOST).map((one) => (
            <Turn key={one.step.subtask_id} one={one} onTask={onTask} />
          ))}
        </Table.Tbody>
        {turns.length > MOST && <Table.Caption>The first {MOST} of {formatCount(turns.length)}; the others are with their tasks.</Table.Caption>}
      </Table>
    </div>
  );
}

function Turn({ one: { task, step, turn }, onTask }: { one: TurnOfTask; onTask: (taskId: string) => void }) {
  const took = step.started_at === null || step.completed_at === null ? null : Date.parse(step.completed_at) - Date.parse(step.started_at);
  return (
    <Table.Tr>
      <Table.Td className="dim">{step.started_at !== null && <When at={step.started_at} as="clock" />}</Table.Td>
      <Table.Td>
        <button type="button" className={`link ${classes.open}`} onClick={() => onTask(task.task_id)}>
          {task.handler}
        </button>{" "}
        <span className="mono dim">{step.name}</span>
      </Table.Td>
      <Table.Td className="mono">{turn.model}</Table.Td>
      <Table.Td className={classes.answer}>
        {turn.toolCalls.map((call, index) => (
          <span key={index} className={`mono ${classes.call}`}>
            {call.name}()
          </span>
        ))}
        <span className="dim">{turn.content?.slice(0, 120)}</span>
      </Table.Td>
      {[turn.tokensInput, turn.cacheReadTokens, turn.tokensOutput].map((count, index) => (
        <Table.Td key={index} className={classes.figure}>
          {formatCount(count)}
        </Table.Td>
      ))}
      <Table.Td className={classes.figure}>{turn.unpriced ? <span className={classes.unpriced}>no known price</span> : formatUsd(turn.costUsd)}</Table.Td>
      <Table.Td className={classes.figure}>{took === null ? "" : formatDuration(took)}</Table.Td>
    </Table.Tr>
  );
}
