import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { ToolTryOut } from "@/features/tools/tool-try-out";
import classes from "@/features/tools/tools-page.module.css";
import type { Tool, ToolList } from "@/shared/api/tools";
import { listTools } from "@/shared/api/tools";
import { Page } from "@/shared/layout/page";
import { Loaded } from "@/shared/states/loaded";
import { EmptyState } from "@/shared/states/states";

/** What agents may call: what each tool takes, whether it changes the world, and a place to try it. */
export function ToolsPage() {
  const query = useQuery(listTools());
  return (
    <Page title="Tools">
      <Loaded query={query}>{(list) => (list.items.length === 0 ? <EmptyState title="No tool is registered" /> : <ToolSplit list={list} />)}</Loaded>
    </Page>
  );
}

function ToolSplit({ list }: { list: ToolList }) {
  const [name, setName] = useState(list.items[0]?.name);
  const shown = list.items.find((tool) => tool.name === name);
  return (
    <div className={classes.split}>
      <div className={`panel ${classes.list}`} role="list" aria-label="Tools">
        {list.items.map((tool) => (
          <div key={tool.name} role="listitem">
            <button type="button" className={classes.entry} aria-current={tool.name === name || undefined} onClick={() => setName(tool.name)}>
              <span className="mono">{tool.name}</span>
              <Traits tool={tool} />
            </button>
          </div>
        ))}
        <Text size="xs" c="dimmed" p="xs">
          {list.mcp_servers.length > 0 ? `MCP servers: ${list.mcp_servers.join(", ")}. ` : ""}
          More come from packages with the entry point tercet.tools and from MCP servers.
        </Text>
      </div>
      {shown && <ToolTryOut key={shown.name} tool={shown} />}
    </div>
  );
}

export function Traits({ tool }: { tool: Tool }) {
  return (
    <span className={classes.traits}>
      {tool.side_effects && <span className={classes.acts}>acts outside</span>}
      {tool.requires_approval && <span className={classes.asks}>needs approval</span>}
      <span className="dim">{tool.origin}</span>
    </span>
  );
}
