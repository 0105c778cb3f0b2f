import { Button, Group, Modal, TextInput } from "@mantine/core";
import { useState } from "react";

import type { Conversation } from "@/shared/api/chat";
import { useRenameConversation } from "@/shared/api/chat";
import { sayError } from "@/shared/states/notice";

export function RenameConversation({ conversation, onDone }: { conversation: Conversation; onDone: () => void }) {
  const [title, setTitle] = useState(conversation.title);
  const rename = useRenameConversation(conversation.project_id);
  return (
    <Modal opened onClose={onDone} title="Rename the conversation">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          rename.mutate({ id: conversation.conversation_id, title: title.trim() }, { onSuccess: onDone, onError: sayError });
        }}
      >
        <Group align="flex-end">
          <TextInput label="Title" flex={1} data-autofocus value={title} maxLength={200} onChange={(event) => setTitle(event.currentTarget.value)} />
          <Button type="submit" loading={rename.isPending} disabled={title.trim() === ""}>
            Rename
          </Button>
        </Group>
      </form>
    </Modal>
  );
}
