/** One rule that the server says is broken; `line` and `column` when it is about a manifest. */
export interface Problem {
  field?: string;
  rule: string;
  message?: string;
  hint?: string | null;
  severity?: "error" | "warning";
  line?: number | null;
  column?: number | null;
}

/** Every failed call, in the server's one shape; `UNREACHABLE` when there was no answer at all. */
export class ApiError extends Error {
  override readonly name = "ApiError";

  constructor(
    message: string,
    readonly code: string,
    readonly status: number,
    readonly hint: string | null = null,
    readonly detail: readonly Problem[] = [],
  ) {
    super(message);
  }
}

export function unreachable(): ApiError {
  return new ApiError("The server does not answer.", "UNREACHABLE", 0, "Is `tercet serve` running?");
}

export function toApiError(body: unknown, status: number): ApiError {
  const fields = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
  const text = (key: string) => (typeof fields[key] === "string" ? fields[key] : null);
  return new ApiError(
    text("error") ?? `The server answered ${status}.`,
    text("code") ?? "UNKNOWN",
    status,
    text("hint"),
    Array.isArray(fields.detail) ? (fields.detail as Problem[]) : [],
  );
}
