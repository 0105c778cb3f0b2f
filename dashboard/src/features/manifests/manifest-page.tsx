import { Tabs, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";

import classes from "@/features/manifests/manifests-page.module.css";
import { Counts } from "@/features/manifests/manifests-page";
import { ProblemList } from "@/features/manifests/problem-list";
import { Revisions } from "@/features/manifests/revisions";
import { SendEvent } from "@/features/manifests/send-event";
import { manifestGraph, oneManifest } from "@/shared/api/manifests";
import type { ManifestDetail } from "@/shared/api/wire";
import { Copy } from "@/shared/data/copyable";
import { Crumb } from "@/shared/layout/crumb";
import { Page } from "@/shared/layout/page";
import { Loaded } from "@/shared/states/loaded";
import { LoadingRows } from "@/shared/states/states";

const GraphView = lazy(() => import("@/features/manifests/graph-view"));
const SourceEditor = lazy(() => import("@/features/manifests/source-editor"));

const TABS = [
  ["graph", "Graph"],
  ["source", "Source"],
  ["revisions", "Revisions"],
  ["send", "Send an event"],
] as const;
export type ManifestTab = (typeof TABS)[number][0];

interface Props {
  name: string;
  tab: ManifestTab;
  onTab: (tab: ManifestTab) => void;
  onStarted: (executionId: string) => void;
}

export function ManifestPage({ name, tab, onTab, onStarted }: Props) {
  const query = useQuery(oneManifest(name));
  return (
    <Page title={name} above={<Crumb to="/manifests">Manifests</Crumb>}>
      <Loaded query={query}>
        {(manifest) => (
          <>
            {manifest.description !== null && (
              <Text size="sm" c="dimmed" maw={860} className="prose">
                {manifest.description.trim()}
              </Text>
            )}
            <Counts manifest={manifest} />
            <ProblemList problems={manifest.warnings} />
            <ManifestTabs manifest={manifest} tab={tab} onTab={onTab} onStarted={onStarted} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function ManifestTabs({ manifest, tab, onTab, onStarted }: Omit<Props, "name"> & { manifest: ManifestDetail }) {
  const graph = useQuery(manifestGraph(manifest.name));
  return (
    <Tabs value={tab} onChange={(value) => onTab(value as ManifestTab)} keepMounted={false}>
      <Tabs.List mb="sm" className={classes.tabList}>
        {TABS.map(([value, label]) => (
          <Tabs.Tab key={value} value={value}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Suspense fallback={<LoadingRows />}>
        <Tabs.Panel value="graph">
          <Loaded query={graph}>{(shape) => <GraphView name={manifest.name} graph={shape} />}</Loaded>
        </Tabs.Panel>
        <Tabs.Panel value="source">
          <div style={{ position: "relative" }}>
            <div style={{ position: "absolute", top: 6, right: 18, zIndex: 2 }}>
              <Copy text={manifest.source} label="Copy the source" />
            </div>
            <SourceEditor source={manifest.source} problems={manifest.warnings} readOnly />
          </div>
        </Tabs.Panel>
        <Tabs.Panel value="revisions">
          <Revisions manifest={manifest} />
        </Tabs.Panel>
        <Tabs.Panel value="send">
          <Loaded query={graph}>{(shape) => <SendEvent manifest={manifest} graph={shape} onStarted={onStarted} />}</Loaded>
        </Tabs.Panel>
      </Suspense>
    </Tabs>
  );
}
