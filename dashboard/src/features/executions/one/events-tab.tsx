import { Group, Select, Text, TextInput } from "@mantine/core";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef, useState } from "react";

import classes from "@/features/executions/one/events-tab.module.css";
import type { LogEvent } from "@/shared/api/wire";
import { JsonView } from "@/shared/data/json-view";
import { formatCount } from "@/shared/money";
import { EmptyState } from "@/shared/states/states";
import { When } from "@/shared/time/when";

const ROW = 30;

/** The log, newest first; each event opens to all that it carries. */
export function EventsTab({ log, onTask }: { log: LogEvent[]; onTask: (taskId: string) => void }) {
  const [type, setType] = useState<string | null>(null);
  const [text, setText] = useState("");
  const types = useMemo(() => [...new Set(log.map((event) => event.event_type))].sort(), [log]);
  const shown = useMemo(() => log.filter((event) => isWanted(event, type, text)).reverse(), [log, type, text]);
  return (
    <>
      <Group gap="xs" mb="sm">
        <Select aria-label="Type" placeholder="Any type" data={types} value={type} onChange={setType} clearable searchable w={210} />
        <TextInput aria-label="Text" placeholder="Name, task, agent or message" value={text} onChange={(event) => setText(event.currentTarget.value)} w={230} />
        <Text size="xs" c="dimmed" ml="auto">
          {formatCount(shown.length)} of {formatCount(log.length)}
        </Text>
      </Group>
      {shown.length === 0 ? <EmptyState title="No such event">The log has nothing that fits.</EmptyState> : <EventRows events={shown} onTask={onTask} />}
    </>
  );
}

function isWanted(event: LogEvent, type: string | null, text: string): boolean {
  if (type !== null && event.event_type !== type) return false;
  if (text.trim() === "") return true;
  const all = [event.name, event.task_id, event.subtask_id, event.agent_id, event.message, event.error_message];
  return all.join(" ").toLowerCase().includes(text.trim().toLowerCase());
}

function EventRows({ events, onTask }: { events: LogEvent[]; onTask: (taskId: string) => void }) {
  const place = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState<number | null>(null);
  const virtual = useVirtualizer({
    count: events.length,
    getScrollElement: () => place.current,
    estimateSize: () => ROW,
    getItemKey: (index) => events[index]?.seq ?? index,
    overscan: 15,
  });
  return (
    <div ref={place} className={`panel ${classes.scroll}`} role="region" aria-label="Events" tabIndex={0}>
      <div className={classes.space} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((item) => {
          const event = events[item.index];
          if (event === undefined) return null;
          const isOpen = open === event.seq;
          return (
            <div key={item.key} ref={virtual.measureElement} data-index={item.index} className={classes.slot} style={{ transform: `translateY(${item.start}px)` }}>
              <EventLine event={event} isOpen={isOpen} onToggle={() => setOpen(isOpen ? null : event.seq)} />
              {isOpen && <EventBody event={event} onTask={onTask} />}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function EventLine({ event, isOpen, onToggle }: { event: LogEvent; isOpen: boolean; onToggle: () => void }) {
  return (
    <button type="button" className={classes.line} aria-expanded={isOpen} onClick={onToggle}>
      <span className={`${classes.seq} numbers`}>{event.seq}</span>
      <span className="dim">
        <When at={event.timestamp} as="clock" />
      </span>
      <span className={`mono clip ${classes.type}`} data-bad={event.error_type !== null || undefined}>
        {event.event_type}
      </span>
      <span className="clip">{[event.name, event.subtask_id].filter(Boolean).join(" / ")}</span>
      <span className={`clip dim ${classes.rest}`}>{event.error_message ?? event.message ?? ""}</span>
    </button>
  );
}

function EventBody({ event, onTask }: { event: LogEvent; onTask: (taskId: string) => void }) {
  const { output_data: output, task_id: taskId, ...facts } = event;
  const told = Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null && value !== false));
  return (
    <div className={classes.body}>
      <JsonView value={told} label="Fields" />
      {output !== null && <JsonView value={output} label="Data" />}
      {taskId !== null && (
        <button type="button" className={`link ${classes.plain}`} onClick={() => onTask(taskId)}>
          Open the task
        </button>
      )}
    </div>
  );
}
