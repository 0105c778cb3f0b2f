import { IconArrowBackUp, IconCheck, IconX } from "@tabler/icons-react";

import classes from "@/features/inbox/approval-view.module.css";
import type { Verdict } from "@/shared/api/approvals";

const VERDICTS = [
  { verdict: "approve", label: "Approve", keys: "a", icon: IconCheck },
  { verdict: "reject", label: "Reject", keys: "r", icon: IconX },
  { verdict: "revise", label: "Send back", keys: "s", icon: IconArrowBackUp },
] as const;

interface Props {
  verdict: Verdict | null;
  onVerdict: (verdict: Verdict | null) => void;
  compact?: boolean;
}

/** Pressing the chosen one again takes it back. */
export function VerdictButtons({ verdict, onVerdict, compact = false }: Props) {
  return (
    <div className={classes.verdicts} role="group" aria-label="Verdict" data-compact={compact || undefined}>
      {VERDICTS.map(({ verdict: value, label, keys, icon: Icon }) => (
        <button
          key={value}
          type="button"
          className={classes.verdict}
          data-verdict={value}
          aria-pressed={verdict === value}
          aria-label={label}
          title={`${label} (${keys})`}
          onClick={() => onVerdict(verdict === value ? null : value)}
        >
          <Icon size={15} stroke={2.2} aria-hidden />
          <span className={classes.verdictLabel}>{label}</span>
        </button>
      ))}
    </div>
  );
}
