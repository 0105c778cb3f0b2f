import { useMutation, useQueryClient } from "@tanstack/react-query";

import { answerOf, api } from "@/shared/api/client";
import { executionKeys } from "@/shared/api/executions";

export interface Receipt {
  event_id: string;
  execution_id: string;
  recorded_at: string;
  duplicate: boolean;
}

export interface NewEvent {
  name: string;
  data: Record<string, unknown>;
  manifest?: string;
  idempotency_key?: string;
}

export function useSendEvent() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (event: NewEvent) => answerOf<Receipt>(api.POST("/api/v1/events", { body: event })),
    onSuccess: () => client.invalidateQueries({ queryKey: executionKeys.all }),
  });
}
