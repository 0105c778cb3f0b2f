import { Switch, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { AgentFiguresBox } from "@/features/agents/agent-figures-box";
import classes from "@/features/agents/agents-page.module.css";
import { Playground } from "@/features/agents/playground";
import type { Agent } from "@/shared/api/agents";
import { oneAgent, useChangeAgent } from "@/shared/api/agents";
import { JsonView } from "@/shared/data/json-view";
import { Crumb } from "@/shared/layout/crumb";
import { Page } from "@/shared/layout/page";
import { Loaded } from "@/shared/states/loaded";
import { sayError } from "@/shared/states/notice";

export function AgentPage({ agentId }: { agentId: string }) {
  const query = useQuery(oneAgent(agentId));
  return (
    <Page title={query.data?.name ?? "Agent"} above={<Crumb to="/agents">Agents</Crumb>} actions={query.data && <ActiveSwitch agent={query.data} />}>
      <Loaded query={query}>
        {(agent) => (
          <div className={classes.columns}>
            <Playground agent={agent} />
            <div className={classes.turns}>
              <AgentFiguresBox agentId={agent.id} />
              <Configuration agent={agent} />
            </div>
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function ActiveSwitch({ agent }: { agent: Agent }) {
  const change = useChangeAgent(agent.id);
  return (
    <Switch
      label={agent.is_active ? "takes runs" : "paused"}
      checked={agent.is_active}
      disabled={change.isPending}
      onChange={(event) => change.mutate({ is_active: event.currentTarget.checked }, { onError: sayError })}
    />
  );
}

function Configuration({ agent }: { agent: Agent }) {
  const { instructions, ...rest } = agent;
  return (
    <section className={`panel ${classes.box}`} aria-label="Configuration">
      <Title order={2} size="h5">
        Configuration
      </Title>
      {instructions !== "" && (
        <Text size="sm" className="prose">
          {instructions}
        </Text>
      )}
      <JsonView value={rest} label="Configuration" />
    </section>
  );
}
