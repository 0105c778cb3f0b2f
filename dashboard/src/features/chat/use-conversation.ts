import { useEffect, useState } from "react";

import { addEvent, EMPTY } from "@/features/chat/turns";
import type { Chat } from "@/features/chat/turns";
import { ApiError } from "@/shared/api/api-error";
import { conversationEvents } from "@/shared/api/chat";
import { waitBefore } from "@/shared/live/stream-socket";

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** A conversation as it happens. A lost connection goes on after the last message. */
export function useConversation(id: string) {
  const [chat, setChat] = useState<Chat>(EMPTY);
  const [isOpen, setOpen] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  useEffect(() => {
    const reading = new AbortController();
    void follow(id, reading.signal, { setChat, setOpen, setError });
    return () => reading.abort();
  }, [id]);
  return { chat, isOpen, error };
}

interface Told {
  setChat: (change: (before: Chat) => Chat) => void;
  setOpen: (isOpen: boolean) => void;
  setError: (error: Error | null) => void;
}

async function follow(id: string, signal: AbortSignal, { setChat, setOpen, setError }: Told): Promise<void> {
  let last = 0;
  let attempt = 0;
  const onOpen = () => {
    attempt = 0;
    setOpen(true);
    setError(null);
  };
  for (;;) {
    try {
      for await (const event of conversationEvents(id, last, signal, onOpen)) {
        if (event.event === "message.persisted") last = Number(event.data.seq);
        setChat((before) => addEvent(before, event));
      }
    } catch (problem) {
      if (signal.aborted) return;
      if (problem instanceof ApiError) setError(problem);
      if (problem instanceof ApiError && problem.status >= 400 && problem.status < 500) return;
    }
    setOpen(false);
    await pause(waitBefore(attempt), signal);
    if (signal.aborted) return;
    attempt += 1;
  }
}
