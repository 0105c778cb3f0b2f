import { Select, Stack, Table } from "@mantine/core";
import { useMemo, useState } from "react";

import type { Attempt } from "@/features/executions/one/attempts";
import { attemptsOf, textOf } from "@/features/executions/one/attempts";
import type { LogEvent, Task } from "@/shared/api/wire";
import { LineDiff } from "@/shared/data/line-diff";
import { formatDuration } from "@/shared/time/duration";
import { When } from "@/shared/time/when";

const ENDS = { complete: "completed", waits: "waits", failed: "failed", gone: "ended", runs: "runs" };

/** Each time that the task ran, and what differed from the time before. Their input is the same. */
export function AttemptsPart({ task, log }: { task: Task; log: LogEvent[] }) {
  const attempts = useMemo(() => attemptsOf(log, task.task_id), [log, task.task_id]);
  return (
    <Stack gap="xs">
      <Table verticalSpacing={4} withRowBorders={false}>
        <Table.Tbody>
          {attempts.map((attempt) => (
            <AttemptLine key={attempt.number} attempt={attempt} />
          ))}
        </Table.Tbody>
      </Table>
      {attempts.length > 1 && <Comparison attempts={attempts} />}
    </Stack>
  );
}

function AttemptLine({ attempt }: { attempt: Attempt }) {
  const took = attempt.endedAt === null ? "" : formatDuration(Date.parse(attempt.endedAt) - Date.parse(attempt.startedAt));
  return (
    <Table.Tr>
      <Table.Td className="numbers">{attempt.number}</Table.Td>
      <Table.Td>
        <When at={attempt.startedAt} as="clock" />
      </Table.Td>
      <Table.Td className="numbers dim">{took}</Table.Td>
      <Table.Td c={attempt.end === "failed" ? "var(--status-failed)" : undefined}>
        {ENDS[attempt.end]}
        {attempt.error !== null && <div className="dim prose">{attempt.error}</div>}
      </Table.Td>
    </Table.Tr>
  );
}

function Comparison({ attempts }: { attempts: Attempt[] }) {
  const [chosen, setChosen] = useState<string | null>(null);
  const after = attempts.find((one) => String(one.number) === chosen) ?? attempts.at(-1);
  const before = attempts[(after?.number ?? 0) - 2];
  if (after === undefined || before === undefined) return null;
  return (
    <>
      <Select
        aria-label="Compared attempts"
        data={attempts.slice(1).map(({ number }) => ({ value: String(number), label: `attempt ${number} against ${number - 1}` }))}
        value={String(after.number)}
        onChange={setChosen}
        allowDeselect={false}
        w={210}
      />
      <LineDiff before={textOf(before)} after={textOf(after)} label="Difference between attempts" />
    </>
  );
}
