"""Routes for operators: ledger, tokens, health, metrics."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response
from prometheus_client import CollectorRegistry, Gauge, generate_latest
from pydantic import BaseModel, ConfigDict, Field

import tercet
from tercet.domain.clock import to_datetime, to_iso
from tercet.domain.errors import NotAllowed
from tercet.domain.ids import first_id
from tercet.domain.prices import from_pico
from tercet.domain.savings import suggest_savings
from tercet.engine.definition import BudgetRule
from tercet.flows.wire import costs_to_wire
from tercet.store.agents import agent_names
from tercet.store.approvals import count_pending
from tercet.store.ledger import summarize, sums_of, usage_lines
from tercet.store.listing import count_by_hour, count_by_status, task_counts
from tercet.web.access import Caller, Node, body_schema, json_body, parse

router = APIRouter(tags=["operations"])
plain = APIRouter(tags=["operations"])
_HOUR_MS = 3_600_000


class TokenIn(BaseModel):
    """A token to create."""

    model_config = ConfigDict(extra="forbid")

    user: str = Field(min_length=1, max_length=200)
    role: Literal["owner", "admin", "member", "viewer", "agent"] = "member"


@router.get("/admin/metrics")
async def admin_metrics(node: Node, person: Caller) -> dict[str, Any]:
    """Return how many executions, agents and approvals there are, and what waits; for owners and admins."""
    if person.role not in ("owner", "admin"):
        raise NotAllowed(f"a {person.role} may not see the figures of all")
    now_ms = node.engine.clock.now_ms()
    workers = list(node.plan_work.workers.of_owner(person.owner_id))
    counts = await node.reader.read(count_by_status, owner_id=person.owner_id)
    return {
        "executions": counts,
        "executions_total": sum(counts.values()),
        "approvals_pending": await node.reader.read(count_pending, owner_id=person.owner_id),
        "agents": {
            "total": len(workers),
            "active": sum(worker.is_active for worker in workers),
            "seen_in_5_minutes": sum(now_ms - (worker.last_seen_ms or 0) <= 300_000 for worker in workers),
            "waiting_for_work": node.plan_work.board.waiting_of(person.owner_id),
        },
        "running_attempts": node.engine.running_attempts,
        "timestamp": to_iso(now_ms),
    }


@router.get("/throughput")
async def throughput(
    node: Node, person: Caller, hours: Annotated[int, Query(ge=1, le=168)] = 24
) -> dict[str, Any]:
    """Return how many executions began in each of the last hours, and how they stand now."""
    this_hour = node.engine.clock.now_ms() // _HOUR_MS
    first = this_hour - hours + 1
    counts = await node.reader.read(
        count_by_hour, owner_id=person.owner_id, from_id=first_id("exe", first * _HOUR_MS)
    )
    items = [
        {
            "hour": to_iso(hour * _HOUR_MS),
            "started": sum(counts.get(hour, {}).values()),
            "completed": counts.get(hour, {}).get("COMPLETED", 0),
            "failed": counts.get(hour, {}).get("FAILED", 0),
        }
        for hour in range(first, this_hour + 1)
    ]
    return {"items": items, "next_cursor": None}


@router.get("/ledger")
async def ledger(
    node: Node,
    person: Caller,
    group_by: Annotated[Literal["agent", "model", "execution", "day"], Query()] = "agent",
    execution_id: Annotated[str | None, Query(max_length=100)] = None,
) -> dict[str, Any]:
    """Return what was spent, by group."""
    rows = await node.reader.read(
        summarize, owner_id=person.owner_id, group_by=group_by, execution_id=execution_id
    )
    names = await node.reader.read(agent_names, owner_id=person.owner_id) if group_by == "agent" else {}
    items = [
        {"key": row["key"], "name": names.get(row["key"], row["key"]), **costs_to_wire(row)} for row in rows
    ]
    return {"items": items, "next_cursor": None, "models": node.models.kind, "note": node.models.note}


@router.get("/budgets")
async def budgets(node: Node, person: Caller) -> dict[str, Any]:
    """Return the budgets of the manifests in force, with what is settled and reserved where they count one sum."""
    today = to_datetime(node.engine.clock.now_ms()).date().isoformat()
    items = []
    for deployed in node.catalog.all_active(person.owner_id):
        for rule in deployed.definition.budgets:
            scope = _scope_of(rule, today)
            row = (
                None if scope is None else await node.reader.read(sums_of, owner_id=person.owner_id, **scope)
            )
            items.append(
                {
                    "manifest": deployed.name,
                    "scope": rule.scope,
                    "name": rule.name,
                    "limit_usd": None if rule.limit_usd is None else float(rule.limit_usd),
                    "limit_tokens": rule.limit_tokens,
                    "on_limit": rule.on_limit,
                    "settled_usd": None if row is None else float(from_pico(row["settled_picousd"])),
                    "reserved_usd": None if row is None else float(from_pico(row["reserved_picousd"])),
                    "tokens": None if row is None else row["tokens"],
                }
            )
    return {"items": items, "next_cursor": None}


def _scope_of(rule: BudgetRule, today: str) -> dict[str, str] | None:
    """Return what the rule sums up; None when it counts calls, executions or agents one by one."""
    if rule.scope == "owner":
        return {}
    if rule.scope == "day":
        return {"day": today}
    return {"agent": rule.name} if rule.scope == "agent" and rule.name is not None else None


@router.get("/costs/suggestions")
async def cost_suggestions(
    node: Node, person: Caller, days: Annotated[int, Query(ge=1, le=3_660)] = 30
) -> dict[str, Any]:
    """Propose what would have cost less in the last days, with the numbers behind each proposal."""
    since = to_datetime(node.engine.clock.now_ms()) - timedelta(days=days)
    lines = await node.reader.read(usage_lines, owner_id=person.owner_id, since_day=since.date().isoformat())
    found = suggest_savings(lines, node.models.overrides)
    return {
        "items": [item.to_wire() for item in found],
        "days": days,
        "next_cursor": None,
        "note": node.models.note,
    }


@router.post("/tokens", status_code=201, openapi_extra=body_schema(TokenIn))
async def create_token(request: Request, node: Node, person: Caller) -> dict[str, Any]:
    """Create a token for the caller's owner; it is shown once."""
    _check_owner(person.role)
    wanted = parse(TokenIn, await json_body(request))
    token_id, token = await node.tokens.create(user=wanted.user, role=wanted.role, owner_id=person.owner_id)
    return {"token_id": token_id, "token": token, "user": wanted.user, "role": wanted.role}


