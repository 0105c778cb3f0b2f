"""Opening approvals: the rows and the blocked task are one commit."""

from __future__ import annotations

from typing import Any

from tercet.domain.codec import from_json, to_json
from tercet.domain.duration import parse_seconds
from tercet.domain.errors import NonRetryable
from tercet.engine.changes import Change
from tercet.engine.context import TaskContext
from tercet.engine.engine import Engine
from tercet.engine.state import TaskState
from tercet.engine.timer_rows import insert_timer
from tercet.humans.rows import Locks, action_digest, bundle_digest, write_approval
from tercet.store import statements as sql
from tercet.store.approvals import find_open_bundle, load_approval
from tercet.store.reader import Record

_LARGEST_ITEM = 1_000_000
SPEC_KEYS = frozenset(
    {
        "instructions", "form", "editable", "summary", "options", "who", "reminders", "escalation", "timeout_seconds",
        "on_timeout", "max_rejections", "bundle_key", "bundle_expects", "bundle_window_seconds", "requested_by",
    }
)  # fmt: skip


class ApprovalRequests:
    """What `ctx.approval` and human steps call."""

    def __init__(self, engine: Engine, locks: Locks) -> None:
        self._engine = engine
        self._locks = locks

    async def __call__(
        self, context: TaskContext, step: str, *, title: str, data: dict[str, Any], spec: dict[str, Any]
    ) -> None:
        """Open an approval, or add an item to the open bundle, and suspend the task."""
        if "timeout" in spec:
            spec["timeout_seconds"] = parse_seconds(spec.pop("timeout"))
        unknown = sorted(set(spec) - SPEC_KEYS)
        if unknown:
            raise NonRetryable(
                f"an approval has no field {unknown[0]!r}", hint=f"known: {', '.join(sorted(SPEC_KEYS))}"
            )
        text = to_json(data)
        if len(text) > _LARGEST_ITEM:
            raise NonRetryable(
                f"an approval's item has at most {_LARGEST_ITEM:,} characters, not {len(text):,}"
            )
        handler, key = context.task.handler, spec.get("bundle_key")
        if key is None:
            change = context.change()
            open_approval(change, context.task, step, title=title, data=data, spec=spec)
            await context.suspend(change, f"waiting for a person: {title}", human=True)
        async with self._locks.hold(f"bundle:{context.state.owner_id}:{handler}:{key}"):
            approval_id = await self._engine.reader.read(
                find_open_bundle, owner_id=context.state.owner_id, handler=handler, bundle_key=str(key)
            )
            if approval_id is None:
                change = context.change()
                open_approval(
                    change, context.task, step, title=title, data=data, spec=spec, bundle_key=str(key)
                )
                await context.suspend(change, f"waiting for a person: {title}", human=True)
            assert approval_id is not None
            async with self._locks.hold(approval_id):
                approval = await self._engine.reader.read(load_approval, approval_id)
                if approval is None or approval["status"] != "pending":
                    change = context.change()
                    open_approval(
                        change, context.task, step, title=title, data=data, spec=spec, bundle_key=str(key)
                    )
                else:
                    change = self._join(context, step, title, data, spec, approval)
                await context.suspend(change, f"waiting for a person: {title}", human=True)

    def _join(
        self,
        context: TaskContext,
        step: str,
        title: str,
        data: dict[str, Any],
        spec: dict[str, Any],
        approval: Record,
    ) -> Change:
        change = context.change()
        item = _item(change, context.task, step, title, data, approval["id"])
        approval["items"].append(item)
        approval["items_total"] += 1
        approval["items_open"] += 1
        approval["digest"] = bundle_digest([i for i in approval["items"] if i["status"] == "pending"])
        expects = spec.get("bundle_expects")
        if approval["ready_at_ms"] is None:
            if expects is not None and approval["items_total"] >= int(expects):
                make_ready(change, approval, from_json(approval["spec"]))
            elif spec.get("bundle_window_seconds") is not None:
                change.unit.add(sql.DELETE_APPROVAL_TIMERS, (approval["id"],))
                _start_window(change, approval["id"], spec)
        write_approval(change.unit, approval)
        return change


