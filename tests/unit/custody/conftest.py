"""A small shop whose data are told apart from everything else on the disk."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tercet.domain.errors import NonRetryable
from tercet.harness import Flow, open_flow

MANIFEST = """
name: shop
events:
  - {name: order.sent}
  - {name: order.checked}
  - {name: order.approved}
  - {name: order.rejected, description: final}
  - {name: order.shipped, description: final}
functions:
  - {name: check, trigger: {event: order.sent}, handler: "test:check", emits: [{event: order.checked, carry: true}]}
  - {name: ship, trigger: {event: order.approved}, requires_approval: review, handler: "test:ship", emits: [order.shipped]}
humans:
  - name: review
    trigger: {event: order.checked}
    title: "Ship to {{ name }}"
    editable: [note]
    emits: [{event: order.approved, carry: true}, {event: order.rejected, on: reject}]
"""
CANARY = "Quokka-Person"
"""Is in everything that is sent, and nowhere else."""


async def check(event: dict[str, Any], ctx: Any) -> dict[str, Any]:
    async def look_up(name: str) -> str:
        return f"{name} is known"

    return {"note": await ctx.step("look-up", look_up, event["data"]["name"])}


async def ship(event: dict[str, Any], ctx: Any) -> dict[str, Any]:
    if event["data"]["name"].endswith("fails"):
        raise NonRetryable(f"no address of {event['data']['name']}")
    return {"label": f"to {event['data']['name']}"}


@asynccontextmanager
async def open_shop(folder: Path, *, manifest: str = MANIFEST, **settings: Any) -> AsyncIterator[Flow]:
    async with open_flow(folder, manifest, {"check": check, "ship": ship}, **settings) as flow:
        yield flow


async def order(flow: Flow, name: str = CANARY) -> str:
    """Send an order and approve it; return the execution, which has ended."""
    execution_id = await flow.send("order.sent", {"name": name})
    await flow.idle()
    (approval,) = await flow.approvals()
    await flow.decide(approval["id"], decision="approve", feedback=f"fine, {name}")
    await flow.idle()
    return execution_id


def on_disk(folder: Path) -> bytes:
    """Return every byte of the database and its log."""
    return b"".join(path.read_bytes() for path in sorted(folder.glob("tercet.db*")))
