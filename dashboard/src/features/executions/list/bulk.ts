import type { ExecutionCommand } from "@/shared/api/executions";
import { command } from "@/shared/api/executions";
import type { Execution } from "@/shared/api/wire";

const AT_ONCE = 6;

export interface BulkOutcome {
  done: number;
  refused: Error[];
}

/** Sends the command to each execution, a few at a time; a refusal of one does not stop the others. */
export async function runForEach(targets: Execution[], wanted: ExecutionCommand, send = command): Promise<BulkOutcome> {
  const outcome: BulkOutcome = { done: 0, refused: [] };
  const queue = [...targets];
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      try {
        await send(next.execution_id, wanted);
        outcome.done += 1;
      } catch (error) {
        outcome.refused.push(error instanceof Error ? error : new Error(String(error)));
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return outcome;
}
