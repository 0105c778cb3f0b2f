import {
  IconAlertTriangle,
  IconBan,
  IconCheck,
  IconClock,
  IconHourglass,
  IconLoader2,
  IconPlayerPause,
  IconUser,
} from "@tabler/icons-react";

import type { Meaning, Reading } from "@/shared/status/status";
import classes from "@/shared/status/status-badge.module.css";

const ICONS = {
  queued: IconClock,
  running: IconLoader2,
  person: IconUser,
  event: IconHourglass,
  done: IconCheck,
  failed: IconAlertTriangle,
  paused: IconPlayerPause,
  cancelled: IconBan,
} satisfies Record<Meaning, unknown>;

/** Colour, sign and word together: nobody has to tell statuses by colour alone. */
export function StatusBadge({ reading, compact = false }: { reading: Reading; compact?: boolean }) {
  const Icon = ICONS[reading.meaning];
  return (
    <span className={classes.badge} data-meaning={reading.meaning} data-compact={compact || undefined}>
      <Icon size={13} stroke={2.2} aria-hidden />
      <span className={classes.label}>{reading.label}</span>
    </span>
  );
}

export function StatusIcon({ reading, size = 15 }: { reading: Reading; size?: number }) {
  const Icon = ICONS[reading.meaning];
  return (
    <span className={classes.icon} data-meaning={reading.meaning} role="img" aria-label={reading.label} title={reading.label}>
      <Icon size={size} stroke={2.2} aria-hidden />
    </span>
  );
}
