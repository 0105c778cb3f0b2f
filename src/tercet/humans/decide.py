"""Deciding approvals: verdicts for each item, edits, reassignment; all of it one commit over all executions."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from tercet.domain.clock import to_iso
from tercet.domain.codec import from_json, to_json
from tercet.domain.errors import AlreadyDecided, Conflict, InvalidInput, NotFound
from tercet.domain.schema_check import schema_violation
from tercet.engine.changes import Change
from tercet.engine.engine import Engine
from tercet.engine.waiting import wake
from tercet.humans.person import Person, check_may_decide
from tercet.humans.rows import Locks, action_digest, bundle_digest, write_approval, write_item
from tercet.store import statements as sql
from tercet.store.approvals import load_approval
from tercet.store.reader import Record
from tercet.store.unit import Unit

Verdict = Literal["approve", "reject", "revise"]
_ITEM_STATUS = {
    "approve": "approved",
    "reject": "rejected",
    "revise": "revision_requested",
    "timeout": "expired",
}


class ItemVerdict(BaseModel):
    """The verdict on one item of a bundle; what is absent comes from the decision as a whole."""

    model_config = ConfigDict(extra="forbid")

    item_id: str
    decision: Verdict | None = None
    edits: dict[str, Any] | None = None
    feedback: str | None = Field(default=None, max_length=20_000)
    digest: str | None = None


class Decision(BaseModel):
    """What `POST /approvals/{id}/decision` takes."""

    model_config = ConfigDict(extra="forbid")

    decision: Literal["approve", "reject", "revise", "reassign"]
    items: list[str | ItemVerdict] | None = Field(default=None, max_length=10_000)
    edits: dict[str, Any] | None = None
    """Changed fields of the item; for a bundle by item id."""
    feedback: str | None = Field(default=None, max_length=20_000)
    option: str | None = Field(default=None, max_length=200)
    form: dict[str, Any] | None = None
    """What the person filled in."""
    digest: str | None = None
    """The digest of what was shown; a different one means that the approval has changed since."""
    assign_to: list[str] | None = Field(default=None, max_length=50)


class Decisions:
    """Decides approvals, for doors and for timers."""

    def __init__(self, engine: Engine, locks: Locks) -> None:
        self._engine = engine
        self._locks = locks

    async def load(self, approval_id: str, person: Person) -> Record:
        """Return an approval of the person's owner. Raises NotFound."""
        approval = await self._engine.reader.read(load_approval, approval_id)
        if approval is None or approval["owner_id"] != person.owner_id:
            raise NotFound(f"there is no approval {approval_id!r}")
        return approval

    async def decide(self, approval_id: str, decision: Decision, *, by: Person) -> Record:
        """Record the decision and wake what waited for it; return the approval as it is then.

        Raises NotFound, NotAllowed, AlreadyDecided, Conflict (changed since it was shown), InvalidInput.
        """
        async with self._locks.hold(approval_id):
            approval = await self.load(approval_id, by)
            spec: dict[str, Any] = from_json(approval["spec"])
            if approval["status"] != "pending":
                raise already_decided(approval)
            check_may_decide(
                by, who=spec.get("who") or {}, assigned_to=from_json(approval["assigned_to"] or "[]"),
                requested_by=approval["requested_by"],
            )  # fmt: skip
            if decision.digest is not None and decision.digest != approval["digest"]:
                raise Conflict(
                    "the approval has changed since it was shown", hint="look at it again, then decide"
                )
            if decision.decision == "reassign":
                await self._reassign(approval, decision, by)
                return approval
            check_option(spec, decision)
            verdicts = plan_verdicts(approval, spec, decision)
            await self.apply(approval, verdicts, decision, decided_by=by.user)
            return approval

    async def apply(
        self,
        approval: Record,
        verdicts: dict[str, dict[str, Any]],
        decision: Decision | None,
        *,
        decided_by: str | None,
    ) -> None:
        """Write the verdicts ({item_id: {decision, data, edits, feedback}}) and wake the tasks. Callers hold the lock."""
        items = {item["id"]: item for item in approval["items"] if item["id"] in verdicts}
        async with AsyncExitStack() as stack:
            states = {}
            for execution_id in sorted({item["execution_id"] for item in items.values()}):
                states[execution_id] = await stack.enter_async_context(self._engine.hold(execution_id))
            unit = Unit()
            changes = {key: self._engine.change(state, unit) for key, state in states.items()}
            for item_id, item in items.items():
                self._settle_item(
                    changes[item["execution_id"]], approval, item, verdicts[item_id], decision, decided_by
                )
            self._settle_approval(unit, approval, decision, decided_by)
            await self._engine.submit(*changes.values())

    def _settle_item(
        self, change: Change, approval: Record, item: Record, verdict: dict[str, Any], decision: Decision | None,
        decided_by: str | None,
    ) -> None:  # fmt: skip
        outcome = verdict["decision"]
        data = verdict["data"]
        item["status"] = _ITEM_STATUS[outcome]
        item["data"], item["edits"] = (to_json(data), to_json(verdict["edits"]) if verdict["edits"] else None)
        item["digest"] = action_digest(approval["handler"], item["title"], data)
        item["feedback"], item["decided_by"], item["decided_at_ms"] = (
            verdict["feedback"],
            decided_by,
            change.now_ms,
        )
        write_item(change.unit, item)
        result = {
            "decision": outcome,
            "data": data,
            "edits": verdict["edits"] or {},
            "feedback": verdict["feedback"],
            "option": decision.option if decision else None,
            "form": decision.form if decision else None,
            "decided_by": decided_by,
            "decided_at": to_iso(change.now_ms),
            "approval_id": approval["id"],
            "item_id": item["id"],
            "digest": item["digest"],
            **({"policy": verdict["policy"]} if "policy" in verdict else {}),
        }
        change.log(
            "approval_expired" if decided_by is None else "approval_decided", name=approval["handler"],
            task_id=item["task_id"], subtask_id=item["subtask_id"], agent_id=decided_by, status=item["status"],
            message=verdict["feedback"],
            output=to_json({"approval_id": approval["id"], "item_id": item["id"], "digest": item["digest"]}),
        )  # fmt: skip
        task = change.state.tasks.get(item["task_id"])
        if task is not None:
            wake(change, task, step=item["subtask_id"], result=result)
        change.touch()

    def _settle_approval(
        self, unit: Unit, approval: Record, decision: Decision | None, decided_by: str | None
    ) -> None:
        pending = [item for item in approval["items"] if item["status"] == "pending"]
        approval["items_open"] = len(pending)
        approval["digest"] = bundle_digest(pending or approval["items"])
        if not pending:
            outcomes = {item["status"] for item in approval["items"] if item["status"] != "cancelled"}
            approval["status"] = outcomes.pop() if len(outcomes) == 1 else "decided"
            approval["decision"] = decision.decision if decision else "timeout"
            approval["decided_by"], approval["decided_at_ms"] = (decided_by, self._engine.clock.now_ms())
            approval["option"] = decision.option if decision else None
            approval["feedback"] = decision.feedback if decision else None
            unit.add(sql.DELETE_APPROVAL_TIMERS, (approval["id"],))
        write_approval(unit, approval)

    async def _reassign(self, approval: Record, decision: Decision, by: Person) -> None:
        if not decision.assign_to:
            raise _invalid("assign_to", "names nobody", "give user or role names")
        approval["assigned_to"] = to_json(decision.assign_to)
        message = f"{by.user} → {', '.join(decision.assign_to)}"
        await self.log_everywhere(approval, "approval_reassigned", message, Unit(), by=by.user)

    async def log_everywhere(
        self,
        approval: Record,
        event_type: str,
        message: str,
        unit: Unit,
        *,
        by: str | None = None,
        items: list[Record] | None = None,
    ) -> None:
        """Write the approval's row and an event into every execution that it belongs to. Callers hold the lock."""
        async with AsyncExitStack() as stack:
            write_approval(unit, approval)
            executions = sorted(
                {item["execution_id"] for item in approval["items"] if item["status"] == "pending"}
            )
            states = [
                await stack.enter_async_context(self._engine.hold(execution_id))
                for execution_id in executions
            ]
            changes = [self._engine.change(state, unit) for state in states]
            for change in changes:
                change.log(
                    event_type, name=approval["handler"], message=message, agent_id=by,
                    output=to_json({"approval_id": approval["id"]}),
                )  # fmt: skip
            if changes:
                await self._engine.submit(*changes)
            else:
                await self._engine.journal.submit(unit)


