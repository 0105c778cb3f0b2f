import { ActionIcon, Group, Modal, Select, Tooltip } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlus, IconSettings } from "@tabler/icons-react";

import { ProjectForm } from "@/features/chat/project-form";
import type { Project } from "@/shared/api/chat";

interface Props {
  projects: Project[];
  project: Project;
  onProject: (id: string | undefined) => void;
}

export function ProjectBar({ projects, project, onProject }: Props) {
  const [making, make] = useDisclosure();
  const [changing, change] = useDisclosure();
  return (
    <Group gap={4} wrap="nowrap">
      <Select
        aria-label="Project"
        size="xs"
        flex={1}
        data={projects.map((one) => ({ value: one.project_id, label: one.name }))}
        value={project.project_id}
        onChange={(id) => onProject(id ?? undefined)}
        allowDeselect={false}
        searchable={projects.length > 7}
      />
      <Tooltip label="Name and instructions">
        <ActionIcon onClick={change.open} aria-label="Project settings">
          <IconSettings size={17} stroke={1.7} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label="New project">
        <ActionIcon onClick={make.open} aria-label="New project">
          <IconPlus size={17} stroke={1.7} />
        </ActionIcon>
      </Tooltip>
      <Modal opened={making} onClose={make.close} title="New project">
        <ProjectForm
          project={null}
          onSaved={(made) => {
            make.close();
            onProject(made.project_id);
          }}
        />
      </Modal>
      <Modal opened={changing} onClose={change.close} title="Project">
        <ProjectForm
          key={project.project_id}
          project={project}
          onSaved={change.close}
          onDeleted={() => {
            change.close();
            onProject(undefined);
          }}
        />
      </Modal>
    </Group>
  );
}
