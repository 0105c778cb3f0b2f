import { QueryClient } from "@tanstack/react-query";

import { ApiError } from "@/shared/api/api-error";

/** A refusal stays a refusal; only a lost connection or a 5xx is worth another try. */
function isWorthAnotherTry(failures: number, error: Error): boolean {
  const refused = error instanceof ApiError && error.status >= 400 && error.status < 500;
  return !refused && failures < 2;
}

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { retry: isWorthAnotherTry, staleTime: 1_000, refetchOnWindowFocus: true },
      mutations: { retry: false },
    },
  });
}
