import { Button, JsonInput, Select, Stack, Text } from "@mantine/core";
import { useState } from "react";

import classes from "@/features/manifests/send-event.module.css";
import { useSendEvent } from "@/shared/api/events";
import type { ManifestDetail } from "@/shared/api/wire";
import type { EventGraph } from "@/shared/graph/mermaid-graph";
import { sayError } from "@/shared/states/notice";

interface Props {
  manifest: ManifestDetail;
  graph: EventGraph;
  onStarted: (executionId: string) => void;
}

function readObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text.trim() === "" ? "{}" : text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** Starts an execution with one of the events that come from outside. */
export function SendEvent({ manifest, graph, onStarted }: Props) {
  const names = graph.nodes.filter((node) => node.kind === "outside").map((node) => node.label);
  const [name, setName] = useState<string | null>(names[0] ?? null);
  const [text, setText] = useState("{}");
  const send = useSendEvent();
  const data = readObject(text);
  if (names.length === 0) return <Text c="dimmed">No event of this manifest comes from outside: schedules and webhooks start it.</Text>;
  return (
    <form
      className={`panel ${classes.form}`}
      onSubmit={(event) => {
        event.preventDefault();
        if (name === null || data === null) return;
        send.mutate({ name, data, manifest: manifest.name }, { onError: sayError, onSuccess: (receipt) => onStarted(receipt.execution_id) });
      }}
    >
      <Stack gap="sm">
        <Select label="Event" data={names} value={name} onChange={setName} allowDeselect={false} size="sm" />
        <JsonInput
          label="Data"
          description="A JSON object; the manifest's schema of the event is checked by the server."
          value={text}
          onChange={setText}
          formatOnBlur
          autosize
          minRows={6}
          error={data === null ? "This is not a JSON object." : null}
          size="sm"
        />
        <Button type="submit" size="sm" loading={send.isPending} disabled={name === null || data === null} className={classes.send}>
          Send and follow it
        </Button>
      </Stack>
    </form>
  );
}
