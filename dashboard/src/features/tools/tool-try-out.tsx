import { Alert, Button, Checkbox, Text, Title } from "@mantine/core";
import { useState } from "react";

import { Traits } from "@/features/tools/tools-page";
import classes from "@/features/tools/tools-page.module.css";
import type { Tool, ToolOutcome } from "@/shared/api/tools";
import { useTryTool } from "@/shared/api/tools";
import { JsonView } from "@/shared/data/json-view";
import { SchemaForm } from "@/shared/data/schema-form";
import { formatDuration } from "@/shared/time/duration";

/** A form from the tool's schema; what changes the world has to be confirmed. */
export function ToolTryOut({ tool }: { tool: Tool }) {
  const [values, setValues] = useState<Record<string, unknown>>({});
  const [confirmed, setConfirmed] = useState(false);
  const attempt = useTryTool(tool.name);
  return (
    <section className={`panel ${classes.tool}`} aria-label={tool.name}>
      <div>
        <Title order={2} size="h4" className="mono">
          {tool.name}
        </Title>
        <Traits tool={tool} />
      </div>
      <Text size="sm">{tool.description}</Text>
      <Text size="xs" c="dimmed">
        Version {tool.version}, at most {formatDuration(tool.timeout_seconds * 1_000)} a call, permission <span className="mono">{tool.permission}</span>
        {tool.cache_ttl_seconds > 0 && `, results are kept for ${formatDuration(tool.cache_ttl_seconds * 1_000)}`}
      </Text>
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          attempt.mutate({ arguments: values, confirm: confirmed });
        }}
      >
        <SchemaForm schema={tool.input_schema} value={values} onChange={setValues} />
        {tool.side_effects && <Checkbox label="Do it for real: this call changes something outside" checked={confirmed} onChange={(event) => setConfirmed(event.currentTarget.checked)} />}
        <Button type="submit" loading={attempt.isPending} style={{ justifySelf: "start" }}>
          Try it
        </Button>
      </form>
      {attempt.error && (
        <Alert color="red" variant="light" p="xs" role="alert">
          {attempt.error.message}
        </Alert>
      )}
      {attempt.data && <Outcome outcome={attempt.data} />}
    </section>
  );
}

function Outcome({ outcome }: { outcome: ToolOutcome }) {
  return (
    <div role="status">
      <Text size="sm" fw={600} c={outcome.success ? "var(--status-done)" : "var(--status-failed)"} mb={6}>
        {outcome.success ? "It worked" : `${outcome.code ?? "It failed"}: ${outcome.error ?? ""}`}
        {outcome.duration_ms !== undefined && ` in ${formatDuration(outcome.duration_ms)}`}
      </Text>
      {outcome.result !== undefined && <JsonView value={outcome.result} label="Result" />}
    </div>
  );
}
