import { Button, Group, Textarea, Title } from "@mantine/core";
import { IconPlayerPlay } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useState } from "react";

import classes from "@/features/agents/agents-page.module.css";
import { TurnCard } from "@/features/agents/turn-card";
import { useRun } from "@/features/agents/use-run";
import type { Agent } from "@/shared/api/agents";

/** Runs the agent on an input and shows its turns and tool calls while they happen. */
export function Playground({ agent }: { agent: Agent }) {
  const [input, setInput] = useState("");
  const run = useRun(agent.id);
  const start = () => {
    if (input.trim() !== "" && !run.isRunning) void run.start(input);
  };
  return (
    <section className={`panel ${classes.box}`} aria-label="Playground">
      <Title order={2} size="h5">
        Try it
      </Title>
      <Textarea
        aria-label="Input"
        placeholder="What should it do?"
        size="sm"
        autosize
        minRows={3}
        maxRows={14}
        value={input}
        onChange={(event) => setInput(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) start();
        }}
      />
      <Group justify="space-between">
        <Button leftSection={<IconPlayerPlay size={14} />} onClick={start} loading={run.isRunning} disabled={input.trim() === "" || !agent.is_active}>
          Run
        </Button>
        {run.executionId !== null && (
          <Link to="/executions/$executionId" params={{ executionId: run.executionId }} className="link">
            Its execution
          </Link>
        )}
      </Group>
      <ol className={classes.turns} aria-live="polite">
        {run.turns.map((turn, index) => (
          <TurnCard key={index} turn={turn} />
        ))}
      </ol>
    </section>
  );
}
