import { Alert, Button, MultiSelect, Stack, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import type { Agent } from "@/shared/api/agents";
import { useCreateAgent } from "@/shared/api/agents";
import { listTools } from "@/shared/api/tools";

export function NewAgentForm({ onCreated }: { onCreated: (agent: Agent) => void }) {
  const [name, setName] = useState("");
  const [model, setModel] = useState("sonnet");
  const [instructions, setInstructions] = useState("");
  const [chosen, setChosen] = useState<string[]>([]);
  const tools = useQuery(listTools()).data?.items.map((tool) => tool.name) ?? [];
  const create = useCreateAgent();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const enabled = Object.fromEntries(chosen.map((tool) => [tool, true]));
        create.mutate({ name: name.trim(), model: model.trim(), instructions, tools: enabled }, { onSuccess: onCreated });
      }}
    >
      <Stack gap="sm">
        <TextInput label="Name" withAsterisk data-autofocus value={name} onChange={(event) => setName(event.currentTarget.value)} />
        <TextInput label="Model" description="haiku, sonnet, opus, or a model’s full name" value={model} onChange={(event) => setModel(event.currentTarget.value)} />
        <Textarea label="Instructions" size="xs" autosize minRows={4} maxRows={14} value={instructions} onChange={(event) => setInstructions(event.currentTarget.value)} />
        <MultiSelect label="Tools" size="xs" data={tools} value={chosen} onChange={setChosen} searchable />
        {create.error && (
          <Alert color="red" variant="light" p="xs" role="alert">
            {create.error.message}
          </Alert>
        )}
        <Button type="submit" loading={create.isPending} disabled={name.trim() === ""} style={{ alignSelf: "flex-start" }}>
          Register
        </Button>
      </Stack>
    </form>
  );
}
