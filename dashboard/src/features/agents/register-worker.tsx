import { Alert, Button, Stack, TagsInput, Text, TextInput } from "@mantine/core";
import { useState } from "react";

import classes from "@/features/agents/workers.module.css";
import type { RegisteredWorker } from "@/shared/api/workers";
import { useRegisterWorker } from "@/shared/api/workers";
import { Copy } from "@/shared/data/copyable";

/** Registers a program that asks for work; its key is shown once. */
export function RegisterWorker() {
  const [name, setName] = useState("");
  const [role, setRole] = useState("");
  const [webhook, setWebhook] = useState("");
  const [capabilities, setCapabilities] = useState<string[]>([]);
  const register = useRegisterWorker();
  if (register.data) return <Registered worker={register.data} />;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        register.mutate({ name: name.trim(), capabilities, role: role.trim() || undefined, webhook_url: webhook.trim() || undefined });
      }}
    >
      <Stack gap="sm">
        <TextInput label="Name" withAsterisk data-autofocus value={name} onChange={(event) => setName(event.currentTarget.value)} />
        <TagsInput label="Capabilities" withAsterisk size="xs" description="The actions of subtasks that it can do; Enter after each. * stands for all." value={capabilities} onChange={setCapabilities} />
        <TextInput label="Role" value={role} onChange={(event) => setRole(event.currentTarget.value)} />
        <TextInput label="Webhook" description="Told when there is work; without one the worker asks." placeholder="https://" value={webhook} onChange={(event) => setWebhook(event.currentTarget.value)} />
        {register.error && (
          <Alert color="red" variant="light" p="xs" role="alert">
            {register.error.message}
          </Alert>
        )}
        <Button type="submit" loading={register.isPending} disabled={name.trim() === "" || capabilities.length === 0} style={{ alignSelf: "flex-start" }}>
          Register
        </Button>
      </Stack>
    </form>
  );
}

function Registered({ worker }: { worker: RegisteredWorker }) {
  return (
    <Stack gap="sm">
      <Text size="sm">{worker.name} is registered. Keep what follows now: it is not shown again.</Text>
      <Secret label="Key" value={worker.api_key} />
      {worker.webhook_secret !== undefined && <Secret label="Secret of the webhook" value={worker.webhook_secret} />}
      <Text size="sm">
        It asks for work at <span className="mono prose">{worker.poll_endpoint}</span>
      </Text>
    </Stack>
  );
}

function Secret({ label, value }: { label: string; value: string }) {
  return (
    <div className={classes.secret} role="group" aria-label={label}>
      <span className="dim">{label}</span>
      <code className="prose">{value}</code>
      <Copy text={value} label={`Copy: ${label.toLowerCase()}`} />
    </div>
  );
}
