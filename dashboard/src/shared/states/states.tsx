import { Button, Skeleton, Stack, Text, Title } from "@mantine/core";
import { IconAlertTriangle, IconLock, IconPlugConnectedX } from "@tabler/icons-react";
import type { ReactNode } from "react";

import { ApiError } from "@/shared/api/api-error";
import classes from "@/shared/states/states.module.css";

/** Nothing to show, and what to do about it. */
export function EmptyState({ icon, title, children }: { icon?: ReactNode; title: string; children?: ReactNode }) {
  return (
    <Stack align="center" gap={6} className={classes.state}>
      <span className={classes.sign}>{icon}</span>
      <Title order={3} size="h5">
        {title}
      </Title>
      <Text component="div" size="sm" c="dimmed" ta="center" maw={440}>
        {children}
      </Text>
    </Stack>
  );
}

/** What went wrong in the server's words, what to do, and another try. */
export function ErrorState({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  const known = error instanceof ApiError ? error : null;
  return (
    <Stack align="center" gap={6} className={classes.state} role="alert">
      <span className={classes.sign} data-bad>
        {signOf(known)}
      </span>
      <Title order={3} size="h5">
        {titleOf(known)}
      </Title>
      <Text size="sm" ta="center" maw={520} className="prose">
        {error.message}
      </Text>
      {known?.hint != null && (
        <Text size="sm" c="dimmed" ta="center" maw={520}>
          {known.hint}
        </Text>
      )}
      {onRetry && (
        <Button variant="default" mt="xs" onClick={onRetry}>
          Try again
        </Button>
      )}
    </Stack>
  );
}

function titleOf(error: ApiError | null): string {
  if (error?.code === "UNREACHABLE") return "No answer";
  if (error?.status === 404) return "Not found";
  if (error?.status === 403) return "Not allowed";
  return "This did not work";
}

function signOf(error: ApiError | null): ReactNode {
  if (error?.code === "UNREACHABLE") return <IconPlugConnectedX size={28} stroke={1.5} />;
  if (error?.status === 403) return <IconLock size={28} stroke={1.5} />;
  return <IconAlertTriangle size={28} stroke={1.5} />;
}

export function LoadingRows({ rows = 8, height = 34 }: { rows?: number; height?: number }) {
  return (
    <Stack gap={8} p="md" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, index) => (
        <Skeleton key={index} height={height} radius="sm" />
      ))}
    </Stack>
  );
}
