"""Who acts as an agent worker, and how often it may (spec 5 §9)."""

from __future__ import annotations

import math
import time

from fastapi import Request, Response
from limits import RateLimitItemPerMinute
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import SlidingWindowCounterRateLimiter

from tercet.domain.errors import NotAllowed, NotAuthenticated, RateLimitExceededError
from tercet.plans.workers import Worker
from tercet.web.access import node_of, person_of


class AgentRates:
    """Counts the requests of each agent worker over a sliding minute."""

    def __init__(self, per_minute: int) -> None:
        self._limit = RateLimitItemPerMinute(per_minute)
        self._limiter = SlidingWindowCounterRateLimiter(MemoryStorage())

    async def count(self, agent_id: str) -> dict[str, str]:
        """Count a request; return the `RateLimit-*` headers. Raises TooManyRequests."""
        allowed = await self._limiter.hit(self._limit, agent_id)
        stats = await self._limiter.get_window_stats(self._limit, agent_id)
        seconds = max(1, math.ceil(stats.reset_time - time.time()))
        headers = {
            "RateLimit-Limit": str(self._limit.amount),
            "RateLimit-Remaining": str(max(0, stats.remaining)),
            "RateLimit-Reset": str(seconds),
        }
        if not allowed:
            raise TooManyRequests(self._limit.amount, headers | {"Retry-After": str(seconds)})
        return headers


class TooManyRequests(RateLimitExceededError):
    """An agent worker sent more requests than it may."""

    def __init__(self, per_minute: int, headers: dict[str, str]) -> None:
        super().__init__(
            f"an agent may send {per_minute} requests a minute",
            hint="send events in batches, and poll with wait=SECONDS; see Retry-After",
        )
        self.headers = headers


async def check_known(request: Request) -> None:
    """Raise NotAuthenticated before anything is said about the body; a signature is judged with it."""
    if "authorization" in request.headers or "webhook-signature" not in request.headers:
        await person_of(request)


async def act_as(request: Request, response: Response, agent_id: str) -> Worker:
    """Return the agent worker that the caller acts for. Raises NotAuthenticated, NotAllowed, NotFound, TooManyRequests.

    An agent's key acts for that agent only, and so does the signature of an agent with a webhook; a person who may
    change things acts for any agent of the owner.
    """
    if "authorization" not in request.headers and "webhook-signature" in request.headers:
        return await _signed(request, response, agent_id)
    person = await person_of(request)
    if person.is_agent:
        response.headers.update(await request.app.state.agent_rates.count(person.user))
        if person.user != agent_id:
            raise NotAllowed(f"this key is not the one of the agent {agent_id!r}")
    elif person.role == "viewer":
        raise NotAllowed("a viewer may not act for an agent")
    return (await node_of(request)).plan_work.workers.get(agent_id, owner_id=person.owner_id)


async def _signed(request: Request, response: Response, agent_id: str) -> Worker:
    """Return the agent whose webhook secret signed the request; each signed message is taken once."""
    node = await node_of(request)
    worker = node.plan_work.workers.find(agent_id)
    secret = node.plan_work.workers.secret_of(worker) if worker is not None else None
    if worker is None or secret is None:
        raise NotAuthenticated("the signature does not belong to an agent with a webhook")
    await node.replays.take(worker.id, request.headers, await request.body(), secret)
    response.headers.update(await request.app.state.agent_rates.count(worker.id))
    return worker
