"""Pushes work to agents that have a webhook: signed by Standard Webhooks, tried again until the lease is over."""

from __future__ import annotations

import asyncio

import structlog

from tercet.domain.codec import to_json
from tercet.domain.retry import RetryPolicy, backoff_seconds
from tercet.plans.board import Board
from tercet.plans.work import Work
from tercet.plans.workers import Worker, Workers
from tercet.tools.safe_http import Reach
from tercet.tools.webhooks import DeliveryFailed, deliver

_log = structlog.get_logger(__name__)
_RETRIES = RetryPolicy(max_attempts=8, backoff_seconds=2.0, max_backoff_seconds=300.0)
_POLL_SECONDS = 300.0


class Push:
    """One loop for each agent with a webhook: take the next work, deliver it, wait until the agent is done with it."""

    def __init__(self, workers: Workers, work: Work, board: Board, reach: Reach) -> None:
        self._workers = workers
        self._work = work
        self._board = board
        self._reach = reach
        self._loops: dict[str, asyncio.Task[None]] = {}
        workers.listeners.append(self._on_worker)

    async def stop(self) -> None:
        """Stop pushing."""
        for loop in self._loops.values():
            loop.cancel()
        await asyncio.gather(*self._loops.values(), return_exceptions=True)

    def _on_worker(self, agent_id: str, worker: Worker | None) -> None:
        old = self._loops.pop(agent_id, None)
        if old is not None:
            old.cancel()
        if worker is not None and worker.webhook_url is not None and worker.is_active:
            self._loops[agent_id] = asyncio.create_task(self._run(worker), name=f"tercet-push-{agent_id}")

    async def _run(self, worker: Worker) -> None:
        while True:
            try:
                await self._push_next(worker)
            except Exception:
                _log.exception("push.failed", agent_id=worker.id)
                await asyncio.sleep(5.0)

    async def _push_next(self, worker: Worker) -> None:
        work = await self._work.poll(
            worker, actions=worker.actions, wait_seconds=_POLL_SECONDS, is_gone=_never_gone
        )
        if work is None:
            return
        task = work["next_task"]
        what = f"{task['task_id']}-{task['attempt']}" if task else "stop"
        message_id = f"work-{work['execution_id']}-{what}"
        await self._deliver(worker, message_id, to_json({"type": "work", "agent_id": worker.id, **work}))
        if task is not None:
            await self._board.released(worker.id, work["execution_id"], task["task_id"])

    async def _deliver(self, worker: Worker, message_id: str, body: str) -> None:
        secret = self._workers.secret_of(worker)
        assert worker.webhook_url is not None
        for attempt in range(1, _RETRIES.max_attempts + 1):
            try:
                await deliver(worker.webhook_url, secret or "", message_id, body, reach=self._reach)
                self._workers.seen(worker)
                return
            except DeliveryFailed as error:
                delay = backoff_seconds(_RETRIES, attempt=attempt, random=0.5)
                _log.warning("push.not_taken", agent_id=worker.id, attempt=attempt, reason=str(error))
                if delay is None or error.final:
                    return
                await asyncio.sleep(delay)


async def _never_gone() -> bool:
    return False
