import { Switch, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import classes from "@/features/agents/workers.module.css";
import type { Agent } from "@/shared/api/agents";
import { listAgents, useChangeAgent } from "@/shared/api/agents";
import { sayError } from "@/shared/states/notice";
import { KindMark } from "@/shared/status/kind-mark";
import { When } from "@/shared/time/when";
import { useNow } from "@/shared/time/use-now";

const SILENT_AFTER_MS = 5 * 60_000;
const ASK_AGAIN_MS = 10_000;
const MOST_SHOWN = 8;

/** Programs elsewhere that ask for the work of plans: what they can do, and when they were last heard of. */
export function Workers() {
  // A poll for work is no event of an execution: nothing would tell of it.
  const workers = useQuery({ ...listAgents(), refetchInterval: ASK_AGAIN_MS }).data?.filter((agent) => agent.is_worker) ?? [];
  if (workers.length === 0) return null;
  return (
    <section aria-label="Agent workers" className={classes.workers}>
      <Title order={2} size="h5">
        Agent workers
      </Title>
      <ul className={`panel ${classes.list}`}>
        {workers.map((worker) => (
          <WorkerLine key={worker.id} worker={worker} />
        ))}
      </ul>
    </section>
  );
}

function WorkerLine({ worker }: { worker: Agent }) {
  const change = useChangeAgent(worker.id);
  const actions = worker.capabilities?.map((one) => one.action) ?? [];
  return (
    <li className={classes.line}>
      <div className={classes.name}>
        <KindMark kind="agent" size={15} />
        <Link to="/agents/$agentId" params={{ agentId: worker.id }} className="link prose">
          {worker.name}
        </Link>
        <span className="dim clip">{worker.role}</span>
      </div>
      <div className={classes.actions} aria-label="Capabilities">
        {actions.slice(0, MOST_SHOWN).map((action) => (
          <span key={action} className={`mono clip ${classes.action}`}>
            {action === "*" ? "everything" : action}
          </span>
        ))}
        {actions.length > MOST_SHOWN && <span className="dim">and {actions.length - MOST_SHOWN} more</span>}
      </div>
      <Heartbeat at={worker.last_heartbeat ?? null} />
      <Switch
        size="xs"
        label={worker.is_active ? "takes work" : "paused"}
        aria-label={`${worker.name} takes work`}
        checked={worker.is_active}
        disabled={change.isPending}
        onChange={(event) => change.mutate({ is_active: event.currentTarget.checked }, { onError: sayError })}
      />
    </li>
  );
}

function Heartbeat({ at }: { at: string | null }) {
  const now = useNow();
  if (at === null) return <span className="dim">never heard of</span>;
  const isSilent = now - Date.parse(at) > SILENT_AFTER_MS;
  return (
    <span className={classes.heartbeat} data-silent={isSilent || undefined}>
      {isSilent ? "silent, last heard " : "heard "}
      <When at={at} />
    </span>
  );
}
