import { Alert, Button, Code, MultiSelect, SegmentedControl, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";

import type { Channel, NoticeEvent } from "@/shared/api/webhooks";
import { NOTICE_EVENTS, useRegisterWebhook } from "@/shared/api/webhooks";
import { Copy } from "@/shared/data/copyable";

const CHANNELS = [
  { value: "webhook", label: "Webhook" },
  { value: "email", label: "E-mail" },
  { value: "slack", label: "Slack" },
];
const FIELDS = {
  webhook: { label: "Address", placeholder: "https://example.org/hook", description: "Each notice is a signed POST (Standard Webhooks)." },
  email: { label: "E-mail address", placeholder: "ada@example.org", description: "Each notice is a short e-mail with a link." },
  slack: { label: "Incoming webhook of Slack", placeholder: "https://hooks.slack.com/services/…", description: "Kept encrypted; only its host is shown again." },
};

export function NewWebhookForm({ onDone }: { onDone: () => void }) {
  const [channel, setChannel] = useState<Channel>("webhook");
  const [target, setTarget] = useState("");
  const [events, setEvents] = useState<string[]>([]);
  const register = useRegisterWebhook();
  const field = FIELDS[channel];
  if (register.data?.secret !== undefined) return <Secret secret={register.data.secret} onDone={onDone} />;
  const send = () => {
    const place = channel === "email" ? { target: target.trim() } : { url: target.trim() };
    const chosen = events.length > 0 ? { events: events as NoticeEvent[] } : {};
    register.mutate({ channel, ...place, ...chosen }, { onSuccess: (made) => made.secret === undefined && onDone() });
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Stack gap="sm">
        <SegmentedControl aria-label="Channel" data={CHANNELS} value={channel} onChange={(value) => setChannel(value as Channel)} />
        <TextInput {...field} withAsterisk data-autofocus value={target} onChange={(event) => setTarget(event.currentTarget.value)} />
        <MultiSelect
          label="Hears of"
          size="xs"
          placeholder={events.length === 0 ? "Everything" : undefined}
          data={NOTICE_EVENTS}
          value={events}
          onChange={setEvents}
          clearable
        />
        {register.error && (
          <Alert color="red" variant="light" p="xs" role="alert">
            {register.error.message}
          </Alert>
        )}
        <Button type="submit" loading={register.isPending} disabled={target.trim() === ""} style={{ alignSelf: "flex-start" }}>
          Add
        </Button>
      </Stack>
    </form>
  );
}

function Secret({ secret, onDone }: { secret: string; onDone: () => void }) {
  return (
    <Stack gap="sm">
      <Text size="sm">The receiver checks each notice with this secret. It is shown now and never again.</Text>
      <div style={{ display: "flex", gap: 8, alignItems: "center" }}>
        <Code block style={{ flex: 1, overflowWrap: "anywhere", whiteSpace: "pre-wrap" }}>
          {secret}
        </Code>
        <Copy text={secret} label="Copy the secret" />
      </div>
      <Button onClick={onDone} style={{ alignSelf: "flex-start" }}>
        I have kept it
      </Button>
    </Stack>
  );
}
