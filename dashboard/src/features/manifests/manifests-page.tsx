import { Button } from "@mantine/core";
import { IconFileCode, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import classes from "@/features/manifests/manifests-page.module.css";
import { listManifests } from "@/shared/api/manifests";
import type { Manifest } from "@/shared/api/wire";
import { Page } from "@/shared/layout/page";
import { Loaded } from "@/shared/states/loaded";
import { EmptyState } from "@/shared/states/states";
import { KindMark } from "@/shared/status/kind-mark";

export function ManifestsPage() {
  const query = useQuery(listManifests());
  return (
    <Page
      title="Manifests"
      actions={
        <Link to="/manifests/new">
          <Button component="span" leftSection={<IconPlus size={14} />}>
            Deploy
          </Button>
        </Link>
      }
    >
      <Loaded query={query}>{({ items }) => (items.length === 0 ? <Nothing /> : <Cards manifests={items} />)}</Loaded>
    </Page>
  );
}

function Nothing() {
  return (
    <EmptyState icon={<IconFileCode size={28} stroke={1.5} />} title="No manifest is in force">
      A manifest says which agents, humans and functions react to which events.{" "}
      <Link to="/manifests/new" className="link">
        Deploy one
      </Link>
      , or start the server with <span className="mono">tercet serve --manifest PATH</span>.
    </EmptyState>
  );
}

function Cards({ manifests }: { manifests: Manifest[] }) {
  return (
    <div className={classes.cards}>
      {manifests.map((manifest) => (
        <Link key={manifest.name} to="/manifests/$name" params={{ name: manifest.name }} className={`panel ${classes.card}`}>
          <span className={classes.name}>
            {manifest.name} <span className="dim">revision {manifest.revision}</span>
          </span>
          <span className={classes.about}>{manifest.description ?? "No description."}</span>
          <Counts manifest={manifest} />
          {manifest.warnings.length > 0 && <span className={classes.warning}>{manifest.warnings.length} warnings</span>}
        </Link>
      ))}
    </div>
  );
}

export function Counts({ manifest: { counts } }: { manifest: Manifest }) {
  return (
    <span className={classes.counts}>
      <span>
        <KindMark kind="agent" size={14} /> {counts.agents} agents
      </span>
      <span>
        <KindMark kind="human" size={14} /> {counts.humans} human steps
      </span>
      <span>
        <KindMark kind="automated" size={14} /> {counts.functions} functions
      </span>
      <span>
        <KindMark kind="event" size={14} /> {counts.events} events
      </span>
    </span>
  );
}
