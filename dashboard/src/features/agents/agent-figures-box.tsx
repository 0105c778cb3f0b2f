import { Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import classes from "@/features/agents/agents-page.module.css";
import { agentFigures } from "@/shared/api/agents";
import { formatCount, formatShortCount, formatUsd } from "@/shared/money";
import { Loaded } from "@/shared/states/loaded";
import { formatDuration } from "@/shared/time/duration";

export function AgentFiguresBox({ agentId }: { agentId: string }) {
  const query = useQuery(agentFigures(agentId));
  return (
    <section className={`panel ${classes.box}`} aria-label="Figures">
      <Title order={2} size="h5">
        Figures
      </Title>
      <Loaded query={query}>
        {(figures) => {
          const shown: [string, string][] = [
            ["Runs", formatCount(figures.runs)],
            ["Succeeded", figures.success_rate === null ? "–" : `${Math.round(figures.success_rate * 100)} %`],
            ["On average", figures.mean_seconds === null ? "–" : formatDuration(figures.mean_seconds * 1_000)],
            ["Cost", formatUsd(figures.cost_usd)],
            ["A run", figures.mean_cost_usd === null ? "–" : formatUsd(figures.mean_cost_usd)],
            ["Tokens", formatShortCount(figures.tokens_used)],
            ...Object.entries(figures.errors_by_type).map(([type, count]): [string, string] => [type, formatCount(count)]),
            ...figures.tools.map((tool): [string, string] => [`${tool.tool}, ${tool.outcome}`, formatCount(tool.calls)]),
          ];
          return (
            <div className={classes.figures}>
              {shown.map(([label, value]) => (
                <div key={label}>
                  <span>{label}</span>
                  {value}
                </div>
              ))}
            </div>
          );
        }}
      </Loaded>
    </section>
  );
}
