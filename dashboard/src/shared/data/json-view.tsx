import { useMemo } from "react";

import { Copy } from "@/shared/data/copyable";
import { JsonTree } from "@/shared/data/json-tree";
import classes from "@/shared/data/json-view.module.css";

/** A value as the server shows it, foldable. */
export function JsonView({ value, label }: { value: unknown; label: string }) {
  const text = useMemo(() => JSON.stringify(value, null, 2), [value]);
  return (
    <div className={classes.view} role="group" aria-label={label}>
      <div className={classes.tools}>
        <Copy text={text} label="Copy as JSON" />
      </div>
      <div className={classes.scroll} tabIndex={0} role="region" aria-label={label}>
        <JsonTree value={value} />
      </div>
    </div>
  );
}
