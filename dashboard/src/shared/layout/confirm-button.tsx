import { Button, Group, Popover, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { ReactNode } from "react";
import { useState } from "react";

interface Props {
  label: ReactNode;
  question: string;
  /** Asks for a reason in a field of this name. */
  reason?: string;
  disabled?: boolean;
  loading?: boolean;
  onConfirm: (reason: string) => void;
}

/** For what cannot be taken back: says what will happen and asks once. */
export function ConfirmButton({ label, question, reason, disabled = false, loading = false, onConfirm }: Props) {
  const [opened, { toggle, close }] = useDisclosure();
  const [text, setText] = useState("");
  return (
    <Popover opened={opened} onChange={close} trapFocus withArrow shadow="md" width={300} position="bottom-end">
      <Popover.Target>
        <Button variant="default" disabled={disabled} loading={loading} onClick={toggle} c={disabled ? undefined : "var(--status-failed)"}>
          {label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Text size="sm" mb="xs">
          {question}
        </Text>
        {reason !== undefined && (
          <TextInput label={reason} value={text} onChange={(event) => setText(event.currentTarget.value)} mb="sm" />
        )}
        <Group gap="xs" justify="flex-end">
          <Button variant="default" onClick={close}>
            Keep
          </Button>
          <Button
            color="red"
            onClick={() => {
              close();
              onConfirm(text);
            }}
          >
            {label}
          </Button>
        </Group>
      </Popover.Dropdown>
    </Popover>
  );
}
