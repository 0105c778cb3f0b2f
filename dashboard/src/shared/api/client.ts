import createClient from "openapi-fetch";

import { toApiError, unreachable } from "@/shared/api/api-error";
import type { paths } from "@/shared/api/schema.gen";
import { currentToken, forgetToken } from "@/shared/auth/token";

/** The one HTTP client. Addresses, parameters and bodies are typed by the server's OpenAPI. */
export const api = createClient<paths>({ baseUrl: window.location.origin, fetch: send });

async function send(request: Request): Promise<Response> {
  const token = currentToken();
  if (token !== null && !request.headers.has("Authorization")) {
    request.headers.set("Authorization", `Bearer ${token}`);
  }
  try {
    return await fetch(request);
  } catch (error) {
    if (request.signal.aborted) throw error;
    throw unreachable();
  }
}

interface Answer {
  data?: unknown;
  error?: unknown;
  response: Response;
}

/** Returns the body of a 2xx answer. Throws ApiError; a refused token ends the sign-in. */
export async function answerOf<T>(call: Promise<Answer>): Promise<T> {
  const { data, error, response } = await call;
  if (response.ok) return data as T;
  if (response.status === 401 && currentToken() !== null) forgetToken();
  throw toApiError(error, response.status);
}
