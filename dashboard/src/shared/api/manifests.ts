import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";

import type { Problem } from "@/shared/api/api-error";
import { ApiError } from "@/shared/api/api-error";
import { answerOf, api } from "@/shared/api/client";
import type { Listing, Manifest, ManifestDetail, ManifestRevision } from "@/shared/api/wire";
import { parseMermaid } from "@/shared/graph/mermaid-graph";

export const manifestKeys = {
  all: ["manifests"] as const,
  one: (name: string) => ["manifests", "one", name] as const,
  graph: (name: string) => ["manifests", "graph", name] as const,
  revision: (name: string, revision: number) => ["revision of a manifest", name, revision] as const,
  check: (source: string) => ["check of a manifest", source] as const,
};

export function listManifests() {
  return queryOptions({
    queryKey: manifestKeys.all,
    queryFn: ({ signal }) => answerOf<Listing<Manifest>>(api.GET("/api/v1/manifests", { signal })),
  });
}

export function oneManifest(name: string) {
  return queryOptions({
    queryKey: manifestKeys.one(name),
    queryFn: ({ signal }) =>
      answerOf<ManifestDetail>(api.GET("/api/v1/manifests/{name}", { params: { path: { name } }, signal })),
  });
}

/** A revision, in force or not. It never changes. */
export function oneRevision(name: string, revision: number) {
  const params = { path: { name, revision } };
  return queryOptions({
    queryKey: manifestKeys.revision(name, revision),
    queryFn: ({ signal }) =>
      answerOf<ManifestRevision>(api.GET("/api/v1/manifests/{name}/revisions/{revision}", { params, signal })),
    staleTime: Infinity,
  });
}

/** What is wrong with a source, and what is doubtful. Nothing is deployed. */
export function checkOf(source: string) {
  return queryOptions({
    queryKey: manifestKeys.check(source),
    queryFn: async ({ signal }): Promise<readonly Problem[]> => {
      try {
        const call = api.POST("/api/v1/manifests/check", { ...yamlBody(source), signal });
        return (await answerOf<{ warnings: Problem[] }>(call)).warnings;
      } catch (error) {
        if (error instanceof ApiError && error.detail.length > 0) return error.detail;
        throw error;
      }
    },
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
}

function yamlBody(source: string) {
  return { body: source, bodySerializer: (text: string) => text, headers: { "Content-Type": "application/yaml" } };
}

/** The manifest's shape: who hands what to whom. */
export function manifestGraph(name: string) {
  return queryOptions({
    queryKey: manifestKeys.graph(name),
    queryFn: async ({ signal }) => {
      const params = { path: { name }, query: { format: "mermaid" } };
      return parseMermaid(
        await answerOf<string>(api.GET("/api/v1/manifests/{name}/graph", { params, parseAs: "text", signal })),
      );
    },
    staleTime: 60_000,
  });
}

/** Puts a manifest in force. Its problems come as the `detail` of an ApiError, each with line and column. */
export function useDeploy() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (source: string) =>
      answerOf<Manifest>(
        api.POST("/api/v1/manifests", yamlBody(source)),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: manifestKeys.all }),
  });
}
