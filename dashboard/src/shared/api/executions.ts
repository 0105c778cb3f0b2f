import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { QueryClient } from "@tanstack/react-query";

import { answerOf, api } from "@/shared/api/client";
import type { Execution, ExecutionDetail, ExecutionStatus, Listing, LogEvent } from "@/shared/api/wire";

export interface ExecutionFilter {
  kind?: string;
  status?: ExecutionStatus;
}

const PAGE = 200;
const LOG_PAGE = 500;

export const executionKeys = {
  all: ["executions"] as const,
  lists: ["executions", "list"] as const,
  head: (filter: ExecutionFilter, limit: number) => ["executions", "list", "head", filter, limit] as const,
  rows: (filter: ExecutionFilter) => ["executions", "list", "rows", filter] as const,
  one: (id: string) => ["executions", "one", id] as const,
  log: (id: string) => ["executions", "log", id] as const,
  /** Not under `all`: each look is recorded, so nothing asks again but the reader. */
  revealed: (id: string) => ["revealed", id] as const,
  tree: (id: string) => ["executions", "tree", id] as const,
};

function listExecutions(query: ExecutionFilter & { limit: number; cursor?: string }, signal?: AbortSignal) {
  return answerOf<Listing<Execution>>(api.GET("/api/v1/executions", { params: { query }, signal }));
}

/** The newest executions. */
export function newestExecutions(filter: ExecutionFilter, limit = PAGE) {
  return queryOptions({
    queryKey: executionKeys.head(filter, limit),
    queryFn: ({ signal }) => listExecutions({ ...filter, limit }, signal),
  });
}

/** How many executions began in an hour, and how these stand now. */
export interface ThroughputHour {
  hour: string;
  started: number;
  completed: number;
  failed: number;
}

export function throughputOf(hours: number) {
  return queryOptions({
    queryKey: ["throughput", hours],
    queryFn: ({ signal }) =>
      answerOf<Listing<ThroughputHour>>(api.GET("/api/v1/throughput", { params: { query: { hours } }, signal })),
    refetchInterval: 15_000,
  });
}

/** What a list has of the executions so far, newest first. */
export interface ExecutionRows {
  rows: Execution[];
  /** Where the rows that are not there yet begin; null when all are there. */
  olderCursor: string | null;
}

/** The rows of a list. Asking again brings the newest page and merges it; older rows stay as they are. */
export function executionRows(filter: ExecutionFilter) {
  const queryKey = executionKeys.rows(filter);
  return queryOptions({
    queryKey,
    queryFn: async ({ client, signal }) => {
      const page = await listExecutions({ ...filter, limit: PAGE }, signal);
      return mergeNewest(client.getQueryData<ExecutionRows>(queryKey), page);
    },
    structuralSharing: false,
  });
}

export function mergeNewest(known: ExecutionRows | undefined, page: Listing<Execution>): ExecutionRows {
  const fresh: ExecutionRows = { rows: page.items, olderCursor: page.next_cursor };
  const oldest = page.items.at(-1)?.execution_id;
  if (known === undefined || page.next_cursor === null || oldest === undefined) return fresh;
  const newestKnown = known.rows[0]?.execution_id;
  // More came than a page holds: between the two would be a hole, so the list starts over.
  if (newestKnown === undefined || newestKnown < oldest) return fresh;
  const older = known.rows.filter((row) => row.execution_id < oldest);
  if (older.length === 0) return fresh;
  return { rows: [...page.items, ...older], olderCursor: known.olderCursor };
}

/** Fetches the page after the oldest row and appends it. */
export async function loadOlder(client: QueryClient, filter: ExecutionFilter): Promise<void> {
  const key = executionKeys.rows(filter);
  const cursor = client.getQueryData<ExecutionRows>(key)?.olderCursor;
  if (cursor === null || cursor === undefined) return;
  const page = await listExecutions({ ...filter, limit: PAGE, cursor });
  client.setQueryData<ExecutionRows>(key, (known) => {
    if (known === undefined) return known;
    const oldest = known.rows.at(-1)?.execution_id ?? "";
    const added = page.items.filter((row) => row.execution_id < oldest);
    return { rows: [...known.rows, ...added], olderCursor: page.next_cursor };
  });
}

