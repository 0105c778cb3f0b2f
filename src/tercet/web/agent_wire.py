"""Agents and runs as spec 3 shows them."""

from __future__ import annotations

from typing import Any

from tercet.agent.agents import RegisteredAgent
from tercet.domain.clock import to_iso
from tercet.domain.prices import from_pico
from tercet.domain.status import ExecutionStatus
from tercet.plans.workers import Worker

_STATES = {
    ExecutionStatus.COMPLETED: "completed",
    ExecutionStatus.FAILED: "failed",
    ExecutionStatus.CANCELLED: "cancelled",
    ExecutionStatus.BLOCKED: "waiting",
    ExecutionStatus.PAUSED: "paused",
}


def agent_to_wire(agent: RegisteredAgent) -> dict[str, Any]:
    """Return an agent; of its key only whether there is one."""
    return {
        "id": agent.id,
        **agent.config.model_dump(mode="json", by_alias=True),
        "is_active": agent.is_active,
        "has_api_key": agent.has_api_key,
        "revision": agent.revision,
        "created_at": to_iso(agent.created_at_ms),
        "updated_at": to_iso(agent.updated_at_ms),
    }


def worker_to_wire(worker: Worker) -> dict[str, Any]:
    """Return an agent worker, without secrets."""
    return {
        "agent_id": worker.id,
        "name": worker.name,
        "role": worker.role,
        "capabilities": worker.capabilities,
        "poll_endpoint": worker.poll_endpoint or f"/api/agents/{worker.id}/work",
        "webhook_url": worker.webhook_url,
        "is_active": worker.is_active,
        "last_heartbeat": to_iso(worker.last_seen_ms),
        "created_at": to_iso(worker.created_at_ms),
    }


def state_of(status: ExecutionStatus) -> str:
    """Return spec 3's word for a status."""
    return _STATES.get(status, "running")


def output_to_wire(stored: dict[str, Any], history: list[dict[str, str]]) -> dict[str, Any]:
    """Return a run's output: {response, tool_results, conversation_history, tokens_used, cost_usd, state}."""
    out: dict[str, Any] = {
        "response": stored["response"],
        "tool_results": stored["tool_results"],
        "conversation_history": history,
        "tokens_used": stored["tokens_used"],
        "cost_usd": stored["cost_usd"],
        "state": "completed",
    }
    return {**out, **{name: stored[name] for name in ("data", "flags") if name in stored}}


def figures_to_wire(row: dict[str, Any]) -> dict[str, Any]:
    """Return an agent's figures; rates are None before the first run has ended."""
    ended = row["completed"] + row["failed"]
    cost_usd = float(from_pico(row["cost_picousd"]))
    return {
        "runs": row["runs"],
        "completed": row["completed"],
        "failed": row["failed"],
        "success_rate": row["completed"] / ended if ended else None,
        "mean_seconds": None if row["mean_ms"] is None else float(row["mean_ms"]) / 1000,
        "model_calls": row["model_calls"],
        "tokens_input": row["tokens_input"],
        "tokens_output": row["tokens_output"],
        "tokens_used": row["tokens_input"] + row["tokens_output"],
        "cost_usd": cost_usd,
        "mean_cost_usd": cost_usd / row["runs"] if row["runs"] else None,
        "errors_by_type": row["errors"],
        "tools": row["tools"],
    }
