import { ActionIcon, Tooltip } from "@mantine/core";
import { IconEye, IconEyeOff } from "@tabler/icons-react";
import { useMemo, useState } from "react";

import { Copy } from "@/shared/data/copyable";
import { JsonTree } from "@/shared/data/json-tree";
import classes from "@/shared/data/json-view.module.css";
import { hasPersonalData, maskValue } from "@/shared/data/mask";

/** A value as it is, foldable; e-mail addresses and phone numbers are masked until somebody asks for them. */
export function JsonView({ value, label }: { value: unknown; label: string }) {
  const [revealed, setRevealed] = useState(false);
  const text = useMemo(() => JSON.stringify(value, null, 2), [value]);
  const personal = useMemo(() => hasPersonalData(text), [text]);
  const shown = useMemo(() => (personal && !revealed ? maskValue(value) : value), [value, personal, revealed]);
  return (
    <div className={classes.view} role="group" aria-label={label}>
      <div className={classes.tools}>
        {personal && (
          <Tooltip label={revealed ? "Mask personal data" : "Show personal data"}>
            <ActionIcon size="sm" onClick={() => setRevealed(!revealed)} aria-pressed={revealed} aria-label="Show personal data">
              {revealed ? <IconEyeOff size={14} /> : <IconEye size={14} />}
            </ActionIcon>
          </Tooltip>
        )}
        <Copy text={text} label="Copy as JSON" />
      </div>
      <div className={classes.scroll} tabIndex={0} role="region" aria-label={label}>
        <JsonTree value={shown} />
      </div>
    </div>
  );
}
