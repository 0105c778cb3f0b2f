import { useEffect, useLayoutEffect, useRef } from "react";

import classes from "@/features/chat/chat-page.module.css";
import type { Written } from "@/features/chat/composer";
import { Composer } from "@/features/chat/composer";
import { MessageCard } from "@/features/chat/message-card";
import { OpenTurnCard } from "@/features/chat/open-turn";
import type { Chat } from "@/features/chat/turns";
import { useConversation } from "@/features/chat/use-conversation";
import { usePostMessage } from "@/shared/api/chat";
import { EmptyState, ErrorState, LoadingRows } from "@/shared/states/states";

const NEAR_THE_END_PX = 120;

interface Props {
  projectId: string;
  conversationId: string;
  /** What began the conversation: sent once the server listens, so that nothing of the answer is missed. */
  first: Written | null;
  onFirstSent: () => void;
}

export function ConversationView({ projectId, conversationId, first, onFirstSent }: Props) {
  const { chat, isOpen, error } = useConversation(conversationId);
  const post = usePostMessage();
  const send = ({ text, documentIds }: Written) =>
    post.mutateAsync({
      project_id: projectId, conversation_id: conversationId, message: text,
      attachments: documentIds.map((document_id) => ({ document_id })), idempotency_key: crypto.randomUUID(),
    });
  useFirst(isOpen ? first : null, (written) => {
    onFirstSent();
    void send(written);
  });
  if (error !== null && chat.messages.length === 0) return <ErrorState error={error} />;
  return (
    <>
      <Messages chat={chat} isLoading={!isOpen && chat.messages.length === 0} />
      {post.error && chat.messages.length === 0 && <ErrorState error={post.error} />}
      <Composer projectId={projectId} isSending={post.isPending} onSend={send} />
    </>
  );
}

/** Hands the first message over once. */
function useFirst(first: Written | null, onFirst: (written: Written) => void): void {
  const sent = useRef<Written>(null);
  useEffect(() => {
    if (first === null || sent.current === first) return;
    sent.current = first;
    onFirst(first);
  });
}

function Messages({ chat, isLoading }: { chat: Chat; isLoading: boolean }) {
  const place = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  // Who reads further up is left there.
  useLayoutEffect(() => {
    if (place.current && follows.current) place.current.scrollTop = place.current.scrollHeight;
  }, [chat]);
  return (
    <div
      ref={place}
      className={classes.messages}
      tabIndex={0}
      role="log"
      aria-label="Messages"
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        follows.current = scrollHeight - scrollTop - clientHeight < NEAR_THE_END_PX;
      }}
    >
      {isLoading ? (
        <LoadingRows rows={3} height={60} />
      ) : chat.messages.length === 0 ? (
        <EmptyState title="Nothing was said yet">Messages, documents and decisions of this conversation stay here.</EmptyState>
      ) : (
        <ol className={classes.list}>
          {chat.messages.map((message) => (
            <MessageCard key={message.message_id} message={message} />
          ))}
          {chat.turns.map((turn) => (
            <OpenTurnCard key={turn.executionId} turn={turn} />
          ))}
        </ol>
      )}
    </div>
  );
}
