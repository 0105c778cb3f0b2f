import { createLazyRoute } from "@tanstack/react-router";

import { ChatPage } from "@/features/chat/chat-page";

export const route = createLazyRoute("/chat")({ component: Chat });

function Chat() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return <ChatPage view={search} onView={(view) => void navigate({ search: view })} />;
}
