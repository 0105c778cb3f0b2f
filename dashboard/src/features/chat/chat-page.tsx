import { ActionIcon, Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconChevronLeft, IconFiles, IconMessages } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import classes from "@/features/chat/chat-page.module.css";
import type { Written } from "@/features/chat/composer";
import { Composer } from "@/features/chat/composer";
import { ConversationList } from "@/features/chat/conversation-list";
import { ConversationView } from "@/features/chat/conversation-view";
import { LibraryDrawer } from "@/features/chat/library-drawer";
import { ProjectBar } from "@/features/chat/project-bar";
import { ProjectForm } from "@/features/chat/project-form";
import { titleFrom } from "@/features/chat/turns";
import type { Project } from "@/shared/api/chat";
import { listProjects, useStartConversation } from "@/shared/api/chat";
import { Page } from "@/shared/layout/page";
import { Loaded } from "@/shared/states/loaded";
import { EmptyState } from "@/shared/states/states";

export interface ChatView {
  project?: string;
  /** An id, or `new`. */
  conversation?: string;
}

interface Props {
  view: ChatView;
  onView: (view: ChatView) => void;
}

export function ChatPage({ view, onView }: Props) {
  const query = useQuery(listProjects());
  const [opened, library] = useDisclosure();
  const project = query.data?.items.find((one) => one.project_id === view.project) ?? query.data?.items[0];
  return (
    <Page
      title="Chat"
      fill={project !== undefined}
      actions={
        project && (
          <Button variant="default" leftSection={<IconFiles size={14} />} onClick={library.open}>
            Documents and templates
          </Button>
        )
      }
    >
      <Loaded query={query}>
        {({ items }) =>
          project === undefined ? (
            <FirstProject onMade={(made) => onView({ project: made.project_id })} />
          ) : (
            <>
              <Columns key={project.project_id} projects={items} project={project} view={view} onView={onView} />
              <LibraryDrawer projectId={project.project_id} opened={opened} onClose={library.close} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function FirstProject({ onMade }: { onMade: (project: Project) => void }) {
  return (
    <div className={`panel ${classes.first}`}>
      <EmptyState icon={<IconMessages size={28} stroke={1.5} />} title="Begin with a project">
        A project holds conversations and the documents that they draw on.
      </EmptyState>
      <ProjectForm project={null} onSaved={onMade} />
    </div>
  );
}

function Columns({ projects, project, view, onView }: Props & { projects: Project[]; project: Project }) {
  const id = project.project_id;
  const [first, setFirst] = useState<{ conversationId: string; written: Written } | null>(null);
  const start = useStartConversation(id);
  const chosen = view.conversation;
  const choose = (conversation: string | undefined) => onView({ project: id, conversation });
  const begin = async (written: Written) => {
    const { conversation_id: conversationId } = await start.mutateAsync(titleFrom(written.text));
    setFirst({ conversationId, written });
    choose(conversationId);
  };
  return (
    <div className={classes.split} data-open={chosen !== undefined || undefined}>
      <div className={`panel ${classes.side}`}>
        <ProjectBar projects={projects} project={project} onProject={(next) => onView({ project: next })} />
        <ConversationList projectId={id} chosen={chosen} onChoose={choose} />
      </div>
      <div className={`panel ${classes.view}`}>
        <ActionIcon className={classes.back} aria-label="Back to the conversations" onClick={() => choose(undefined)}>
          <IconChevronLeft size={18} />
        </ActionIcon>
        {chosen === undefined || chosen === "new" ? (
          <>
            <div className={classes.messages}>
              <EmptyState icon={<IconMessages size={28} stroke={1.5} />} title="What should be done?">
                Every message is worked on by an execution: decided, judged, and asked of a person where that is due.
              </EmptyState>
            </div>
            <Composer projectId={id} isSending={start.isPending} onSend={begin} />
          </>
        ) : (
          <ConversationView
            key={chosen}
            projectId={id}
            conversationId={chosen}
            first={first?.conversationId === chosen ? first.written : null}
            onFirstSent={() => setFirst(null)}
          />
        )}
      </div>
    </div>
  );
}
