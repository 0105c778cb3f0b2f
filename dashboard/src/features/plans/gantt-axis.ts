import type { Span } from "@/features/plans/gantt-rows";

const DAY_MS = 86_400_000;

export interface Tick {
  atMs: number;
  label: string;
}

const MONTH = new Intl.DateTimeFormat(undefined, { month: "short", year: "2-digit" });
const DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });

/** Beginnings of days, weeks or months in the reader's zone, far enough apart to be read. */
export function ticksOf(span: Span, width: number): Tick[] {
  const room = Math.max(1, Math.floor(width / 74));
  const days = Math.max(1, (span.toMs - span.fromMs) / DAY_MS);
  if (days / room > 14) return months(span, Math.ceil(days / 30.4 / room));
  const step = [1, 2, 7, 14].find((size) => days / size <= room) ?? 14;
  return everyDays(span, step);
}

function everyDays(span: Span, step: number): Tick[] {
  const at = new Date(span.fromMs);
  at.setHours(0, 0, 0, 0);
  // Weeks begin on Monday.
  if (step >= 7) at.setDate(at.getDate() - ((at.getDay() + 6) % 7));
  const ticks: Tick[] = [];
  for (; at.getTime() <= span.toMs; at.setDate(at.getDate() + step)) ticks.push({ atMs: at.getTime(), label: DAY.format(at) });
  return ticks;
}

function months(span: Span, step: number): Tick[] {
  const at = new Date(span.fromMs);
  at.setHours(0, 0, 0, 0);
  at.setDate(1);
  const ticks: Tick[] = [];
  for (; at.getTime() <= span.toMs; at.setMonth(at.getMonth() + step)) ticks.push({ atMs: at.getTime(), label: MONTH.format(at) });
  return ticks;
}
