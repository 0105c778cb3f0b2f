import { IconBolt, IconClockPlay, IconLogin2, IconRobot, IconSettings, IconUser, IconWebhook } from "@tabler/icons-react";

import type { NodeKind } from "@/shared/graph/mermaid-graph";
import classes from "@/shared/status/kind-mark.module.css";

const MARKS = {
  agent: { icon: IconRobot, label: "Agent" },
  human: { icon: IconUser, label: "Human" },
  automated: { icon: IconSettings, label: "Automated" },
  event: { icon: IconBolt, label: "Event" },
  outside: { icon: IconLogin2, label: "Event from outside" },
  cron: { icon: IconClockPlay, label: "Schedule" },
  webhook: { icon: IconWebhook, label: "Webhook" },
} satisfies Record<NodeKind, unknown>;

/** Who does it: an agent, a human or code. */
export function KindMark({ kind, size = 16 }: { kind: NodeKind; size?: number }) {
  const { icon: Icon, label } = MARKS[kind];
  return (
    <span className={classes.mark} data-kind={kind} role="img" aria-label={label} title={label}>
      <Icon size={size} stroke={1.9} aria-hidden />
    </span>
  );
}
