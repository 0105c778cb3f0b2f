import { ActionIcon, Button, Drawer, FileButton, Tabs, Text } from "@mantine/core";
import { IconTrash, IconUpload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";

import classes from "@/features/chat/chat-page.module.css";
import type { ProjectDocument, Template } from "@/shared/api/chat";
import { listDocuments, listTemplates, useDeleteDocument, useUploadDocument } from "@/shared/api/chat";
import { formatCount } from "@/shared/money";
import { Loaded } from "@/shared/states/loaded";
import { sayError } from "@/shared/states/notice";
import { EmptyState } from "@/shared/states/states";
import { When } from "@/shared/time/when";

/** What the chats of a project can draw on: its documents, and the templates of the server. */
export function LibraryDrawer({ projectId, opened, onClose }: { projectId: string; opened: boolean; onClose: () => void }) {
  return (
    <Drawer opened={opened} onClose={onClose} position="right" size={480} title="Documents and templates">
      <Tabs defaultValue="documents" keepMounted={false}>
        <Tabs.List mb="sm">
          <Tabs.Tab value="documents">Documents</Tabs.Tab>
          <Tabs.Tab value="templates">Templates</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="documents">
          <Documents projectId={projectId} />
        </Tabs.Panel>
        <Tabs.Panel value="templates">
          <Templates />
        </Tabs.Panel>
      </Tabs>
    </Drawer>
  );
}

function Documents({ projectId }: { projectId: string }) {
  const query = useQuery(listDocuments(projectId));
  const upload = useUploadDocument(projectId);
  const remove = useDeleteDocument(projectId);
  return (
    <>
      <FileButton onChange={(file) => file && upload.mutate(file, { onError: sayError })} inputProps={{ "aria-label": "Document to upload" }}>
        {(props) => (
          <Button {...props} variant="default" leftSection={<IconUpload size={14} />} loading={upload.isPending} mb="sm">
            Upload a document
          </Button>
        )}
      </FileButton>
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState title="No document yet">PDF, Word, Excel, HTML, CSV, Markdown and plain text. Chats find the passages that fit.</EmptyState>
          ) : (
            <ul className={classes.plain} aria-label="Documents">
              {items.map((one) => (
                <DocumentLine key={one.document_id} document={one} onDelete={() => remove.mutate(one.document_id, { onError: sayError })} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </>
  );
}

function DocumentLine({ document, onDelete }: { document: ProjectDocument; onDelete: () => void }) {
  return (
    <li className={classes.document}>
      <div>
        <strong className="prose">{document.title}</strong>
        <div className="dim">
          {sizeOf(document.size_bytes)}, {formatCount(document.passages)} passages, <When at={document.created_at} />
        </div>
      </div>
      <ActionIcon aria-label={`Delete ${document.title}`} onClick={onDelete}>
        <IconTrash size={16} />
      </ActionIcon>
    </li>
  );
}

export function sizeOf(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function Templates() {
  const query = useQuery(listTemplates());
  return (
    <Loaded query={query}>
      {({ items }) =>
        items.length === 0 ? (
          <EmptyState title="No templates">They are files in the server’s folder of templates.</EmptyState>
        ) : (
          <ul className={classes.plain} aria-label="Templates">
            {items.map((one) => (
              <TemplateLine key={one.name} template={one} />
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

function TemplateLine({ template }: { template: Template }) {
  return (
    <li className={classes.template}>
      <strong className="prose">{template.title}</strong> <span className="mono dim">{template.name}</span>
      <Text size="sm" c="dimmed" className="prose">
        {template.description} Say “write a {template.title.toLowerCase()}”.
      </Text>
      <ul>
        {template.variables.map((variable) => (
          <li key={variable.name}>
            <span className="mono">{variable.name}</span> <span className="dim prose">{variable.description}{variable.required ? "" : " (optional)"}</span>
          </li>
        ))}
      </ul>
    </li>
  );
}
