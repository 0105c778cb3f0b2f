"""Runs of registered agents: each is an execution in the same log, ledger and lists as all others."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from tercet.agent.agents import RegisteredAgent
from tercet.agent.definition import RUN_EVENT
from tercet.agent.feed import RunEvent, RunFeed
from tercet.agent.local_steps import error_of
from tercet.domain.codec import from_json
from tercet.domain.errors import Conflict, NotFound, TercetError
from tercet.domain.status import EXECUTION_ENDED, ExecutionStatus
from tercet.engine.engine import Engine
from tercet.engine.intake import Intake
from tercet.engine.state import ExecutionState
from tercet.store import statements as sql
from tercet.store.agents import load_conversation
from tercet.store.listing import root_event, status_of, tasks_of
from tercet.store.unit import Unit

_RESTING = EXECUTION_ENDED | {ExecutionStatus.BLOCKED, ExecutionStatus.PAUSED}


class AgentRuns:
    """Starts runs and waits for them."""

    def __init__(self, engine: Engine, intake: Intake, feed: RunFeed) -> None:
        self._engine = engine
        self._intake = intake
        self._feed = feed
        self._waiting: dict[str, list[asyncio.Future[ExecutionStatus]]] = {}
        engine.state_listeners.append(self._on_state)

    async def start(
        self,
        agent: RegisteredAgent,
        input_text: str,
        *,
        source: str,
        conversation_id: str | None = None,
        security_context: dict[str, Any] | None = None,
        idempotency_key: str | None = None,
        execution_id: str | None = None,
    ) -> str:
        """Start a run; return the execution's id. Raises Conflict for an inactive agent, NotFound."""
        if not agent.is_active:
            raise Conflict(f"the agent {agent.config.name!r} is not active", hint="PUT is_active: true")
        data: dict[str, Any] = {"input": input_text}
        if conversation_id is not None:
            await self._own_conversation(agent.owner_id, conversation_id)
            data["conversation_id"] = conversation_id
        if security_context:
            data["security_context"] = security_context
        definition = await self._engine.definition_by_id(agent.revision_id)
        execution_id = execution_id or self._engine.mint.mint("exe")
        receipt = await self._intake.start_execution(
            definition,
            manifest_id=agent.revision_id,
            owner_id=agent.owner_id,
            name=RUN_EVENT,
            data=data,
            source=source,
            idempotency_key=idempotency_key,
            execution_id=execution_id,
        )
        return receipt.execution_id

    async def start_conversation(self, agent: RegisteredAgent) -> str:
        """Make a conversation that runs can go on with; return its id."""
        conversation_id = self._engine.mint.mint("cnv")
        unit = Unit()
        unit.add(
            sql.INSERT_CONVERSATION,
            (conversation_id, agent.owner_id, agent.id, self._engine.clock.now_ms()),
        )
        await self._engine.journal.submit(unit)
        return conversation_id

    async def wait(self, execution_id: str) -> ExecutionStatus:
        """Wait until a run ends or rests (for a person, an event, a pause); return its status."""
        future: asyncio.Future[ExecutionStatus] = asyncio.get_running_loop().create_future()
        # Before the look, so that no commit can pass between the two.
        self._waiting.setdefault(execution_id, []).append(future)
        state = self._engine.states.get(execution_id)
        self._feed.expect(execution_id)
        if state is None or state.status in _RESTING:
            await self._engine.journal.barrier()
            status = ExecutionStatus(await self._engine.reader.read(status_of, execution_id))
            if status in _RESTING:
                self._drop(execution_id, future)
                return status
        try:
            return await future
        except asyncio.CancelledError:
            self._feed.take_answer(execution_id)
            self._drop(execution_id, future)
            raise

    def _drop(self, execution_id: str, future: asyncio.Future[ExecutionStatus]) -> None:
        left = [other for other in self._waiting.get(execution_id, []) if other is not future]
        if left:
            self._waiting[execution_id] = left
        else:
            self._waiting.pop(execution_id, None)

    async def outcome(self, execution_id: str) -> dict[str, Any]:
        """Return {task_id, state, output} of a run; a failed one raises the error that ended it."""
        answer = self._feed.take_answer(execution_id)
        if answer is not None:
            return {**answer, "status": "COMPLETE", "message": None}
        tasks = await self._engine.reader.read(tasks_of, execution_id)
        task = tasks[-1]
        if task["status"] == "ERROR":
            raise failure_of(task)
        output = from_json(task["result_data"]) if task["result_data"] else None
        return {
            "task_id": task["id"],
            "status": task["status"],
            "message": task["status_message"],
            "output": output,
        }

    async def history(self, execution_id: str) -> list[dict[str, str]]:
        """Return the conversation with the run's question and answer, as {role, content}."""
        task = (await self._engine.reader.read(tasks_of, execution_id))[-1]
        root = await self._engine.reader.read(root_event, execution_id)
        steps = await self._engine.load_steps(task["id"])
        lines: list[dict[str, str]] = from_json(steps["history"]) if "history" in steps else []
        if root is not None:
            lines.append({"role": "user", "content": from_json(root["output_data"])["input"]})
        if task["result_data"]:
            lines.append({"role": "assistant", "content": from_json(task["result_data"])["response"]})
        return lines

    async def events(self, execution_id: str, start: Callable[[], Awaitable[str]]) -> AsyncIterator[RunEvent]:
        """Start a run and yield what happens in it, until it ends or rests. Watching begins before the start."""
        with self._feed.watch(execution_id) as queue:
            started = await start()
            if started != execution_id:
                return  # the idempotency key names an earlier run
            waiter = asyncio.create_task(self.wait(execution_id))
            try:
                while not (waiter.done() and queue.empty()):
                    getter = asyncio.create_task(queue.get())
                    await asyncio.wait({getter, waiter}, return_when=asyncio.FIRST_COMPLETED)
                    if getter.done():
                        yield getter.result()
                    else:
                        getter.cancel()
            finally:
                waiter.cancel()

    async def _own_conversation(self, owner_id: str, conversation_id: str) -> None:
        row = await self._engine.reader.read(
            load_conversation, owner_id=owner_id, conversation_id=conversation_id
        )
        if row is None:
            raise NotFound(f"there is no conversation {conversation_id!r}")

    def _on_state(self, state: ExecutionState) -> None:
        # A state that is ahead of the disk is told again by the commit that brings the disk there.
        if state.id in self._waiting and state.status in _RESTING and not state.commits_ahead:
            for future in self._waiting.pop(state.id):
                if not future.done():
                    future.set_result(state.status)


def failure_of(task: dict[str, Any]) -> TercetError:
    """Return the error of spec 3 for a task that failed."""
    return error_of(task["error_type"] or "AGENT_FAILED", task["error_message"] or "the run failed")
