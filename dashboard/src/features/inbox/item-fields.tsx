import { Link } from "@tanstack/react-router";

import classes from "@/features/inbox/approval-view.module.css";
import { FieldEditor } from "@/features/inbox/field-editor";
import type { Deciding } from "@/features/inbox/use-deciding";
import type { ApprovalItem } from "@/shared/api/wire";
import { JsonView } from "@/shared/data/json-view";
import { TextDiff } from "@/shared/data/text-diff";

/** The exact action: every field of it. What may be edited comes as text, with the edits marked. */
export function ItemFields({ item, deciding }: { item: ApprovalItem; deciding: Deciding }) {
  const { approval } = deciding;
  const editable = approval.editable.filter((field) => field in item.data);
  const rest = Object.keys(item.data).filter((field) => !editable.includes(field));
  const context = [...approval.summary.filter((field) => rest.includes(field)), ...rest.filter((field) => !approval.summary.includes(field))];
  return (
    <>
      <dl className={classes.context}>
        {context.map((field) => (
          <Value key={field} name={field} value={item.data[field]} />
        ))}
      </dl>
      {editable.map((field) => (
        <EditableField key={field} field={field} item={item} deciding={deciding} />
      ))}
      <Link to="/executions/$executionId" params={{ executionId: item.execution_id }} search={{ task: item.task_id }} className={`link ${classes.origin}`}>
        Where it comes from
      </Link>
    </>
  );
}

function Value({ name, value }: { name: string; value: unknown }) {
  const isDeep = typeof value === "object" && value !== null;
  return (
    <div data-deep={isDeep || undefined}>
      <dt>{name}</dt>
      <dd>{isDeep ? <JsonView value={value} label={name} /> : asText(value)}</dd>
    </div>
  );
}

function EditableField({ field, item, deciding }: { field: string; item: ApprovalItem; deciding: Deciding }) {
  const before = item.data[field];
  const { edits } = deciding.draftOf(item);
  const value = field in edits ? edits[field] : before;
  if (deciding.editing === item.item_id && item.status === "pending") {
    return <FieldEditor name={field} value={value} onChange={(next) => deciding.edit(item, field, next)} />;
  }
  return (
    <div className={classes.text}>
      <span className={classes.fieldName}>{field}</span>
      {field in edits ? <TextDiff before={asText(before)} after={asText(value)} /> : <p className="prose">{asText(before)}</p>}
    </div>
  );
}

export function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
