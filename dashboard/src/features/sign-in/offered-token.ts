/** The token that came with the address, until somebody agrees to use it. It is kept in memory only. */
let offered: string | null = null;

export function keepOffer(token: string): void {
  offered = token;
}

export function takeOffer(): string | null {
  return offered;
}

export function dropOffer(): void {
  offered = null;
}
