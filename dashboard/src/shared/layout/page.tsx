import { Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import type { ReactNode } from "react";

import classes from "@/shared/layout/page.module.css";

interface Props {
  title: string;
  /** What stands in the browser's tab; the title when absent. */
  name?: string;
  above?: ReactNode;
  actions?: ReactNode;
  /** The page fills the window and its parts scroll by themselves. */
  fill?: boolean;
  children: ReactNode;
}

export function Page({ title, name, above, actions, fill = false, children }: Props) {
  useDocumentTitle(`${name ?? title} · Tercet`);
  return (
    <div className={classes.page} data-fill={fill || undefined}>
      <header className={classes.header}>
        <div className={classes.titles}>
          {above}
          <Title order={1} size="h3" className={classes.title}>
            {title}
          </Title>
        </div>
        {actions !== undefined && <div className={classes.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}
