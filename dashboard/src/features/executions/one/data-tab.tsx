import { Stack, Text, Title } from "@mantine/core";
import { useMemo } from "react";

import { summarizeLog } from "@/features/executions/one/log-summary";
import type { LogEvent } from "@/shared/api/wire";
import { JsonView } from "@/shared/data/json-view";
import { EmptyState } from "@/shared/states/states";
import { When } from "@/shared/time/when";

const MOST_ENDS = 50;

/** What went in and what came out: the root event, and the events that led to nothing further. */
export function DataTab({ log }: { log: LogEvent[] }) {
  const { root, ends } = useMemo(() => summarizeLog(log), [log]);
  if (root === undefined) return <EmptyState title="The log is on its way" />;
  return (
    <Stack gap="lg">
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
