"""What was just committed, for those who watch: bounded buffers that say when they had to let go."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tercet.engine.state import ExecutionState
from tercet.store import statements as sql
from tercet.store.reader import Record
from tercet.store.unit import Unit

if TYPE_CHECKING:
    from tercet.engine.engine import Engine

MOST_BUFFERED = 2_000


@dataclass(slots=True, eq=False)
class LiveEvent:
    """A committed event. `texts` keeps what it was written as, so that many watchers share the work."""

    execution_id: str
    seq: int
    row: Record
    of_plan: bool
    texts: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class LiveUpdate:
    """An execution's status or progress as it is after a commit."""

    execution_id: str
    status: str
    status_message: str | None
    tasks_completed: int
    tasks_total: int
    at_ms: int
    texts: dict[str, str] = field(default_factory=dict)


LiveItem = LiveEvent | LiveUpdate


class Subscription:
    """One watcher's buffer. When it is full everything in it goes, and `lost` tells the watcher to read again."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._items: deque[LiveItem] = deque()
        self._ready = asyncio.Event()
        self.lost = False
        self.closed = False

    def put(self, item: LiveItem) -> None:
        """Add an item, unless the watcher has to read again anyway."""
        if self.lost:
            return
        if len(self._items) >= self._most:
            self._items.clear()
            self.lost = True
        else:
            self._items.append(item)
        self._ready.set()

    def close(self) -> None:
        """Tell the watcher that nothing more comes."""
        self.closed = True
        self._ready.set()

    def begin_again(self) -> None:
        """Buffer again: the watcher reads what it missed."""
        self.lost = False

    async def take(self, *, timeout_seconds: float) -> list[LiveItem]:
        """Return what has come; empty when nothing came in time, when items were lost, or at the end."""
        if not self._ready.is_set():
            try:
                async with asyncio.timeout(timeout_seconds):
                    await self._ready.wait()
            except TimeoutError:
                return []
        self._ready.clear()
        items = list(self._items)
        self._items.clear()
        return items


class Live:
    """Hands committed events and status changes to the watchers of an execution or of an owner."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._by_execution: dict[str, set[Subscription]] = {}
        self._by_owner: dict[str, set[Subscription]] = {}
        self._last: dict[str, tuple[Any, ...]] = {}
        engine.commit_listeners.append(self._on_unit)
        engine.state_listeners.append(self._on_state)

    @contextmanager
    def watch_execution(self, execution_id: str, *, most: int = MOST_BUFFERED) -> Iterator[Subscription]:
        """Watch one execution for the block."""
        with self._watch(self._by_execution, execution_id, most) as subscription:
            yield subscription
        if execution_id not in self._by_execution:
            self._last.pop(execution_id, None)

    @contextmanager
    def watch_owner(self, owner_id: str, *, most: int = MOST_BUFFERED) -> Iterator[Subscription]:
        """Watch all of an owner's executions for the block."""
        with self._watch(self._by_owner, owner_id, most) as subscription:
            yield subscription
        if not self._by_owner:
            self._last.clear()

    def close(self) -> None:
        """End every subscription: the node stops."""
        for watchers in (*self._by_execution.values(), *self._by_owner.values()):
            for subscription in watchers:
                subscription.close()

    @contextmanager
    def _watch(self, where: dict[str, set[Subscription]], key: str, most: int) -> Iterator[Subscription]:
        subscription = Subscription(most)
        where.setdefault(key, set()).add(subscription)
        try:
            yield subscription
        finally:
            where[key].discard(subscription)
            if not where[key]:
                del where[key]

    def _watchers(self, execution_id: str, owner_id: str | None) -> list[Subscription]:
        return [*self._by_execution.get(execution_id, ()), *self._by_owner.get(owner_id or "", ())]

    def _on_unit(self, unit: Unit) -> None:
        if not self._by_execution and not self._by_owner:
            return
        for statement, row in unit.rows:
            if statement is not sql.INSERT_EVENT:
                continue
            state = self._engine.states.get(row[0])
            watchers = self._watchers(row[0], state.owner_id if state is not None else None)
            if watchers:
                record = dict(zip(statement.columns, row, strict=True))
                event = LiveEvent(
                    row[0], record["seq"], record, of_plan=state is not None and state.plan_id is not None
                )
                for watcher in watchers:
                    watcher.put(event)

    def _on_state(self, state: ExecutionState) -> None:
        if not self._by_execution and not self._by_owner:
            return
        watchers = self._watchers(state.id, state.owner_id)
        if not watchers:
            return
        shown = (
            state.status,
            state.status_message,
            state.tasks_completed,
            state.tasks_total,
            state.work_revision,
        )
        if self._last.get(state.id) == shown:
            return
        self._last[state.id] = shown
        update = LiveUpdate(
            state.id, state.status.value, state.status_message, state.tasks_completed, state.tasks_total,
            self._engine.clock.now_ms(),
        )  # fmt: skip
        for watcher in watchers:
            watcher.put(update)
