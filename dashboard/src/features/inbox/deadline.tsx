import { IconClockExclamation } from "@tabler/icons-react";

import classes from "@/features/inbox/inbox-page.module.css";
import { useNow } from "@/shared/time/use-now";
import { When } from "@/shared/time/when";

const SOON_MS = 3_600_000;

/** Until when somebody has to decide; loud within the last hour. */
export function Deadline({ at }: { at: string }) {
  const now = useNow();
  const soon = Date.parse(at) - now < SOON_MS;
  return (
    <span className={classes.deadline} data-soon={soon || undefined}>
      <IconClockExclamation size={13} aria-hidden /> due <When at={at} />
    </span>
  );
}
