import { Box, Button, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";

import { summarizeLog } from "@/features/executions/one/log-summary";
import { executionLog } from "@/shared/api/executions";
import type { LogEvent } from "@/shared/api/wire";
import { JsonView } from "@/shared/data/json-view";
import { LineDiff } from "@/shared/data/line-diff";
import { EmptyState, ErrorState } from "@/shared/states/states";
import { When } from "@/shared/time/when";

const MOST_ENDS = 50;

/** What went in and what came out: the root event, and the events that led to nothing further. */
export function DataTab({ log, retryOf }: { log: LogEvent[]; retryOf: string | null }) {
  const { root, ends } = useMemo(() => summarizeLog(log), [log]);
  if (root === undefined) return <EmptyState title="The log is on its way" />;
  return (
    <Stack gap="lg">
      {retryOf !== null && <AgainstRetried log={log} retryOf={retryOf} />}
      <section>
        <Heading title={`Input: ${root.name ?? "event"}`} event={root} />
        <JsonView value={root.output_data} label="Input" />
      </section>
      <section>
        <Title order={2} size="h5" mb={6}>
          Output
        </Title>
        {ends.length === 0 && <Text c="dimmed">No event has left it yet.</Text>}
        <Stack gap="sm">
          {ends.slice(-MOST_ENDS).map((event) => (
            <div key={event.seq}>
              <Heading title={event.name ?? "event"} event={event} />
              <JsonView value={event.output_data} label={event.name ?? "Output"} />
            </div>
          ))}
        </Stack>
      </section>
    </Stack>
  );
}

/** What went in and came out this time against the execution that this one tries again. */
function AgainstRetried({ log, retryOf }: { log: LogEvent[]; retryOf: string }) {
  const [isShown, setShown] = useState(false);
  const before = useQuery({ ...executionLog(retryOf), enabled: isShown });
  return (
    <section>
      <Button variant="default" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
        {isShown ? "Hide" : "Compare with"} the execution before it
      </Button>
      {isShown && before.isError && <ErrorState error={before.error} />}
      {isShown && before.data !== undefined && (
        <Box mt="xs">
          <LineDiff before={dataText(before.data)} after={dataText(log)} label="Difference from the execution before" />
        </Box>
      )}
    </section>
  );
}

function dataText(log: LogEvent[]): string {
  const { root, ends } = summarizeLog(log);
  const output = ends.slice(-MOST_ENDS).map((event) => ({ [event.name ?? "event"]: event.output_data }));
  return JSON.stringify({ input: { [root?.name ?? "event"]: root?.output_data }, output }, null, 2);
}

function Heading({ title, event }: { title: string; event: LogEvent }) {
  return (
    <Text size="sm" fw={600} mb={4}>
      {title}{" "}
      <Text span size="xs" c="dimmed" fw={400}>
        by {event.agent_id ?? "nobody"}, <When at={event.timestamp} as="full" />
      </Text>
    </Text>
  );
}
