"""The second gate: before each attempt, the approval of this very item is looked at again.

Source: bundle approval pattern (two-level gate); DESIGN: "Every send after an approval checks again that it
still stands".
"""

from __future__ import annotations

from typing import Any

from tercet.domain.codec import from_json
from tercet.domain.errors import NonRetryable
from tercet.engine.context import TaskContext
from tercet.store.approvals import load_item


class ApprovalDoesNotStand(NonRetryable):
    """Nobody approved this, or not any more, or something else was approved."""

    code = "APPROVAL_DOES_NOT_STAND"


async def check_approval_stands(context: TaskContext, step: str) -> None:
    """Raise ApprovalDoesNotStand unless the event's item is approved by `step` and is what was approved."""
    data: dict[str, Any] = context.event["data"]
    approval = data.get("approval")
    if not isinstance(approval, dict) or not isinstance(approval.get("item_id"), str):
        raise ApprovalDoesNotStand(
            f"the event carries no approval of {step!r}",
            hint="let the emits on the way carry the field `approval`",
        )
    await context.engine.journal.barrier()
    item = await context.engine.reader.read(load_item, approval["item_id"])
    if item is None or item["handler"] != step or item["execution_id"] != context.execution_id:
        raise ApprovalDoesNotStand(f"there is no such approval by {step!r} in this execution")
    if item["status"] != "approved":
        raise ApprovalDoesNotStand(f"the item is {item['status']}, not approved")
    if item["digest"] != approval.get("digest"):
        raise ApprovalDoesNotStand("the approval is for another content (its digest differs)")
    approved: dict[str, Any] = from_json(item["data"])
    changed = sorted(name for name, value in approved.items() if name in data and data[name] != value)
    if changed:
        raise ApprovalDoesNotStand(
            f"{', '.join(changed)} changed after the approval", hint="what people approve is what is sent"
        )
