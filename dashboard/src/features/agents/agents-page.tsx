import { Button, Modal } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlus, IconRobot } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import classes from "@/features/agents/agents-page.module.css";
import { NewAgentForm } from "@/features/agents/new-agent-form";
import { RegisterWorker } from "@/features/agents/register-worker";
import { Workers } from "@/features/agents/workers";
import type { Agent } from "@/shared/api/agents";
import { listAgents } from "@/shared/api/agents";
import { Page } from "@/shared/layout/page";
import { Loaded } from "@/shared/states/loaded";
import { EmptyState } from "@/shared/states/states";
import { KindMark } from "@/shared/status/kind-mark";

/** The registry: agents that can be run by name. Agents of manifests are with their manifests. */
export function AgentsPage({ onOpen }: { onOpen: (agentId: string) => void }) {
  const query = useQuery(listAgents());
  const [opened, { open, close }] = useDisclosure();
  const [registering, register] = useDisclosure();
  return (
    <Page
      title="Agents"
      actions={
        <>
          <Button variant="default" leftSection={<IconPlus size={14} />} onClick={register.open}>
            Register a worker
          </Button>
          <Button leftSection={<IconPlus size={14} />} onClick={open}>
            Register
          </Button>
        </>
      }
    >
      <Loaded query={query}>{(agents) => (agents.length === 0 ? <Nothing /> : <Cards agents={agents.filter((agent) => !agent.is_worker)} />)}</Loaded>
      <Workers />
      <Modal opened={opened} onClose={close} title="Register an agent" size="lg">
        <NewAgentForm onCreated={(agent) => onOpen(agent.id)} />
      </Modal>
      <Modal opened={registering} onClose={register.close} title="Register an agent worker" size="lg">
        <RegisterWorker />
      </Modal>
    </Page>
  );
}

function Nothing() {
  return (
    <EmptyState icon={<IconRobot size={28} stroke={1.5} />} title="No agent is registered">
      An agent is a model with instructions, tools and limits. Register one here, over HTTP, or describe it in a manifest.
    </EmptyState>
  );
}

function Cards({ agents }: { agents: Agent[] }) {
  return (
    <div className={classes.cards}>
      {agents.map((agent) => (
        <Link key={agent.id} to="/agents/$agentId" params={{ agentId: agent.id }} className={`panel ${classes.card}`}>
          <span className={classes.name}>
            <KindMark kind="agent" /> {agent.name} {!agent.is_active && <span className={classes.off}>paused</span>}
          </span>
          <span className={classes.about}>{agent.description || agent.role || agent.instructions || "No instructions."}</span>
          <span className="dim">
            <span className="mono">{agent.model}</span>, {Object.keys(agent.tools).length} tools, revision {agent.revision}
          </span>
        </Link>
      ))}
    </div>
  );
}
