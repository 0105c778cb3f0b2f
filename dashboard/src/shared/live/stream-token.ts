import { answerOf, api } from "@/shared/api/client";
import { currentToken } from "@/shared/auth/token";

const RENEW_AFTER_MS = 50 * 60_000;

interface Kept {
  of: string | null;
  token: Promise<string>;
  sinceMs: number;
}
let kept: Kept | null = null;

/** A token that opens streams, of whoever is signed in. One is asked for at a time, and renewed before its hour is over. */
export function streamToken(): Promise<string> {
  const of = currentToken();
  if (kept?.of === of && Date.now() - kept.sinceMs < RENEW_AFTER_MS) return kept.token;
  const token = answerOf<{ token: string }>(api.POST("/api/v1/stream-token")).then((answer) => answer.token);
  kept = { of, token, sinceMs: Date.now() };
  token.catch(forgetStreamToken);
  return token;
}

export function forgetStreamToken(): void {
  kept = null;
}
