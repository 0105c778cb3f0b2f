const UNITS: readonly [number, string][] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
  [1_000, "s"],
];

/** A length of time with at most two units: `2 h 5 min`, `3.4 s`, `120 ms`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 59_950) return `${trimmed(ms / 1_000)} s`;
  let rest = Math.round(ms / 1_000) * 1_000;
  const parts: string[] = [];
  for (const [size, unit] of UNITS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0 || parts.length > 0) parts.push(`${count} ${unit}`);
    if (parts.length === 2) break;
  }
  return parts.filter((part) => !part.startsWith("0 ")).join(" ");
}

function trimmed(seconds: number): string {
  return (seconds < 10 ? seconds.toFixed(1) : seconds.toFixed(0)).replace(/\.0$/, "");
}

/** How a moment lies to now: `12 s ago`, `in 3 h`; days and more by one unit only. */
export function formatDistance(atMs: number, nowMs: number): string {
  const away = Math.abs(nowMs - atMs);
  if (away < 1_500) return "now";
  const [size, unit] = UNITS.find(([length]) => away >= length) ?? [1_000, "s"];
  const text = `${Math.floor(away / size)} ${unit}`;
  return atMs <= nowMs ? `${text} ago` : `in ${text}`;
}