export function oneExecution(id: string) {
  return queryOptions({
    queryKey: executionKeys.one(id),
    queryFn: ({ signal }) =>
      answerOf<ExecutionDetail>(
        api.GET("/api/v1/executions/{execution_id}", { params: { path: { execution_id: id } }, signal }),
      ),
  });
}

/** The whole log, oldest first. Asking again fetches only what came since. */
export function executionLog(id: string) {
  return queryOptions({
    queryKey: executionKeys.log(id),
    queryFn: ({ client, signal }) => continueLog(id, client, signal),
    structuralSharing: false,
  });
}

async function continueLog(id: string, client: QueryClient, signal: AbortSignal): Promise<LogEvent[]> {
  // What a stream brought lacks its data, so it is read again.
  const known = (client.getQueryData<LogEvent[]>(executionKeys.log(id)) ?? []).filter((event) => event.is_partial !== true);
  const fresh = await logAfter(id, known.at(-1)?.seq ?? 0, false, signal);
  return fresh.length === 0 ? known : [...known, ...fresh];
}

function withOwnTask(event: LogEvent): LogEvent {
  return event.execution_task_id === undefined ? event : { ...event, task_id: event.execution_task_id };
}

async function logAfter(id: string, seq: number, reveal: boolean, signal: AbortSignal): Promise<LogEvent[]> {
  const events: LogEvent[] = [];
  for (;;) {
    const after = events.at(-1)?.seq ?? seq;
    const path = { execution_id: id };
    const page = await answerOf<Listing<LogEvent>>(
      api.GET("/api/v1/executions/{execution_id}/events", {
        params: { path, query: { after, limit: LOG_PAGE, reveal } },
        signal,
      }),
    );
    events.push(...page.items.map(withOwnTask));
    if (page.items.length < LOG_PAGE) return events;
  }
}

export interface Revealed {
  detail: ExecutionDetail;
  log: LogEvent[];
}

/** An execution and its log with personal data as they are. The server records who looks; viewers are refused. */
export function revealedExecution(id: string) {
  const path = { execution_id: id };
  return queryOptions({
    queryKey: executionKeys.revealed(id),
    queryFn: async ({ signal }): Promise<Revealed> => {
      const detail = await answerOf<ExecutionDetail>(
        api.GET("/api/v1/executions/{execution_id}", { params: { path, query: { reveal: true } }, signal }),
      );
      return { detail, log: await logAfter(id, 0, true, signal) };
    },
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
}

export type ExecutionCommand =
  | { do: "pause" | "resume" | "give-up" | "retry" }
  | { do: "cancel"; reason: string }
  | { do: "retry-task" | "skip-task"; taskId: string };

const WANTED = { pause: "PAUSED", resume: "RUNNING", "give-up": "FAILED", cancel: "CANCELLED" } as const;

/** Sends one command. The answer is the execution that goes on: a new one when an ended one is retried. */
export function command(id: string, wanted: ExecutionCommand): Promise<Execution> {
  const path = { execution_id: id };
  if (wanted.do === "retry") {
    return answerOf(api.POST("/api/v1/executions/{execution_id}/retry", { params: { path } }));
  }
  if (wanted.do === "retry-task" || wanted.do === "skip-task") {
    const params = { path: { ...path, task_id: wanted.taskId } };
    return wanted.do === "retry-task"
      ? answerOf(api.POST("/api/v1/executions/{execution_id}/tasks/{task_id}/retry", { params }))
      : answerOf(api.POST("/api/v1/executions/{execution_id}/tasks/{task_id}/skip", { params }));
  }
  const body = { status: WANTED[wanted.do], reason: wanted.do === "cancel" ? wanted.reason : "" };
  return answerOf(api.PATCH("/api/v1/executions/{execution_id}", { params: { path }, body }));
}

export function useExecutionCommand(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (wanted: ExecutionCommand) => command(id, wanted),
    onSettled: () => client.invalidateQueries({ queryKey: executionKeys.all }),
  });
}
