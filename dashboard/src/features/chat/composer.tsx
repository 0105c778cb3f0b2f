import { ActionIcon, Button, FileButton, Group, Pill, Textarea } from "@mantine/core";
import { IconPaperclip, IconSend } from "@tabler/icons-react";
import { useState } from "react";

import classes from "@/features/chat/chat-page.module.css";
import type { ProjectDocument } from "@/shared/api/chat";
import { useUploadDocument } from "@/shared/api/chat";
import { sayError } from "@/shared/states/notice";

export interface Written {
  text: string;
  documentIds: string[];
}

interface Props {
  projectId: string;
  isSending: boolean;
  /** Resolves when the message is on disk; what was written stays when it is refused. */
  onSend: (written: Written) => Promise<unknown>;
}

export function Composer({ projectId, isSending, onSend }: Props) {
  const [text, setText] = useState("");
  const [attached, setAttached] = useState<ProjectDocument[]>([]);
  const upload = useUploadDocument(projectId);
  const attach = (file: File | null) => {
    if (file === null) return;
    upload.mutate(file, { onSuccess: (one) => setAttached((before) => [...before.filter((other) => other.document_id !== one.document_id), one]), onError: sayError });
  };
  const send = () => {
    if (text.trim() === "" || isSending) return;
    onSend({ text, documentIds: attached.map((one) => one.document_id) }).then(() => {
      setText("");
      setAttached([]);
    }, sayError);
  };
  return (
    <form
      className={classes.composer}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {attached.length > 0 && (
        <Group gap={6}>
          {attached.map((one) => (
            <Pill key={one.document_id} withRemoveButton removeButtonProps={{ "aria-label": `Leave out ${one.title}` }} onRemove={() => setAttached(attached.filter((other) => other !== one))}>
              {one.title}
            </Pill>
          ))}
        </Group>
      )}
      <div className={classes.composerRow}>
        <FileButton onChange={attach} inputProps={{ "aria-label": "File to attach" }}>
          {(props) => (
            <ActionIcon {...props} size="lg" loading={upload.isPending} aria-label="Attach a document">
              <IconPaperclip size={18} stroke={1.7} />
            </ActionIcon>
          )}
        </FileButton>
        <MessageField text={text} onText={setText} onSend={send} />
        <Button type="submit" loading={isSending} disabled={text.trim() === ""} aria-label="Send" px={12}>
          <IconSend size={16} stroke={1.8} />
        </Button>
      </div>
    </form>
  );
}

/** Enter sends, Shift and Enter begins a new line; what is still being composed is left alone. */
function MessageField({ text, onText, onSend }: { text: string; onText: (text: string) => void; onSend: () => void }) {
  return (
    <Textarea
      aria-label="Message"
      placeholder="Ask, or say what to do"
      size="sm"
      autosize
      minRows={1}
      maxRows={10}
      flex={1}
      value={text}
      onChange={(event) => onText(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
        event.preventDefault();
        onSend();
      }}
    />
  );
}
