import { Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import classes from "@/features/costs/costs-page.module.css";
import { costSuggestions } from "@/shared/api/ledger";
import { formatUsd } from "@/shared/money";

const DAYS = 30;

/** What would have cost less, with the figures behind it. Nothing is shown where nothing is proposed. */
export function Suggestions() {
  const items = useQuery(costSuggestions(DAYS)).data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <section aria-label="Suggestions" className={classes.suggestions}>
      <Title order={2} size="h5">
        What would have cost less in the last {DAYS} days
      </Title>
      {items.map((item) => (
        <div key={`${item.kind} ${item.agent} ${item.model}`} className={`panel ${classes.suggestion}`}>
          <div>
            <strong>{item.agent}</strong>: {item.proposal} <span className="dim">instead of {item.model}</span>
            {item.caution !== null && <p>{item.caution}</p>}
          </div>
          <div className="numbers">
            {formatUsd(item.current_usd)} → {formatUsd(item.estimated_usd)}{" "}
            <span className={classes.saving}>−{Math.round(item.saving_percent)} %</span>
          </div>
        </div>
      ))}
    </section>
  );
}
