import { IconPlugConnectedX } from "@tabler/icons-react";

import classes from "@/app/connection-banner.module.css";
import { useConnection } from "@/shared/live/use-connection";

export function ConnectionBanner() {
  if (useConnection() === "answers") return null;
  return (
    <div className={classes.banner} role="status">
      <IconPlugConnectedX size={16} aria-hidden /> The server does not answer. What you see may be old; trying again.
    </div>
  );
}
