import { UnstyledButton } from "@mantine/core";
import {
  IconChecklist,
  IconCoin,
  IconFileCode,
  IconHome,
  IconInbox,
  IconLogout,
  IconMessages,
  IconRobot,
  IconSettings,
  IconTimelineEvent,
  IconTool,
} from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import classes from "@/app/navigation.module.css";
import { listApprovals } from "@/shared/api/approvals";
import { forgetToken } from "@/shared/auth/token";
import { useLive } from "@/shared/live/use-live";

const PLACES = [
  { to: "/", label: "Home", icon: IconHome },
  { to: "/inbox", label: "Inbox", icon: IconInbox },
  { to: "/executions", label: "Executions", icon: IconTimelineEvent },
  { to: "/manifests", label: "Manifests", icon: IconFileCode },
  { to: "/plans", label: "Plans", icon: IconChecklist },
  { to: "/agents", label: "Agents", icon: IconRobot },
  { to: "/chat", label: "Chat", icon: IconMessages },
  { to: "/tools", label: "Tools", icon: IconTool },
  { to: "/costs", label: "Costs", icon: IconCoin },
  { to: "/settings", label: "Settings", icon: IconSettings },
] as const;

export function Navigation({ onLeave }: { onLeave: () => void }) {
  return (
    <nav className={classes.list} aria-label="Main">
      {PLACES.map(({ to, label, icon: Icon }) => (
        <Link key={to} to={to} className={classes.place} activeOptions={{ exact: to === "/", includeSearch: false }} onClick={onLeave}>
          <Icon size={18} stroke={1.7} aria-hidden />
          <span>{label}</span>
          {to === "/inbox" && <Waiting />}
        </Link>
      ))}
      <span className={classes.gap} />
      <UnstyledButton className={classes.place} onClick={forgetToken}>
        <IconLogout size={18} stroke={1.7} aria-hidden />
        <span>Sign out</span>
      </UnstyledButton>
    </nav>
  );
}

/** How many approvals wait, as seen from every page. */
function Waiting(): ReactNode {
  useLive({ of: "lists" });
  const pending = useQuery(listApprovals("pending")).data?.items.length ?? 0;
  if (pending === 0) return null;
  return (
    <span className={classes.count} aria-label={`${pending} waiting`}>
      {pending >= 500 ? "500+" : pending}
    </span>
  );
}
