import { Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { FirstSteps } from "@/features/home/first-steps";
import classes from "@/features/home/home-page.module.css";
import { SpendDays } from "@/features/home/spend-days";
import { Throughput } from "@/features/home/throughput";
import { listApprovals } from "@/shared/api/approvals";
import { newestExecutions } from "@/shared/api/executions";
import type { Approval, Execution } from "@/shared/api/wire";
import { Page } from "@/shared/layout/page";
import { useLive } from "@/shared/live/use-live";
import { Loaded } from "@/shared/states/loaded";
import { hasEnded, readExecution } from "@/shared/status/status";
import { StatusBadge } from "@/shared/status/status-badge";
import { When } from "@/shared/time/when";

const MOST = 6;
const NEWEST = 200;

/** What runs, what waits for people, what failed, what it costs. */
export function HomePage() {
  useLive({ of: "lists" });
  const executions = useQuery(newestExecutions({}));
  const approvals = useQuery(listApprovals("pending"));
  return (
    <Page title="Home">
      <Loaded query={executions}>
        {({ items }) =>
          items.length === 0 ? <FirstSteps /> : <Overview executions={items} approvals={approvals.data?.items ?? []} />
        }
      </Loaded>
    </Page>
  );
}

function Overview({ executions, approvals }: { executions: Execution[]; approvals: Approval[] }) {
  const open = executions.filter((one) => !hasEnded(one));
  const failed = executions.filter((one) => readExecution(one).meaning === "failed");
  const running = open.filter((one) => ["running", "queued"].includes(readExecution(one).meaning));
  const more = executions.length >= NEWEST ? `of the newest ${NEWEST}` : "";
  return (
    <>
      <div className={classes.figures}>
        <Figure label="Wait for a person" value={approvals.length} to="/inbox" meaning="person" />
        <Figure label="Running" value={running.length} to="/executions" search={{ status: "RUNNING" }} meaning="running" more={more} />
        <Figure label="Open" value={open.length} to="/executions" search={{ status: "BLOCKED" }} meaning="event" more={more} />
        <Figure label="Failed" value={failed.length} to="/executions" search={failedSearch(failed)} meaning="failed" more={more} />
      </div>
      <div className={classes.columns}>
        <Box title="Waits for you" to="/inbox">
          {approvals.length === 0 && <None>Nothing waits for a person.</None>}
          {approvals.slice(0, MOST).map((one) => (
            <Link key={one.approval_id} to="/inbox" search={{ approval: one.approval_id }} className={classes.line}>
              <span className="clip">{one.title}</span>
              <span className="dim numbers">{one.items_open} open</span>
              <span className={`dim ${classes.time}`}>
                <When at={one.created_at} />
              </span>
            </Link>
          ))}
        </Box>
        <Box title="Failed" to="/executions">
          {failed.length === 0 && <None>Nothing has failed.</None>}
          {failed.slice(0, MOST).map((one) => (
            <ExecutionLine key={one.execution_id} execution={one} />
          ))}
        </Box>
        <Box title="Throughput, last 24 hours" to="/executions">
          <Throughput />
        </Box>
        <Box title="Spend, last 14 days" to="/costs">
          <SpendDays />
        </Box>
        <Box title="Newest" wide to="/executions">
          {executions.slice(0, MOST).map((one) => (
            <ExecutionLine key={one.execution_id} execution={one} />
          ))}
        </Box>
      </div>
    </>
  );
}

interface Search {
  status: "RUNNING" | "BLOCKED" | "FAILED";
  text?: string;
}

/** An execution whose tasks failed stays open until somebody retries or gives up: it is BLOCKED, not FAILED. */
function failedSearch(failed: Execution[]): Search {
  return failed.some((one) => one.status === "BLOCKED") ? { status: "BLOCKED", text: "failed" } : { status: "FAILED" };
}

interface FigureProps {
  label: string;
  value: number;
  to: "/inbox" | "/executions";
  search?: Search;
  meaning: string;
  more?: string;
}

function Figure({ label, value, to, search, meaning, more = "" }: FigureProps) {
  return (
    <Link to={to} search={search ?? {}} className={`panel ${classes.figure}`} data-meaning={value > 0 ? meaning : undefined}>
      <span className={classes.value}>{value}</span>
      <span>
        {label} <span className="dim">{more}</span>
      </span>
    </Link>
  );
}

interface BoxProps {
  title: string;
  to: "/inbox" | "/executions" | "/costs";
  /** Takes the whole row. */
  wide?: boolean;
  children: ReactNode;
}

function Box({ title, to, wide = false, children }: BoxProps) {
  return (
    <section className={`panel ${classes.box}`} data-wide={wide || undefined} aria-label={title}>
      <header className={classes.boxHead}>
        <Title order={2} size="h5">
          {title}
        </Title>
        <Link to={to} className="link">
          All
        </Link>
      </header>
      {children}
    </section>
  );
}

function None({ children }: { children: ReactNode }) {
  return (
    <Text size="sm" c="dimmed" p="md">
      {children}
    </Text>
  );
}

function ExecutionLine({ execution }: { execution: Execution }) {
  return (
    <Link to="/executions/$executionId" params={{ executionId: execution.execution_id }} className={classes.line}>
      <span className="clip">
        {execution.name} <span className="mono dim">{execution.execution_id.slice(-6)}</span>
      </span>
      <StatusBadge reading={readExecution(execution)} compact />
      <span className={`dim ${classes.time}`}>
        <When at={execution.created_at} />
      </span>
    </Link>
  );
}