def open_approval(
    change: Change,
    task: TaskState,
    step: str,
    *,
    title: str,
    data: dict[str, Any],
    spec: dict[str, Any],
    bundle_key: str | None = None,
) -> str:
    """Add a new approval with one item for the task's step to the change; return the approval's id."""
    approval_id = change.mint.mint("apr")
    item = _item(change, task, step, title, data, approval_id)
    ready = bundle_key is None or (
        spec.get("bundle_expects") in (None, 1) and spec.get("bundle_window_seconds") is None
    )
    change.unit.add(
        sql.INSERT_APPROVAL,
        (
            approval_id, change.state.owner_id, change.state.id if bundle_key is None else None,
            task.handler, bundle_key, title, "pending", to_json(spec), bundle_digest([item]), 1, 1,
            spec.get("requested_by"), None, 0, change.now_ms if ready else None, None,
            _expiry(change, spec) if ready else None, None, None, None, None, None, change.now_ms,
        ),
    )  # fmt: skip
    if ready:
        start_deadlines(change, approval_id, spec)
    else:
        _start_window(change, approval_id, spec)
    return approval_id


def _item(
    change: Change, task: TaskState, step: str, title: str, data: dict[str, Any], approval_id: str
) -> Record:
    item_id = change.mint.mint("itm")
    item_digest = action_digest(task.handler, title, data)
    change.begin_step(task, step)
    change.unit.add(
        sql.INSERT_APPROVAL_ITEM,
        (
            item_id, approval_id, change.state.id, task.id, step, title, to_json(data), item_digest, "pending",
            None, None, None, None, change.now_ms,
        ),
    )  # fmt: skip
    change.log(
        "approval_requested", name=task.handler, task_id=task.id, subtask_id=step, message=title,
        output=to_json({"approval_id": approval_id, "item_id": item_id, "digest": item_digest}),
        human_review_required=True,
    )  # fmt: skip
    return {"id": item_id, "digest": item_digest, "status": "pending"}


def make_ready(change: Change, approval: Record, spec: dict[str, Any]) -> None:
    """The bundle is complete: people see it as ready, and its deadlines begin."""
    change.unit.add(sql.DELETE_APPROVAL_TIMERS, (approval["id"],))
    approval["ready_at_ms"] = change.now_ms
    approval["expires_at_ms"] = _expiry(change, spec)
    start_deadlines(change, approval["id"], spec)
    change.log(
        "approval_ready", name=approval["handler"], message=f"{approval['items_open']} items",
        output=to_json({"approval_id": approval["id"]}),
    )  # fmt: skip


def start_deadlines(change: Change, approval_id: str, spec: dict[str, Any]) -> None:
    """Insert the timers for reminder, escalation and timeout."""
    wanted = [
        ("approval_reminder", (spec.get("reminders") or {}).get("every_seconds")),
        ("approval_escalation", (spec.get("escalation") or {}).get("after_seconds")),
        ("approval_timeout", spec.get("timeout_seconds")),
    ]
    for kind, seconds in wanted:
        if seconds is not None:
            insert_timer(
                change.unit,
                change.mint,
                kind=kind,
                due_at_ms=change.now_ms + int(seconds * 1000),
                approval_id=approval_id,
            )


def _start_window(change: Change, approval_id: str, spec: dict[str, Any]) -> None:
    seconds = spec.get("bundle_window_seconds")
    if seconds is not None:
        insert_timer(
            change.unit, change.mint, kind="approval_window", due_at_ms=change.now_ms + int(seconds * 1000),
            approval_id=approval_id,
        )  # fmt: skip


def _expiry(change: Change, spec: dict[str, Any]) -> int | None:
    seconds = spec.get("timeout_seconds")
    return None if seconds is None else change.now_ms + int(seconds * 1000)