def plan_verdicts(approval: Record, spec: dict[str, Any], decision: Decision) -> dict[str, dict[str, Any]]:
    """Return {item_id: {decision, data, edits, feedback}}. Raises InvalidInput with every field that is wrong."""
    pending = {item["id"]: item for item in approval["items"] if item["status"] == "pending"}
    chosen = _chosen(pending, approval, decision)
    editable = set(spec.get("editable") or [])
    verdicts: dict[str, dict[str, Any]] = {}
    for item_id, verdict in chosen.items():
        outcome = verdict.decision or decision.decision
        feedback = verdict.feedback or decision.feedback
        if outcome in ("reject", "revise") and not (feedback or "").strip():
            raise _invalid(
                "feedback", f"is required to {outcome}", "say why, so that the next round can do better"
            )
        item = pending[item_id]
        data = from_json(item["data"])
        if verdict.digest is not None and verdict.digest != item["digest"]:
            raise Conflict(
                f"the item {item_id} has changed since it was shown", hint="look at it again, then decide"
            )
        edits = (
            verdict.edits if verdict.edits is not None else _edits_for(decision.edits, item_id, len(chosen))
        )
        for field in edits or {}:
            if field not in editable:
                raise _invalid(
                    f"edits.{field}",
                    "cannot be edited",
                    f"editable: {', '.join(sorted(editable)) or 'nothing'}",
                )
        if outcome == "revise" and int(data.get("revision") or 0) >= int(spec.get("max_rejections") or 3):
            raise _invalid(
                "decision",
                f"the item was revised {data['revision']} times, which is the limit",
                "approve or reject it",
            )
        if outcome == "approve" and spec.get("form"):
            violation = schema_violation(spec["form"], decision.form or {})
            if violation is not None:
                raise _invalid("form", violation, "fill in the form")
        verdicts[item_id] = {
            "decision": outcome, "data": {**data, **(edits or {})}, "edits": edits or {}, "feedback": feedback,
        }  # fmt: skip
    return verdicts


