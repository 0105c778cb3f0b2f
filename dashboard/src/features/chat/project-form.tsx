import { Alert, Button, Group, Stack, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";

import type { Project } from "@/shared/api/chat";
import { useDeleteProject, useSaveProject } from "@/shared/api/chat";
import { ConfirmButton } from "@/shared/layout/confirm-button";
import { sayError } from "@/shared/states/notice";

interface Props {
  project: Project | null;
  onSaved: (project: Project) => void;
  onDeleted?: () => void;
}

/** A project's name and what its chats keep in mind. */
export function ProjectForm({ project, onSaved, onDeleted }: Props) {
  const [name, setName] = useState(project?.name ?? "");
  const [instructions, setInstructions] = useState(project?.instructions ?? "");
  const save = useSaveProject(project?.project_id ?? null);
  const remove = useDeleteProject(project?.project_id ?? "");
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate({ name: name.trim(), instructions }, { onSuccess: onSaved });
      }}
    >
      <Stack gap="sm">
        <TextInput label="Name" withAsterisk data-autofocus value={name} onChange={(event) => setName(event.currentTarget.value)} />
        <Textarea label="Instructions" description="Every chat of the project keeps them in mind." autosize minRows={3} maxRows={12} value={instructions} onChange={(event) => setInstructions(event.currentTarget.value)} />
        {save.error && (
          <Alert color="red" variant="light" p="xs" role="alert">
            {save.error.message}
          </Alert>
        )}
        <Group justify="space-between">
          <Button type="submit" loading={save.isPending} disabled={name.trim() === ""}>
            {project === null ? "Make the project" : "Save"}
          </Button>
          {project !== null && onDeleted && (
            <ConfirmButton
              label="Delete"
              question="Delete this project with its conversations and documents? Executions and costs stay."
              loading={remove.isPending}
              onConfirm={() => remove.mutate(undefined, { onSuccess: onDeleted, onError: sayError })}
            />
          )}
        </Group>
      </Stack>
    </form>
  );
}
