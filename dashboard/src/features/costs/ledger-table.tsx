import { Table } from "@mantine/core";
import { Link } from "@tanstack/react-router";

import classes from "@/features/costs/costs-page.module.css";
import type { LedgerGroup } from "@/shared/api/ledger";
import type { LedgerLine } from "@/shared/api/wire";
import { formatCount, formatUsd } from "@/shared/money";

const HEADS = { day: "Day", agent: "Agent", model: "Model", execution: "Execution" };
const MOST = 200;

export function LedgerTable({ lines, by }: { lines: LedgerLine[]; by: LedgerGroup }) {
  const sorted = by === "day" ? [...lines].reverse() : [...lines].sort((a, b) => b.cost_usd - a.cost_usd);
  return (
    <div className={`panel ${classes.table}`} tabIndex={0} role="region" aria-label="Ledger">
      <Table verticalSpacing={7} horizontalSpacing="md" miw={620}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{HEADS[by]}</Table.Th>
            {["Calls", "Tokens in", "Tokens out", "Reserved", "Settled"].map((head) => (
              <Table.Th key={head} className={classes.figure}>
                {head}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {sorted.slice(0, MOST).map((line) => (
            <Line key={line.key} line={line} by={by} />
          ))}
        </Table.Tbody>
        {sorted.length > MOST && <Table.Caption>The {MOST} dearest of {sorted.length}.</Table.Caption>}
      </Table>
    </div>
  );
}

function Line({ line, by }: { line: LedgerLine; by: LedgerGroup }) {
  return (
    <Table.Tr>
      <Table.Td>
        {by === "execution" ? (
          <Link to="/executions/$executionId" params={{ executionId: line.key }} className="link mono">
            {line.key}
          </Link>
        ) : (
          line.name
        )}
        {line.unpriced_calls > 0 && <span className={classes.flag}>{formatCount(line.unpriced_calls)} without a price</span>}
        {line.flagged_calls > line.unpriced_calls && (
          <span className={classes.flag}>{formatCount(line.flagged_calls - line.unpriced_calls)} with figures that do not fit</span>
        )}
      </Table.Td>
      <Table.Td className={classes.figure}>{formatCount(line.calls)}</Table.Td>
      <Table.Td className={classes.figure}>{formatCount(line.tokens_input)}</Table.Td>
      <Table.Td className={classes.figure}>{formatCount(line.tokens_output)}</Table.Td>
      <Table.Td className={classes.figure}>{formatUsd(line.reserved_usd)}</Table.Td>
      <Table.Td className={classes.figure}>{formatUsd(line.cost_usd)}</Table.Td>
    </Table.Tr>
  );
}
