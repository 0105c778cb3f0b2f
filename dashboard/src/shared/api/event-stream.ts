export interface StreamEvent {
  event: string;
  data: Record<string, unknown>;
}

/** Takes the complete events off the front of what has come; the rest waits for more. */
export function takeEvents(buffer: string): { events: StreamEvent[]; rest: string } {
  const blocks = buffer.replaceAll("\r\n", "\n").split("\n\n");
  const rest = blocks.pop() ?? "";
  return { events: blocks.flatMap(readBlock), rest };
}

function readBlock(block: string): StreamEvent[] {
  let event = "message";
  const data: string[] = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) event = line.slice(6).trim();
    else if (line.startsWith("data:")) data.push(line.slice(5).trimStart());
  }
  if (data.length === 0) return [];
  return [{ event, data: JSON.parse(data.join("\n")) as Record<string, unknown> }];
}

/** Yields the events of an answer as they come. */
export async function* eventsOf(response: Response): AsyncGenerator<StreamEvent> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) return;
  let buffer = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const taken = takeEvents(buffer + value);
    buffer = taken.rest;
    yield* taken.events;
  }
}
