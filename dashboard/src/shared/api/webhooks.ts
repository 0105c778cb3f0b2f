import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";

import { answerOf, api } from "@/shared/api/client";
import type { components } from "@/shared/api/schema.gen";
import type { Listing } from "@/shared/api/wire";

export type Channel = "webhook" | "email" | "slack";
export type NoticeEvent = components["schemas"]["NoticeEvent"];
/** The compiler tells when the server knows another one. */
const KNOWN: Record<NoticeEvent, true> = {
  "approval.requested": true,
  "approval.escalated": true,
  "execution.blocked": true,
  "execution.failed": true,
  "execution.completed": true,
  "execution.cancelled": true,
  "task.failed": true,
  "task.blocked": true,
  "agent.silent": true,
};
export const NOTICE_EVENTS = Object.keys(KNOWN) as NoticeEvent[];

export interface Webhook {
  webhook_id: string;
  channel: Channel;
  target: string;
  events: NoticeEvent[];
  created_by: string;
  created_at: string;
}

export interface Delivery {
  delivery_id: string;
  webhook_id: string;
  event: string;
  execution_id: string | null;
  status: string;
  attempts: number;
  answer_status: number | null;
  error: string | null;
  created_at: string;
  next_attempt_at: string | null;
  ended_at: string | null;
}

export interface Registration {
  channel: Channel;
  url?: string;
  target?: string;
  events?: NoticeEvent[];
}

export interface Look {
  reveal_id: string;
  user: string;
  role: string;
  execution_id: string;
  what: string;
  at: string;
}

export const webhookKeys = {
  all: ["webhooks"] as const,
  deliveries: (id: string) => ["webhooks", "deliveries", id] as const,
  looks: ["looks"] as const,
};

export function listWebhooks() {
  return queryOptions({
    queryKey: webhookKeys.all,
    queryFn: ({ signal }) => answerOf<Listing<Webhook>>(api.GET("/api/v1/webhooks", { signal })),
  });
}

export function deliveriesOf(id: string) {
  return queryOptions({
    queryKey: webhookKeys.deliveries(id),
    queryFn: ({ signal }) => {
      const params = { path: { webhook_id: id }, query: { limit: 50 } };
      return answerOf<Listing<Delivery>>(api.GET("/api/v1/webhooks/{webhook_id}/deliveries", { params, signal }));
    },
  });
}

/** Who looked at personal data, newest first. */
export function listLooks() {
  return queryOptions({
    queryKey: webhookKeys.looks,
    queryFn: ({ signal }) => answerOf<Listing<Look>>(api.GET("/api/v1/reveals", { params: { query: { limit: 100 } }, signal })),
    retry: false,
  });
}

/** The answer to a webhook has its signing secret, which cannot be read again. */
export function useRegisterWebhook() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (wanted: Registration) =>
      answerOf<Webhook & { secret?: string }>(api.POST("/api/v1/webhooks/register", { body: wanted as never })),
    onSuccess: () => client.invalidateQueries({ queryKey: webhookKeys.all }),
  });
}

export function useTestWebhook(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => answerOf<Delivery>(api.POST("/api/v1/webhooks/{webhook_id}/test", { params: { path: { webhook_id: id } } })),
    onSettled: () => client.invalidateQueries({ queryKey: webhookKeys.deliveries(id) }),
  });
}

export function useDeleteWebhook(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => answerOf<undefined>(api.DELETE("/api/v1/webhooks/{webhook_id}", { params: { path: { webhook_id: id } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: webhookKeys.all }),
  });
}
