import { queryOptions, useMutation } from "@tanstack/react-query";

import { answerOf, api } from "@/shared/api/client";
import type { FormSchema } from "@/shared/api/wire";

export interface Tool {
  name: string;
  description: string;
  version: string;
  input_schema: FormSchema;
  side_effects: boolean;
  idempotent: boolean;
  requires_approval: boolean;
  permission: string;
  timeout_seconds: number;
  cache_ttl_seconds: number;
  origin: string;
}

export interface ToolList {
  items: Tool[];
  mcp_servers: string[];
}

export interface ToolOutcome {
  success: boolean;
  result?: unknown;
  error?: string;
  code?: string;
  duration_ms?: number;
}

export function listTools() {
  return queryOptions({
    queryKey: ["tools"],
    queryFn: ({ signal }) => answerOf<ToolList>(api.GET("/api/v1/tools", { signal })),
    staleTime: 60_000,
  });
}

export function useTryTool(name: string) {
  return useMutation({
    mutationFn: (call: { arguments: Record<string, unknown>; confirm: boolean }) =>
      answerOf<ToolOutcome>(api.POST("/api/v1/tools/{name}/test", { params: { path: { name } }, body: call as never })),
  });
}
