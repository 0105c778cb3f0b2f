import { ActionIcon, CopyButton, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";

/** An id in full or by its last letters, with a button that copies it whole. */
export function CopyableId({ id, short = false }: { id: string; short?: boolean }) {
  const shown = short && id.length > 14 ? `${id.slice(0, 4)}…${id.slice(-6)}` : id;
  return (
    <span style={{ display: "inline-flex", alignItems: "center", gap: 2, minWidth: 0 }}>
      <span className="mono dim clip" title={id}>
        {shown}
      </span>
      <Copy text={id} label="Copy the id" />
    </span>
  );
}

export function Copy({ text, label }: { text: string; label: string }) {
  return (
    <CopyButton value={text} timeout={1_200}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? "Copied" : label}>
          <ActionIcon size="sm" onClick={copy} aria-label={label}>
            {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}
