import { IconChevronLeft } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import classes from "@/shared/layout/page.module.css";

/** The way back to the list. */
export function Crumb({ to, children }: { to: "/executions" | "/manifests" | "/plans" | "/agents"; children: ReactNode }) {
  return (
    <Link to={to} className={classes.crumb}>
      <IconChevronLeft size={13} stroke={2} aria-hidden /> {children}
    </Link>
  );
}
