import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";

import { ApiError } from "@/shared/api/api-error";

/** Whether the server answered the last time that anything was asked. */
export function useConnection(): "answers" | "silent" {
  const client = useQueryClient();
  const [state, setState] = useState<"answers" | "silent">("answers");
  useEffect(
    () =>
      client.getQueryCache().subscribe((event) => {
        if (event.type !== "updated") return;
        if (event.action.type === "success") setState("answers");
        if (event.action.type !== "error" && event.action.type !== "failed") return;
        const error: unknown = event.action.error;
        if (error instanceof ApiError) setState(error.code === "UNREACHABLE" ? "silent" : "answers");
      }),
    [client],
  );
  return state;
}
