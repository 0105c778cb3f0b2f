import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";

import { answerOf, api } from "@/shared/api/client";
import type { Listing, Manifest, ManifestDetail } from "@/shared/api/wire";
import { parseMermaid } from "@/shared/graph/mermaid-graph";

export const manifestKeys = {
  all: ["manifests"] as const,
  one: (name: string) => ["manifests", "one", name] as const,
  graph: (name: string) => ["manifests", "graph", name] as const,
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
        api.POST("/api/v1/manifests", {
          body: source,
          bodySerializer: (text: string) => text,
          headers: { "Content-Type": "application/yaml" },
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: manifestKeys.all }),
  });
}
