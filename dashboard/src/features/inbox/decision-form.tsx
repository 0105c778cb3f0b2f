import { Radio, Stack } from "@mantine/core";

import classes from "@/features/inbox/approval-view.module.css";
import type { Deciding } from "@/features/inbox/use-deciding";
import type { ApprovalDetail } from "@/shared/api/wire";
import { SchemaForm } from "@/shared/data/schema-form";

/** What the step asks for beside the verdict: a choice of the next step, and the fields of its form. */
export function DecisionForm({ approval, deciding }: { approval: ApprovalDetail; deciding: Deciding }) {
  if (approval.form === null && approval.next_step_options.length === 0) return null;
  return (
    <div className={classes.form}>
      {approval.next_step_options.length > 0 && (
        <Radio.Group label="Next step" size="xs" value={deciding.draft.option} onChange={(option) => deciding.fill({ option })}>
          <Stack gap={6} mt={6}>
            {approval.next_step_options.map((option) => (
              <Radio key={option} value={option} label={option} size="xs" />
            ))}
          </Stack>
        </Radio.Group>
      )}
      {approval.form !== null && <SchemaForm schema={approval.form} value={deciding.draft.form} onChange={(form) => deciding.fill({ form })} />}
    </div>
  );
}