def _chosen(pending: dict[str, Record], approval: Record, decision: Decision) -> dict[str, ItemVerdict]:
    if decision.items is None:
        if len(pending) > 1:
            raise _invalid(
                "items",
                f"is required: the bundle has {len(pending)} open items",
                "name the items that you mean",
            )
        return {item_id: ItemVerdict(item_id=item_id) for item_id in pending}
    known = {item["id"]: item for item in approval["items"]}
    chosen: dict[str, ItemVerdict] = {}
    for entry in decision.items:
        verdict = ItemVerdict(item_id=entry) if isinstance(entry, str) else entry
        item = known.get(verdict.item_id)
        if item is None:
            raise _invalid(
                "items", f"{verdict.item_id!r} is no item of this approval", "see GET /approvals/{id}"
            )
        if verdict.item_id in chosen:
            raise _invalid("items", f"{verdict.item_id!r} is named twice", "one verdict for each item")
        if item["status"] != "pending":
            raise AlreadyDecided(
                f"the item {item['id']} was decided ({item['status']}) by {item['decided_by']} at {to_iso(item['decided_at_ms'])}"
            )
        chosen[verdict.item_id] = verdict
    if not chosen:
        raise _invalid("items", "is empty", "name at least one item")
    return chosen


def _edits_for(edits: dict[str, Any] | None, item_id: str, count: int) -> dict[str, Any] | None:
    if edits is None:
        return None
    by_item = edits.get(item_id)
    if isinstance(by_item, dict):
        return by_item
    return edits if count == 1 else None


def check_option(spec: dict[str, Any], decision: Decision) -> None:
    """Raise InvalidInput for an option that is not offered."""
    options = spec.get("options") or []
    if decision.option is not None and decision.option not in options:
        raise _invalid(
            "option", f"{decision.option!r} is not offered", f"options: {', '.join(options) or 'none'}"
        )


def already_decided(approval: Record) -> AlreadyDecided:
    """Return the error that says who was faster."""
    who = approval["decided_by"] or "a timeout"
    return AlreadyDecided(
        f"the approval was decided ({approval['status']}) by {who} at {to_iso(approval['decided_at_ms'])}",
        detail=[
            {
                "decided_by": approval["decided_by"],
                "decided_at": to_iso(approval["decided_at_ms"]),
                "status": approval["status"],
            }
        ],
    )


def _invalid(field: str, rule: str, hint: str) -> InvalidInput:
    return InvalidInput(f"{field} {rule}", hint=hint, detail=[{"field": field, "rule": rule, "hint": hint}])
