import type { ErrorComponentProps } from "@tanstack/react-router";
import { Link } from "@tanstack/react-router";

import { EmptyState, ErrorState, LoadingRows } from "@/shared/states/states";

export function RoutePending() {
  return <LoadingRows />;
}

export function RouteCrash({ error, reset }: ErrorComponentProps) {
  const cause = error instanceof Error ? error : new Error(String(error));
  return <ErrorState error={cause} onRetry={reset} />;
}

export function NotFoundPage() {
  return (
    <EmptyState title="There is no such page">
      The address may have been cut off. <Link to="/" className="link">Go to the start</Link>.
    </EmptyState>
  );
}
