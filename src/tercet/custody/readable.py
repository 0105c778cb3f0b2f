"""The pages of an export that a person reads."""

from __future__ import annotations

from collections.abc import Sequence

from tercet.domain.clock import to_iso
from tercet.domain.codec import to_json
from tercet.store.reader import Record

_README = """# Export of {owner}

Written {at}. Nothing here needs Tercet to be read.

- `tables/NAME.jsonl`: every row of yours, one JSON object a line: {tables}.
  Times that end in `_at_ms` are milliseconds since 1970, UTC; amounts that end in `_picousd` are 10⁻¹² US dollars.
- `readable/EXECUTION.md`: what happened in an execution, oldest first.
- `archived/EXECUTION.jsonl`: executions that have left the database, `{{"table", "row"}}` a line.

What was encrypted in the database is in clear here: keep this file accordingly.
API keys, webhook secrets and the digests of tokens are left out. A row with `unreadable` names columns whose key is lost.
"""


def readme(owner_id: str, tables: Sequence[str], now_ms: int) -> str:
    """Return what the parts of an export are."""
    return _README.format(owner=owner_id, at=to_iso(now_ms), tables=", ".join(f"`{name}`" for name in tables))


def execution_page(execution: Record, events: Sequence[Record]) -> str:
    """Return an execution's story as Markdown."""
    lines = [
        f"# {execution['name']}: {execution['status']}",
        "",
        f"Execution `{execution['id']}`, begun {to_iso(execution['created_at_ms'])}"
        + (f", ended {to_iso(execution['completed_at_ms'])}" if execution["completed_at_ms"] else ""),
        "",
    ]
    for event in events:
        said = " ".join(
            str(event[name])
            for name in ("name", "subtask_id", "message", "error_message")
            if event[name] is not None
        )
        lines.append(f"- {to_iso(event['at_ms'])} **{event['event_type']}** {said}".rstrip())
        if event["output_data"] is not None:
            lines += ["", "  ```json", f"  {to_json(event['output_data'])}", "  ```", ""]
    return "\n".join(lines) + "\n"
