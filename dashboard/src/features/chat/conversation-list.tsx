import { ActionIcon, Button, Menu } from "@mantine/core";
import { IconDots, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import classes from "@/features/chat/chat-page.module.css";
import { RenameConversation } from "@/features/chat/rename-conversation";
import type { Conversation } from "@/shared/api/chat";
import { listConversations, useDeleteConversation } from "@/shared/api/chat";
import { Loaded } from "@/shared/states/loaded";
import { sayError } from "@/shared/states/notice";
import { When } from "@/shared/time/when";

interface Props {
  projectId: string;
  chosen: string | undefined;
  onChoose: (id: string | undefined) => void;
}

export function ConversationList({ projectId, chosen, onChoose }: Props) {
  const query = useQuery(listConversations(projectId));
  const remove = useDeleteConversation(projectId);
  const [renamed, setRenamed] = useState<Conversation | null>(null);
  const onDelete = (id: string) => remove.mutate(id, { onSuccess: () => id === chosen && onChoose(undefined), onError: sayError });
  return (
    <>
      <Button variant="default" leftSection={<IconPlus size={14} />} onClick={() => onChoose("new")}>
        New chat
      </Button>
      <nav className={classes.conversations} aria-label="Conversations">
        <Loaded query={query}>
          {({ items }) =>
            items.length === 0 ? (
              <p className="dim">No conversation yet.</p>
            ) : (
              items.map((one) => <Entry key={one.conversation_id} conversation={one} isChosen={one.conversation_id === chosen} onChoose={onChoose} onRename={setRenamed} onDelete={onDelete} />)
            )
          }
        </Loaded>
      </nav>
      {renamed && <RenameConversation key={renamed.conversation_id} conversation={renamed} onDone={() => setRenamed(null)} />}
    </>
  );
}

interface EntryProps {
  conversation: Conversation;
  isChosen: boolean;
  onChoose: (id: string) => void;
  onRename: (conversation: Conversation) => void;
  onDelete: (id: string) => void;
}

function Entry({ conversation, isChosen, onChoose, onRename, onDelete }: EntryProps) {
  const id = conversation.conversation_id;
  return (
    <div className={classes.entry} data-chosen={isChosen || undefined}>
      <button type="button" className={classes.entryName} aria-current={isChosen || undefined} onClick={() => onChoose(id)}>
        <span className="clip">{conversation.title}</span>
        <span className="dim">
          <When at={conversation.updated_at} />
        </span>
      </button>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon size="sm" aria-label={`More on ${conversation.title}`}>
            <IconDots size={15} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => onRename(conversation)}>Rename</Menu.Item>
          <Menu.Item color="red" onClick={() => onDelete(id)}>
            Delete with its messages
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </div>
  );
}
