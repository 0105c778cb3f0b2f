import { createLazyRoute } from "@tanstack/react-router";

import { InboxPage } from "@/features/inbox/inbox-page";

export const route = createLazyRoute("/inbox")({ component: Inbox });

function Inbox() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <InboxPage
      status={search.status ?? "pending"}
      approvalId={search.approval ?? null}
      onStatus={(status) => void navigate({ search: { status }, replace: true })}
      onOpen={(approval) => void navigate({ search: { ...search, approval: approval ?? undefined } })}
    />
  );
}
