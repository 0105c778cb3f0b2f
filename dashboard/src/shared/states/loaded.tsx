import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { ErrorState, LoadingRows } from "@/shared/states/states";

interface Props<T> {
  query: UseQueryResult<T>;
  children: (data: T) => ReactNode;
  loading?: ReactNode;
}

/** Loading, error or the data. Data that were shown once stay on the screen while a new try fails. */
export function Loaded<T>({ query, children, loading }: Props<T>) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  return <>{loading ?? <LoadingRows />}</>;
}
