import type { PlanSubtask } from "@/shared/api/plans";

export type Draft = Partial<PlanSubtask> & { subtask_id: string };

/** An id that no other subtask of the task has. */
export function freshId(taskId: string, drafts: readonly Draft[]): string {
  const taken = new Set(drafts.map((draft) => draft.subtask_id));
  for (let number = drafts.length + 1; ; number += 1) {
    const id = `${taskId}_${number}`;
    if (!taken.has(id)) return id;
  }
}

export function changed(drafts: readonly Draft[], index: number, change: Partial<Draft>): Draft[] {
  return drafts.map((draft, at) => (at === index ? { ...draft, ...change } : draft));
}

/** One place up; the first stays where it is. */
export function raised(drafts: readonly Draft[], index: number): Draft[] {
  const here = drafts[index];
  const above = drafts[index - 1];
  if (here === undefined || above === undefined) return [...drafts];
  return [...drafts.slice(0, index - 1), here, above, ...drafts.slice(index + 1)];
}

/** Reads what was written as JSON; the text says what is wrong. */
export function readDrafts(text: string): Draft[] | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return error instanceof Error ? error.message : "This is no JSON.";
  }
  if (!Array.isArray(value)) return "A list of subtasks is wanted.";
  const bad = value.findIndex((one: unknown) => typeof one !== "object" || one === null || typeof (one as Draft).subtask_id !== "string");
  return bad === -1 ? (value as Draft[]) : `Entry ${bad + 1} has no subtask_id.`;
}
