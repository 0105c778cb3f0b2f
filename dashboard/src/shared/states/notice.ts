import { notifications } from "@mantine/notifications";

import { ApiError } from "@/shared/api/api-error";

export function say(message: string): void {
  notifications.show({ message, color: "iris", autoClose: 4_000 });
}

/** Tells of a refused command, with the server's hint. */
export function sayError(error: Error): void {
  const hint = error instanceof ApiError ? error.hint : null;
  notifications.show({
    title: error.message,
    message: hint ?? "",
    color: "red",
    autoClose: 8_000,
  });
}
