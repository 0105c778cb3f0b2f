import { Button, Collapse, Textarea } from "@mantine/core";
import { useEffect, useRef } from "react";

import classes from "@/features/inbox/approval-view.module.css";
import { ItemFields } from "@/features/inbox/item-fields";
import type { Deciding } from "@/features/inbox/use-deciding";
import { VerdictButtons } from "@/features/inbox/verdict-buttons";
import type { ApprovalItem } from "@/shared/api/wire";
import { readApproval } from "@/shared/status/status";
import { StatusBadge } from "@/shared/status/status-badge";
import { When } from "@/shared/time/when";

interface Props {
  item: ApprovalItem;
  index: number;
  isFocused: boolean;
  isSingle: boolean;
  deciding: Deciding;
}

/** One item: a line, and all that is in it while it has the focus. */
export function ItemCard({ item, index, isFocused, isSingle, deciding }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const wasFocused = useRef(isFocused);
  useEffect(() => {
    // Only a move scrolls: what has the focus from the start would push the head out of sight.
    if (isFocused && !wasFocused.current) place.current?.scrollIntoView({ block: "nearest" });
    wasFocused.current = isFocused;
  }, [isFocused]);
  const isOpen = item.status === "pending";
  const draft = deciding.draftOf(item);
  return (
    <div ref={place} role="listitem" className={classes.item} data-focused={isFocused || undefined} data-verdict={draft.verdict ?? undefined}>
      {!isSingle && (
        <div className={classes.itemHead}>
          <button type="button" className={classes.itemName} aria-expanded={isFocused} onClick={() => deciding.focus(item.item_id)}>
            <span className="dim numbers">{index + 1}</span>
            <span className="clip">{lineOf(item, deciding.approval.summary)}</span>
          </button>
          {Object.keys(draft.edits).length > 0 && <span className={classes.edited}>edited</span>}
          {isOpen ? <VerdictButtons verdict={draft.verdict} onVerdict={(verdict) => deciding.judge(item, verdict)} compact /> : <StatusBadge reading={readApproval(item.status)} />}
        </div>
      )}
      <Collapse expanded={isFocused} transitionDuration={120}>
        <div className={classes.itemBody}>
          <ItemFields item={item} deciding={deciding} />
          {isOpen && <ItemTools item={item} isSingle={isSingle} deciding={deciding} />}
          {!isOpen && item.decided_at !== null && (
            <p className="dim">
              by {item.decided_by ?? "nobody in time"}, <When at={item.decided_at} as="full" />
              {item.feedback !== null && `: ${item.feedback}`}
            </p>
          )}
        </div>
      </Collapse>
    </div>
  );
}

/** An item in one line: its summary fields, else its title. */
function lineOf(item: ApprovalItem, summary: string[]): string {
  const values = summary.map((field) => item.data[field]).filter((value) => value !== undefined && value !== null);
  return values.length === 0 ? item.title : values.map((value) => (typeof value === "object" ? JSON.stringify(value) : String(value as string | number))).join(" · ");
}

function ItemTools({ item, isSingle, deciding }: { item: ApprovalItem; isSingle: boolean; deciding: Deciding }) {
  const draft = deciding.draftOf(item);
  const isEditing = deciding.editing === item.item_id;
  return (
    <>
      <div className={classes.tools}>
        {isSingle && <VerdictButtons verdict={draft.verdict} onVerdict={(verdict) => deciding.judge(item, verdict)} />}
        {deciding.approval.editable.length > 0 && (
          <Button variant="default" onClick={() => deciding.setEditing(isEditing ? null : item.item_id)} aria-pressed={isEditing}>
            {isEditing ? "Show the changes" : "Edit"}
          </Button>
        )}
      </div>
      {(draft.verdict === "reject" || draft.verdict === "revise") && (
        <Textarea
          label={draft.verdict === "reject" ? "Why not?" : "What should be different?"}
          withAsterisk
          autosize
          minRows={2}
          autoFocus
          value={draft.feedback}
          onChange={(event) => deciding.write(item, { feedback: event.currentTarget.value })}
        />
      )}
    </>
  );
}
