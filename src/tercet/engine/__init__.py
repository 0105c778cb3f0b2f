"""The engine: durable executions of tasks, named steps, events, waits and timers (DESIGN, "The engine")."""
