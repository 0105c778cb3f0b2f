import type { Execution } from "@/shared/api/wire";

/** Whether every word is in the name, the id or the message. */
export function fits(row: Execution, text: string | undefined): boolean {
  if (text === undefined) return true;
  const all = `${row.name} ${row.execution_id} ${row.status_message ?? ""}`.toLowerCase();
  return text.toLowerCase().split(/\s+/).every((word) => all.includes(word));
}
