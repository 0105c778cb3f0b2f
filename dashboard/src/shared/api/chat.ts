import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";

import { toApiError } from "@/shared/api/api-error";
import { answerOf, api } from "@/shared/api/client";
import type { StreamEvent } from "@/shared/api/event-stream";
import { eventsOf } from "@/shared/api/event-stream";
import type { Listing } from "@/shared/api/wire";

export interface Project {
  project_id: string;
  name: string;
  instructions: string;
  created_at: string;
  updated_at: string;
}

export interface Conversation {
  conversation_id: string;
  project_id: string;
  title: string;
  created_at: string;
  updated_at: string;
}

export interface Message {
  message_id: string;
  conversation_id: string;
  seq: number;
  role: "user" | "assistant";
  content: string;
  execution_id: string;
  cost_usd: number | null;
  created_at: string;
  detail: {
    kind?: "response" | "question" | "result" | "refused" | "failed";
    executor_type?: string;
    model?: string;
    template?: string;
    code?: string;
    note?: string;
    sources?: { document_id: string; title: string; place: string | null }[];
    tokens_input?: number;
    tokens_output?: number;
  };
}

export interface ProjectDocument {
  document_id: string;
  title: string;
  filename: string;
  mime_type: string;
  size_bytes: number;
  passages: number;
  created_at: string;
}

export interface Template {
  name: string;
  title: string;
  description: string;
  variables: { name: string; description: string; type: string; required: boolean; example: unknown }[];
}

export interface NewMessage {
  project_id: string;
  conversation_id: string;
  message: string;
  attachments: { document_id: string }[];
  /** The same key posts once, also when an answer was lost. */
  idempotency_key: string;
}

const MOST = 200;

export const chatKeys = {
  projects: ["chat", "projects"] as const,
  conversations: (projectId: string) => ["chat", "conversations", projectId] as const,
  documents: (projectId: string) => ["chat", "documents", projectId] as const,
  templates: ["chat", "templates"] as const,
};

export function listProjects() {
  return queryOptions({
    queryKey: chatKeys.projects,
    queryFn: ({ signal }) => answerOf<Listing<Project>>(api.GET("/api/v1/projects", { params: { query: { limit: MOST } }, signal })),
  });
}

export function listConversations(projectId: string) {
  const params = { path: { project_id: projectId }, query: { limit: MOST } };
  return queryOptions({
    queryKey: chatKeys.conversations(projectId),
    queryFn: ({ signal }) => answerOf<Listing<Conversation>>(api.GET("/api/v1/projects/{project_id}/conversations", { params, signal })),
  });
}

export function listDocuments(projectId: string) {
  const params = { path: { project_id: projectId }, query: { limit: MOST } };
  return queryOptions({
    queryKey: chatKeys.documents(projectId),
    queryFn: ({ signal }) => answerOf<Listing<ProjectDocument>>(api.GET("/api/v1/projects/{project_id}/documents", { params, signal })),
  });
}

export function listTemplates() {
  return queryOptions({
    queryKey: chatKeys.templates,
    queryFn: ({ signal }) => answerOf<Listing<Template>>(api.GET("/api/v1/templates", { signal })),
    staleTime: 60_000,
  });
}

type ProjectFields = Pick<Project, "name" | "instructions">;

/** Makes a project, or changes the one with the id. */
export function useSaveProject(projectId: string | null) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (fields: ProjectFields) =>
      answerOf<Project>(
        projectId === null
          ? api.POST("/api/v1/projects", { body: fields })
          : api.PATCH("/api/v1/projects/{project_id}", { params: { path: { project_id: projectId } }, body: fields }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: chatKeys.projects }),
  });
}

export function useDeleteProject(projectId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => answerOf<undefined>(api.DELETE("/api/v1/projects/{project_id}", { params: { path: { project_id: projectId } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: chatKeys.projects }),
  });
}

export function useStartConversation(projectId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (title: string) =>
      answerOf<Conversation>(
        api.POST("/api/v1/projects/{project_id}/conversations", { params: { path: { project_id: projectId } }, body: { title } }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: chatKeys.conversations(projectId) }),
  });
}

export function useDeleteConversation(projectId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      answerOf<undefined>(api.DELETE("/api/v1/conversations/{conversation_id}", { params: { path: { conversation_id: id } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: chatKeys.conversations(projectId) }),
  });
}

export function useRenameConversation(projectId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, title }: { id: string; title: string }) =>
      answerOf<Conversation>(
        api.PATCH("/api/v1/conversations/{conversation_id}", { params: { path: { conversation_id: id } }, body: { title } }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: chatKeys.conversations(projectId) }),
  });
}

export function useUploadDocument(projectId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (file: File) => {
      const form = new FormData();
      form.set("file", file);
      return answerOf<ProjectDocument>(
        api.POST("/api/v1/projects/{project_id}/documents", {
          params: { path: { project_id: projectId } },
          body: form as never,
          bodySerializer: (raw) => raw as unknown as FormData,
        }),
      );
    },
    onSuccess: () => client.invalidateQueries({ queryKey: chatKeys.documents(projectId) }),
  });
}

export function useDeleteDocument(projectId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => answerOf<undefined>(api.DELETE("/api/v1/documents/{document_id}", { params: { path: { document_id: id } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: chatKeys.documents(projectId) }),
  });
}

export function usePostMessage() {
  return useMutation({
    mutationFn: (message: NewMessage) => answerOf<{ execution_id: string }>(api.POST("/api/v1/chat", { body: message as never })),
  });
}

/** The conversation after a message, then everything that happens in it; `onOpen` when the server listens. */
export async function* conversationEvents(id: string, after: number, signal: AbortSignal, onOpen: () => void): AsyncGenerator<StreamEvent> {
  const { response, error } = await api.GET("/api/v1/conversations/{conversation_id}/stream", {
    params: { path: { conversation_id: id }, query: { after } },
    parseAs: "stream",
    signal,
  });
  if (!response.ok) throw toApiError(error, response.status);
  onOpen();
  yield* eventsOf(response);
}
