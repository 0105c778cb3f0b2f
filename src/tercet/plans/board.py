"""The board: which work is open, who holds what, who waits for work. In memory, told after each commit."""

from __future__ import annotations

import asyncio
from bisect import bisect_left, insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tercet.plans.moves import ANY_ACTION
from tercet.plans.workers import ANY_WORKER, Worker


@dataclass(frozen=True, kw_only=True, slots=True)
class Offer:
    """A subtask that an agent may take. `rank` orders: priority, then age, then place in the plan."""

    rank: tuple[int, str, int, int]
    execution_id: str
    task_id: str
    subtask_id: str
    action: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Held:
    """A subtask that an agent is doing."""

    agent_id: str
    execution_id: str
    task_id: str
    subtask_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Flag:
    """What an agent is told once when its execution stops under its hands."""

    execution_id: str
    pause: bool


@dataclass(kw_only=True, slots=True, eq=False)
class _Waiter:
    worker: Worker
    actions: frozenset[str]
    woken: asyncio.Future[bool]
    """True: look again; False: the poll is over."""


@dataclass(kw_only=True, slots=True)
class _Posted:
    """What the board shows of one execution."""

    lists: tuple[str, ...]
    offers: Sequence[Offer] = ()
    held: Sequence[Held] = ()


class Board:
    """Open work by who may take it and by action; a waiting agent is woken when something fits."""

    def __init__(self) -> None:
        self._offers: dict[str, dict[str, list[tuple[tuple[int, str, int, int], Offer]]]] = {}
        """Whose list (an agent, or an owner's) → action → offers in order."""
        self._posted: dict[str, _Posted] = {}
        self._held: dict[str, list[Held]] = {}
        self._flags: dict[str, list[Flag]] = {}
        self._releases: dict[str, list[asyncio.Future[None]]] = {}
        self._waiting: dict[str, dict[str, _Waiter]] = {}
        """Owner → agent → who waits; in the order of their coming."""
        self._is_closed = False

    def post(
        self, execution_id: str, *, owner_id: str, agents: frozenset[str], offers: Sequence[Offer],
        held: Sequence[Held],
    ) -> None:  # fmt: skip
        """Show what is open and held in an execution now, instead of what was."""
        old = self._posted.get(execution_id)
        lists = (_owner_list(owner_id),) if ANY_WORKER in agents else tuple(sorted(agents))
        if old is not None:
            if old.offers == offers and old.held == held and old.lists == lists:
                return
            self._remove(old)
        if not offers and not held:
            self._posted.pop(execution_id, None)
        else:
            self._posted[execution_id] = _Posted(lists=lists, offers=offers, held=held)
        for entry in held:
            self._held.setdefault(entry.agent_id, []).append(entry)
        for offer in offers:
            for name in lists:
                insort(
                    self._offers.setdefault(name, {}).setdefault(offer.action, []), (offer.rank, offer),
                    key=lambda entry: entry[0],
                )  # fmt: skip
        known = {(o.task_id, o.subtask_id) for o in old.offers} if old is not None else set()
        for offer in offers:
            if (offer.task_id, offer.subtask_id) not in known:
                self._wake_for(owner_id, agents, offer.action)

    def held_in(self, execution_id: str) -> Sequence[Held]:
        """Return what agents hold in an execution."""
        posted = self._posted.get(execution_id)
        return posted.held if posted is not None else ()

    def held_by(self, agent_id: str) -> Held | None:
        """Return what an agent is doing."""
        held = self._held.get(agent_id)
        return held[0] if held else None

    def tell(self, agent_id: str, flag: Flag) -> None:
        """Have an agent hear that its execution was paused or cancelled; it takes the place of what it had not heard."""
        flags = [f for f in self._flags.get(agent_id, []) if f.execution_id != flag.execution_id]
        self._flags[agent_id] = [*flags, flag]
        self._wake_agent(agent_id)

    def untell(self, execution_id: str, agents: Iterable[str]) -> None:
        """The execution goes on: nobody has to hear that it was paused."""
        for agent_id in agents:
            self._flags[agent_id] = [
                f for f in self._flags.get(agent_id, []) if f.execution_id != execution_id
            ]
            self._wake_agent(agent_id)

    def take_flag(self, agent_id: str) -> Flag | None:
        """Return what an agent has to hear, once."""
        flags = self._flags.get(agent_id)
        if not flags:
            self._flags.pop(agent_id, None)
            return None
        return flags.pop(0)

    def best(self, worker: Worker, actions: frozenset[str]) -> Offer | None:
        """Return the most urgent offer that the agent may take and can do."""
        found: Offer | None = None
        for name in (worker.id, _owner_list(worker.owner_id)):
            by_action = self._offers.get(name)
            if not by_action:
                continue
            for action in by_action if ANY_ACTION in actions else actions & by_action.keys():
                offer = by_action[action][0][1]
                if found is None or offer.rank < found.rank:
                    found = offer
        return found

    def drop(self, offer: Offer) -> None:
        """Take down an offer that was claimed or is stale; the next commit of its execution tells the truth."""
        posted = self._posted.get(offer.execution_id)
        if posted is not None and offer in posted.offers:
            self._take_down(posted.lists, offer)
            posted.offers = [other for other in posted.offers if other is not offer]

    async def wait(self, worker: Worker, actions: frozenset[str], seconds: float) -> bool:
        """Return when something may have come for the agent, or after so many seconds.

        False: do not look again, a newer poll of the agent waits instead, or the node ends.
        """
        if self._is_closed:
            return False
        waiters = self._waiting.setdefault(worker.owner_id, {})
        before = waiters.pop(worker.id, None)
        if before is not None:
            _wake(before, look_again=False)
        future: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        waiter = waiters[worker.id] = _Waiter(worker=worker, actions=actions, woken=future)
        try:
            await asyncio.wait([future], timeout=seconds)
        finally:
            if waiters.get(worker.id) is waiter:
                del waiters[worker.id]
        return future.result() if future.done() else True

    def close(self) -> None:
        """The node ends: end every waiting poll, so that it holds nobody up."""
        self._is_closed = True
        for waiters in self._waiting.values():
            for waiter in waiters.values():
                _wake(waiter, look_again=False)

    def pass_on(self, worker: Worker) -> None:
        """An agent was woken and took something: whatever else is open for all wakes the next one."""
        for action in list(self._offers.get(_owner_list(worker.owner_id), {})):
            self._wake_for(worker.owner_id, frozenset({ANY_WORKER}), action)

    async def released(self, agent_id: str, execution_id: str, subtask_id: str) -> None:
        """Return when the agent no longer holds the subtask."""
        while any(
            held.execution_id == execution_id and held.subtask_id == subtask_id
            for held in self._held.get(agent_id, ())
        ):
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._releases.setdefault(agent_id, []).append(future)
            await future

    def waiting_of(self, owner_id: str) -> int:
        """Return how many agents of an owner wait."""
        return len(self._waiting.get(owner_id, ()))

    def _wake_agent(self, agent_id: str) -> None:
        for waiters in self._waiting.values():
            waiter = waiters.get(agent_id)
            if waiter is not None:
                _wake(waiter)

    def _wake_for(self, owner_id: str, agents: frozenset[str], action: str) -> None:
        waiters = self._waiting.get(owner_id)
        if not waiters:
            return
        anybody = ANY_WORKER in agents
        for waiter in list(waiters.values()) if anybody else [w for n in agents if (w := waiters.get(n))]:
            if action in waiter.actions or ANY_ACTION in waiter.actions:
                del waiters[waiter.worker.id]
                _wake(waiter)
                if anybody:
                    return

    def _remove(self, posted: _Posted) -> None:
        for entry in posted.held:
            self._held[entry.agent_id].remove(entry)
            if not self._held[entry.agent_id]:
                del self._held[entry.agent_id]
            for future in self._releases.pop(entry.agent_id, []):
                if not future.done():
                    future.set_result(None)
        for offer in posted.offers:
            self._take_down(posted.lists, offer)

    def _take_down(self, lists: Iterable[str], offer: Offer) -> None:
        for name in lists:
            by_action = self._offers[name]
            entries = by_action[offer.action]
            del entries[bisect_left(entries, offer.rank, key=lambda entry: entry[0])]
            if not entries:
                del by_action[offer.action]
                if not by_action:
                    del self._offers[name]


def _owner_list(owner_id: str) -> str:
    return f"{owner_id}/*"


def _wake(waiter: _Waiter, *, look_again: bool = True) -> None:
    if not waiter.woken.done():
        waiter.woken.set_result(look_again)