@router.get("/tokens")
async def list_tokens(node: Node, person: Caller) -> dict[str, Any]:
    """Return the owner's tokens, without the tokens themselves."""
    _check_owner(person.role)
    items = [
        {
            "token_id": row["id"],
            "user": row["user"],
            "role": row["role"],
            "created_at": to_iso(row["created_at_ms"]),
            "revoked_at": to_iso(row["revoked_at_ms"]),
        }
        for row in await node.tokens.list(person.owner_id)
    ]
    return {"items": items, "next_cursor": None}


@router.delete("/tokens/{token_id}", status_code=204)
async def revoke_token(token_id: str, node: Node, person: Caller) -> None:
    """End a token."""
    _check_owner(person.role)
    await node.tokens.revoke(token_id, owner_id=person.owner_id)


def _check_owner(role: str) -> None:
    if role not in ("owner", "admin"):
        raise NotAllowed(f"a {role} may not manage tokens")


@plain.get("/healthz")
async def healthz() -> dict[str, Any]:
    """Return that the process lives."""
    return {"status": "ok", "version": tercet.__version__}


@plain.get("/readyz")
async def readyz(node: Node) -> dict[str, Any]:
    """Return that the node takes work: a commit goes through."""
    await node.engine.journal.barrier()
    return {"status": "ready", "models": node.models.kind, "note": node.models.note}


@plain.get("/metrics")
async def metrics(node: Node) -> Response:
    """Return Prometheus metrics."""
    registry = CollectorRegistry()
    executions = Gauge("tercet_executions", "Executions by status.", ["status"], registry=registry)
    tasks = Gauge("tercet_tasks", "Open tasks by status.", ["status"], registry=registry)
    running = Gauge("tercet_running_attempts", "Attempts that run in this process.", registry=registry)
    for status, count in (await node.reader.read(count_by_status)).items():
        executions.labels(status).set(count)
    for status, count in (await node.reader.read(task_counts)).items():
        tasks.labels(status).set(count)
    running.set(node.engine.running_attempts)
    return Response(generate_latest(registry), media_type="text/plain; version=0.0.4; charset=utf-8")
