"""The states in memory: loaded when needed, kept while something runs, evicted when all only waits."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

from tercet.domain.status import ExecutionStatus
from tercet.engine.state import ExecutionState

_MOST_RESTING = 2_000


class States:
    """Execution states by id. `load` reads one from the rows."""

    def __init__(self, load: Callable[[str], Awaitable[ExecutionState]]) -> None:
        self._load = load
        self._states: dict[str, ExecutionState] = {}
        self._loading: dict[str, asyncio.Future[ExecutionState]] = {}
        self._resting: dict[str, None] = {}

    def __iter__(self) -> Iterator[ExecutionState]:
        return iter(list(self._states.values()))

    def get(self, execution_id: str) -> ExecutionState | None:
        """Return a state that is in memory."""
        return self._states.get(execution_id)

    def adopt(self, state: ExecutionState) -> None:
        """Take in the state of a new execution."""
        self._states[state.id] = state

    @contextlib.asynccontextmanager
    async def hold(self, execution_id: str) -> AsyncIterator[ExecutionState]:
        """Keep an execution's state in memory for the block. Raises NotFound."""
        state = self._states.get(execution_id) or await self._load_once(execution_id)
        state.pins += 1
        try:
            yield state
        finally:
            state.pins -= 1
            self.evict_if_idle(state)

    def drop(self, execution_id: str) -> ExecutionState | None:
        """Forget a state that cannot be trusted any more; return it, marked as lost."""
        state = self._states.pop(execution_id, None)
        if state is not None:
            state.lost = True
        return state

    def evict_if_idle(self, state: ExecutionState) -> None:
        """Let go of a state that nobody holds and in which nothing runs here."""
        if state.pins or self._states.get(state.id) is not state:
            return
        if state.plan_id is not None and not state.ended:
            self._rest(state)
        elif not state.has_active_tasks or state.status is ExecutionStatus.PAUSED:
            del self._states[state.id]

    def _rest(self, state: ExecutionState) -> None:
        """Keep the states of plans that were used last: their agents report often, and nothing of them runs here."""
        self._resting.pop(state.id, None)
        self._resting[state.id] = None
        if len(self._resting) <= _MOST_RESTING:
            return
        oldest = next(iter(self._resting))
        del self._resting[oldest]
        longest_unused = self._states.get(oldest)
        if longest_unused is not None and longest_unused.pins == 0:
            del self._states[oldest]

    async def _load_once(self, execution_id: str) -> ExecutionState:
        loading = self._loading.get(execution_id)
        if loading is None:
            loading = asyncio.ensure_future(self._read(execution_id))
            self._loading[execution_id] = loading
            loading.add_done_callback(lambda _done: self._loading.pop(execution_id, None))
        return await asyncio.shield(loading)

    async def _read(self, execution_id: str) -> ExecutionState:
        state = await self._load(execution_id)
        # Somebody may have adopted it while the rows were read; the one in memory is newer.
        return self._states.setdefault(execution_id, state)
