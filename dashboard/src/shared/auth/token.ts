import { useSyncExternalStore } from "react";

/** The token lives as long as the tab: sessionStorage is neither shared with other tabs nor kept on disk for long. */
const KEY = "tercet.token";
const listeners = new Set<() => void>();

export function currentToken(): string | null {
  return sessionStorage.getItem(KEY);
}

export function keepToken(token: string): void {
  sessionStorage.setItem(KEY, token);
  listeners.forEach((listener) => listener());
}

export function forgetToken(): void {
  sessionStorage.removeItem(KEY);
  listeners.forEach((listener) => listener());
}

export function useToken(): string | null {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, currentToken);
}

/**
 * Takes `#token=…` out of the address, so that it stays neither in the bar nor in the history.
 * It is not used before the reader agrees: a link alone must not sign anybody in.
 */
export function takeTokenFromAddress(location: Location, history: History): string | null {
  const found = /^#token=([^&]+)$/.exec(location.hash)?.[1];
  if (found === undefined) return null;
  history.replaceState(null, "", location.pathname + location.search);
  try {
    return decodeURIComponent(found);
  } catch {
    return null;
  }
}
