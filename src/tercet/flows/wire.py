"""Rows as the doors show them: ids called what they are, times in ISO 8601, money in dollars.

What executions, tasks and events carry is masked unless a `view` says otherwise. Approvals never are: one
decides on the exact action.
"""

from __future__ import annotations

from typing import Any

from tercet.domain.clock import to_iso
from tercet.domain.codec import from_json
from tercet.domain.ids import event_id
from tercet.domain.masking import View, mask_value, may_hold_personal_data
from tercet.domain.prices import from_pico
from tercet.store.reader import Record


def _json(text: str | None) -> Any:
    return None if text is None else from_json(text)


def _shown(text: str | None, view: View) -> Any:
    """Return what a JSON column holds, as the view shows it."""
    if text is None:
        return None
    return view(from_json(text)) if may_hold_personal_data(text) else from_json(text)


def execution_to_wire(row: Record, view: View = mask_value) -> dict[str, Any]:
    """Return an execution."""
    total, completed = row["tasks_total"], row["tasks_completed"]
    return {
        "execution_id": row["id"],
        "kind": row["kind"],
        "name": row["name"],
        "manifest_id": row["manifest_id"],
        "plan_id": row["plan_id"],
        "agent_id": row["agent_id"],
        "requested_by": row["requested_by"],
        "retry_of": row["retry_of"],
        "status": row["status"],
        "status_message": view(row["status_message"]),
        "progress": {
            "tasks_total": total,
            "tasks_completed": completed,
            "percent": 100 if row["status"] == "COMPLETED" else (100 * completed // total if total else 0),
        },
        "pause_requested": bool(row["pause_requested"]),
        "cancel_requested": bool(row["cancel_requested"]),
        "created_at": to_iso(row["created_at_ms"]),
        "started_at": to_iso(row["started_at_ms"]),
        "completed_at": to_iso(row["completed_at_ms"]),
        "updated_at": to_iso(row["updated_at_ms"]),
    }


def task_to_wire(row: Record, view: View = mask_value) -> dict[str, Any]:
    """Return a task with its subtasks."""
    return {
        "task_id": row["id"],
        "handler": row["handler"],
        "executor": row["executor"],
        "status": row["status"],
        "status_message": view(row["status_message"]),
        "event_id": event_id(row["execution_id"], row["event_seq"]),
        "attempt": row["attempt"],
        "max_attempts": row["max_attempts"],
        "priority": row["priority"],
        "due_at": to_iso(row["due_at_ms"]),
        "result_data": _shown(row["result_data"], view),
        "error_type": row["error_type"],
        "error_message": view(row["error_message"]),
        "created_at": to_iso(row["created_at_ms"]),
        "started_at": to_iso(row["started_at_ms"]),
        "completed_at": to_iso(row["completed_at_ms"]),
        "subtasks": [subtask_to_wire(step, view) for step in row.get("subtasks", [])],
    }


def subtask_to_wire(row: Record, view: View = mask_value) -> dict[str, Any]:
    """Return a named step."""
    return {
        "subtask_id": f"{row['task_id']}/{row['name']}",
        "name": row["name"],
        "status": row["status"],
        "attempt": row["attempt"],
        "result_data": _shown(row["result_data"], view),
        "started_at": to_iso(row["started_at_ms"]),
        "completed_at": to_iso(row["completed_at_ms"]),
    }


def plan_event_to_wire(row: Record, view: View = mask_value) -> dict[str, Any]:
    """Return an event of a plan's execution: `task_id` is the plan's own, as agents know it (spec 5 §4)."""
    wire = event_to_wire(row, view)
    if row["task_id"] is not None or row["name"] is not None:
        named = row["subtask_id"] if row["subtask_id"] and ":" not in row["subtask_id"] else row["name"]
        wire |= {"task_id": named, "execution_task_id": row["task_id"]}
    return wire


def event_to_wire(row: Record, view: View = mask_value) -> dict[str, Any]:
    """Return an event of the log."""
    return {
        "event_id": event_id(row["execution_id"], row["seq"]),
        "execution_id": row["execution_id"],
        "seq": row["seq"],
        "event_type": row["event_type"],
        "name": row["name"],
        "task_id": row["task_id"],
        "subtask_id": row["subtask_id"],
        "agent_id": row["agent_id"],
        "status": row["status"],
        "message": view(row["message"]),
        "output_data": _shown(row["output_data"], view),
        "error_type": row["error_type"],
        "error_message": view(row["error_message"]),
        "human_review_required": bool(row["human_review_required"]),
        "timestamp": to_iso(row["at_ms"]),
        "agent_timestamp": to_iso(row["agent_at_ms"]),
    }


def approval_to_wire(row: Record) -> dict[str, Any]:
    """Return an approval; with its items when the row has them."""
    spec = from_json(row["spec"])
    wire = {
        "approval_id": row["id"],
        "handler": row["handler"],
        "bundle_key": row["bundle_key"],
        "title": row["title"],
        "status": row["status"],
        "digest": row["digest"],
        "items_total": row["items_total"],
        "items_open": row["items_open"],
        "ready": row["ready_at_ms"] is not None,
        "instructions": spec.get("instructions"),
        "form": spec.get("form"),
        "editable": spec.get("editable", []),
        "summary": spec.get("summary", []),
        "next_step_options": spec.get("options", []),
        "who": spec.get("who"),
        "requested_by": row["requested_by"],
        "assigned_to": _json(row["assigned_to"]) or [],
        "reminders_sent": row["reminders_sent"],
        "created_at": to_iso(row["created_at_ms"]),
        "expires_at": to_iso(row["expires_at_ms"]),
        "escalated_at": to_iso(row["escalated_at_ms"]),
        "decided_at": to_iso(row["decided_at_ms"]),
        "decided_by": row["decided_by"],
        "decision": row["decision"],
        "option": row["option"],
        "feedback": row["feedback"],
    }
    if "items" in row:
        wire["items"] = [_item_to_wire(item) for item in row["items"]]
    return wire


def _item_to_wire(item: Record) -> dict[str, Any]:
    return {
        "item_id": item["id"],
        "execution_id": item["execution_id"],
        "task_id": item["task_id"],
        "title": item["title"],
        "data": from_json(item["data"]),
        "digest": item["digest"],
        "status": item["status"],
        "edits": _json(item["edits"]),
        "feedback": item["feedback"],
        "decided_by": item["decided_by"],
        "decided_at": to_iso(item["decided_at_ms"]),
    }


def costs_to_wire(row: Record) -> dict[str, Any]:
    """Return sums of the ledger."""
    wire: dict[str, Any] = {
        "calls": row["calls"],
        "cost_usd": float(from_pico(int(row["cost_picousd"]))),
        "tokens_input": int(row["tokens_input"]),
        "tokens_output": int(row["tokens_output"]),
        "total_tokens": int(row["tokens_input"]) + int(row["tokens_output"]),
    }
    if "reserved_picousd" in row:
        wire["reserved_usd"] = float(from_pico(int(row["reserved_picousd"])))
        wire["flagged_calls"] = int(row["flagged_calls"])
        wire["unpriced_calls"] = int(row["unpriced_calls"])
    return wire
