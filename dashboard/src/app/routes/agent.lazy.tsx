import { createLazyRoute } from "@tanstack/react-router";

import { AgentPage } from "@/features/agents/agent-page";

export const route = createLazyRoute("/agents/$agentId")({ component: OneAgent });

function OneAgent() {
  const { agentId } = route.useParams();
  return <AgentPage key={agentId} agentId={agentId} />;
}
