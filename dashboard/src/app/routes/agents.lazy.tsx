import { createLazyRoute } from "@tanstack/react-router";

import { AgentsPage } from "@/features/agents/agents-page";

export const route = createLazyRoute("/agents")({ component: Agents });

function Agents() {
  const navigate = route.useNavigate();
  return <AgentsPage onOpen={(agentId) => void navigate({ to: "/agents/$agentId", params: { agentId } })} />;
}
