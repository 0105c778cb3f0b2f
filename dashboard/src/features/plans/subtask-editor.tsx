import { ActionIcon, Alert, Button, Group, SegmentedControl, Stack, Textarea, TextInput } from "@mantine/core";
import { IconArrowUp, IconPlus, IconTrash } from "@tabler/icons-react";
import { useState } from "react";

import classes from "@/features/plans/subtask-editor.module.css";
import type { Draft } from "@/features/plans/subtask-edits";
import { changed, freshId, raised, readDrafts } from "@/features/plans/subtask-edits";
import { useEditSubtasks } from "@/shared/api/plan-runs";
import type { PlanTask } from "@/shared/api/plans";

interface Props {
  planId: string;
  task: PlanTask;
  onDone: () => void;
}

/** The subtasks as a form, or whole as JSON. */
export function SubtaskEditor({ planId, task, onDone }: Props) {
  const [drafts, setDrafts] = useState<Draft[]>(task.subtasks);
  const [text, setText] = useState<string | null>(null);
  const edit = useEditSubtasks(planId, task.task_id);
  const read = text === null ? drafts : readDrafts(text);
  const problem = typeof read === "string" ? read : null;
  const show = (view: string) => {
    if (view === "json") setText(JSON.stringify(drafts, null, 2));
    else if (typeof read !== "string") {
      setDrafts(read);
      setText(null);
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (typeof read !== "string") edit.mutate(read, { onSuccess: onDone });
      }}
    >
      <Stack gap="xs">
        <SegmentedControl size="xs" data={[{ value: "form", label: "Form" }, { value: "json", label: "JSON" }]} value={text === null ? "form" : "json"} onChange={show} style={{ alignSelf: "flex-start" }} />
        {text === null ? (
          <Rows drafts={drafts} taskId={task.task_id} onDrafts={setDrafts} />
        ) : (
          <Textarea aria-label="Subtasks as JSON" value={text} onChange={(event) => setText(event.currentTarget.value)} autosize minRows={8} maxRows={24} error={problem} classNames={{ input: "mono" }} spellCheck={false} />
        )}
        {edit.error && (
          <Alert color="red" variant="light" p="xs" role="alert">
            {edit.error.message}
          </Alert>
        )}
        <Group gap="xs">
          <Button type="submit" loading={edit.isPending} disabled={problem !== null}>
            Save subtasks
          </Button>
          <Button variant="subtle" onClick={onDone}>
            Leave as they were
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Rows({ drafts, taskId, onDrafts }: { drafts: Draft[]; taskId: string; onDrafts: (drafts: Draft[]) => void }) {
  return (
    <>
      {drafts.map((draft, index) => (
        <div key={draft.subtask_id} className={classes.row}>
          <TextInput label="Title" size="xs" value={draft.title ?? ""} onChange={(event) => onDrafts(changed(drafts, index, { title: event.currentTarget.value }))} />
          <TextInput label="Action" size="xs" value={draft.action ?? ""} onChange={(event) => onDrafts(changed(drafts, index, { action: event.currentTarget.value }))} />
          <Group gap={2} wrap="nowrap">
            <ActionIcon aria-label={`Move ${draft.title ?? draft.subtask_id} up`} disabled={index === 0} onClick={() => onDrafts(raised(drafts, index))}>
              <IconArrowUp size={15} />
            </ActionIcon>
            <ActionIcon aria-label={`Remove ${draft.title ?? draft.subtask_id}`} onClick={() => onDrafts(drafts.filter((_, at) => at !== index))}>
              <IconTrash size={15} />
            </ActionIcon>
          </Group>
        </div>
      ))}
      <Button variant="default" leftSection={<IconPlus size={14} />} style={{ alignSelf: "flex-start" }} onClick={() => onDrafts([...drafts, { subtask_id: freshId(taskId, drafts), title: "", action: "human" }])}>
        Add a subtask
      </Button>
    </>
  );
}
