import { ActionIcon, Group, Select, Text, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch, IconX } from "@tabler/icons-react";
import { useState } from "react";

import type { ListFilter } from "@/features/executions/list/executions-page";
import type { ExecutionStatus } from "@/shared/api/wire";
import { formatCount } from "@/shared/money";

const STATUSES: { value: ExecutionStatus; label: string }[] = [
  { value: "RUNNING", label: "Running" },
  { value: "BLOCKED", label: "Waiting" },
  { value: "QUEUED", label: "Queued" },
  { value: "PAUSED", label: "Paused" },
  { value: "COMPLETED", label: "Completed" },
  { value: "FAILED", label: "Failed" },
  { value: "CANCELLED", label: "Cancelled" },
];
const KINDS = [
  { value: "manifest", label: "Manifests" },
  { value: "agent", label: "Agent calls" },
];

interface Props {
  filter: ListFilter;
  onFilter: (change: ListFilter) => void;
  shown: number | undefined;
  loaded: number | undefined;
  hasOlder: boolean;
}

export function ExecutionFilters({ filter, onFilter, shown, loaded, hasOlder }: Props) {
  return (
    <Group gap="xs" wrap="wrap">
      <TextFilter text={filter.text ?? ""} onText={(text) => onFilter({ text: text === "" ? undefined : text })} />
      <Select
        aria-label="Status"
        placeholder="Any status"
        data={STATUSES}
        value={filter.status ?? null}
        onChange={(status) => onFilter({ status: status ?? undefined })}
        clearable
        w={140}
      />
      <Select
        aria-label="Kind"
        placeholder="Any kind"
        data={KINDS}
        value={filter.kind ?? null}
        onChange={(kind) => onFilter({ kind: kind ?? undefined })}
        clearable
        w={130}
      />
      {shown !== undefined && loaded !== undefined && (
        <Text size="xs" c="dimmed" ml="auto" aria-live="polite">
          {shown === loaded ? formatCount(shown) : `${formatCount(shown)} of ${formatCount(loaded)}`}
          {hasOlder ? " newest, scroll for more" : ""}
        </Text>
      )}
    </Group>
  );
}

function TextFilter({ text, onText }: { text: string; onText: (text: string) => void }) {
  const [typed, setTyped] = useState(text);
  const report = useDebouncedCallback(onText, 150);
  const change = (next: string) => {
    setTyped(next);
    report(next.trim());
  };
  return (
    <TextInput
      aria-label="Name, id or message"
      placeholder="Name, id or message"
      leftSection={<IconSearch size={14} />}
      rightSection={
        typed !== "" && (
          <ActionIcon size="xs" onClick={() => change("")} aria-label="Clear">
            <IconX size={12} />
          </ActionIcon>
        )
      }
      value={typed}
      onChange={(event) => change(event.currentTarget.value)}
      w={240}
    />
  );
}
