"""Chat that executes: a message is persisted, decided on, judged, executed, answered; each a durable step."""
