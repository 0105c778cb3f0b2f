import classes from "@/features/executions/one/task-log.module.css";
import type { LogEvent } from "@/shared/api/wire";
import { When } from "@/shared/time/when";

/** The events of one task in the order in which they happened. */
export function TaskLog({ events }: { events: LogEvent[] }) {
  return (
    <ol className={classes.log}>
      {events.map((event) => (
        <li key={event.seq}>
          <span className="dim">
            <When at={event.timestamp} as="clock" />
          </span>
          <span>
            <span className="mono">{event.event_type}</span> <span className="dim">{event.subtask_id}</span>
            {(event.error_message ?? event.message) !== null && event.event_type !== "task_started" && (
              <span className={`dim ${classes.message}`}>{event.error_message ?? event.message ?? ""}</span>
            )}
          </span>
        </li>
      ))}
    </ol>
  );
}
