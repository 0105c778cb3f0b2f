"""The worker: takes work, one at a time, hands each to the handler of its action, and goes on until it is stopped."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self, TypeVar

import httpx

from tercet.domain.errors import InvalidInput, OperatorError
from tercet.worker.calls import Calls, refusal
from tercet.worker.run_log import close_log, open_log
from tercet.worker.task_run import Handler, Pace, TaskRun

H = TypeVar("H", bound=Handler)
_UNKNOWN_WORK_SECONDS = 5.0
_SPARE_SECONDS = 10.0
"""How much longer than a poll waits its answer may take."""


class Worker:
    """An agent worker of a Tercet server. `agent_id` and `api_key` are what its registration answered.

    One worker does one task at a time; for more, register more. `log_file` gets a line an event, without personal data.
    """

    def __init__(
        self, url: str, *, agent_id: str, api_key: str, name: str | None = None, log_file: str | Path | None = None,
        pace: Pace | None = None,
    ) -> None:  # fmt: skip
        self.agent_id = agent_id
        self._url = url
        self._api_key = api_key
        self._log_file = None if log_file is None else Path(log_file)
        self._name = name or agent_id
        self._pace = pace or Pace()
        self._handlers: dict[str, Handler] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping: asyncio.Event | None = None
        self._is_stopped = False
        self._run: TaskRun | None = None

    @classmethod
    def register(
        cls, url: str, *, token: str, name: str, capabilities: Sequence[str | dict[str, Any]], role: str = "",
        agent_id: str | None = None, key_file: str | Path | None = None, log_file: str | Path | None = None,
        pace: Pace | None = None,
    ) -> Self:  # fmt: skip
        """Register an agent with a person's token and return its worker.

        With `key_file` the key is kept there (mode 0600), and the next start registers nobody: it tells the
        server the capabilities, in case they have changed.
        Raises OperatorError when the server does not answer, NotAuthenticated, NotAllowed, Conflict, InvalidInput.
        """
        path = None if key_file is None else Path(key_file)
        known = None if path is None else _read_key(path)
        if known is None:
            body = {"name": name, "role": role, "capabilities": list(capabilities)}
            told = _ask(
                url, "POST", "/agents/register", token, body | ({"agent_id": agent_id} if agent_id else {})
            )
            known = {"agent_id": told["agent_id"], "api_key": told["api_key"]}
            if path is not None:
                _write_key(path, known)
        else:
            wanted = {"capabilities": list(capabilities)}
            _ask(url, "PUT", f"/agents/{known['agent_id']}/capabilities", token, wanted)
        return cls(
            url, agent_id=known["agent_id"], api_key=known["api_key"], name=name, log_file=log_file, pace=pace
        )

    def action(self, name: str) -> Callable[[H], H]:
        """Make a function the handler of an action: `def handler(task) -> dict`, or the same with `async def`.

        What it returns is the task's result; an exception is a failed attempt; NeedsReview asks a person.
        """

        def add(handler: H) -> H:
            if name in self._handlers:
                raise InvalidInput(f"there is a handler for {name!r} already")
            self._handlers[name] = handler
            return handler

        return add

    def run(self) -> None:
        """Work until SIGINT, SIGTERM or `stop`. What is being done is finished, or handed back when it takes too long.

        A second signal hands back at once. Raises NotAuthenticated, NotAllowed, NotFound when the server knows no such agent.
        """

        async def go() -> None:
            loop = asyncio.get_running_loop()
            for number in (signal.SIGINT, signal.SIGTERM):
                with contextlib.suppress(NotImplementedError):
                    loop.add_signal_handler(number, self._signalled)
            await self.arun()

        asyncio.run(go())

    async def arun(self) -> None:
        """Work until `stop` is called, in the running loop; otherwise as `run`."""
        if not self._handlers:
            raise OperatorError("the worker has no handlers", hint="add some with @worker.action(NAME)")
        self._loop = asyncio.get_running_loop()
        self._stopping = asyncio.Event()
        if self._is_stopped:
            return
        self._log = open_log(self._name, self._log_file)
        self._log.info("Agent %s begins: %s", self.agent_id, ", ".join(sorted(self._handlers)))
        try:
            async with Calls(self._url, self._api_key, self._log) as calls:
                while not self._is_stopped:
                    work = await self._next(calls)
                    if work is not None:
                        await self._do(calls, work)
        finally:
            self._log.info("Agent %s ends", self.agent_id)
            close_log(self._log)

    def stop(self) -> None:
        """End after the task at hand. Callable from any thread."""
        self._is_stopped = True
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has closed: it has ended
                self._loop.call_soon_threadsafe(self._stop_now)

    def _stop_now(self) -> None:
        if self._stopping is not None:
            self._stopping.set()
        if self._run is not None:
            self._run.stop("shutdown")

    def _signalled(self) -> None:
        if self._is_stopped and self._run is not None:
            self._run.give_up()
        self.stop()

    async def _next(self, calls: Calls) -> dict[str, Any] | None:
        """Return the next work; None when there is none now, or when the worker stops."""
        assert self._stopping is not None
        poll = asyncio.create_task(self._poll(calls, wait_seconds=self._pace.poll_seconds))
        stopping = asyncio.create_task(self._stopping.wait())
        try:
            await asyncio.wait([poll, stopping], return_when=asyncio.FIRST_COMPLETED)
            if not poll.done():
                return None
            work = poll.result()
        finally:
            for waiting in (poll, stopping):
                waiting.cancel()
            await asyncio.gather(poll, stopping, return_exceptions=True)
        return work if work is not None and work["work_available"] else None

    async def _poll(self, calls: Calls, *, wait_seconds: float = 0.0) -> dict[str, Any] | None:
        params = {"supported_actions": ",".join(sorted(self._handlers)), "wait": wait_seconds}
        found: dict[str, Any] | None = await calls.call(
            "GET",
            f"/agents/{self.agent_id}/work",
            params=params,
            answer_seconds=wait_seconds + _SPARE_SECONDS,
        )
        return found

    async def _do(self, calls: Calls, work: dict[str, Any]) -> None:
        action = work["next_task"]["action"]
        handler = self._handlers.get(action) or self._handlers.get("*")
        if handler is None:
            # Taken by an earlier version of this agent that could do it.
            handler = _unknown(action)
        self._run = TaskRun(
            calls, work, handler, agent_id=self.agent_id, pace=self._pace, poll=lambda: self._poll(calls), log=self._log
        )  # fmt: skip
        try:
            if self._is_stopped:
                self._run.stop("shutdown")
            await self._run.go()
        finally:
            self._run = None


def _unknown(action: str) -> Handler:
    async def hand_back(_task: Any) -> dict[str, Any]:
        await asyncio.sleep(_UNKNOWN_WORK_SECONDS)
        raise LookupError(f"this agent has no handler for {action!r}")

    return hand_back


def _ask(url: str, method: str, path: str, token: str, body: dict[str, Any]) -> dict[str, Any]:
    try:
        answer = httpx.request(
            method, f"{url.rstrip('/')}/api/v1{path}", json=body, headers={"Authorization": f"Bearer {token}"}
        )
    except httpx.TransportError as error:
        raise OperatorError(
            f"the server does not answer: {type(error).__name__}", hint=f"is it running at {url}?"
        ) from error
    if answer.is_error:
        raise refusal(answer)
    told: dict[str, Any] = answer.json()
    return told


def _read_key(path: Path) -> dict[str, Any] | None:
    if not path.exists():
        return None
    try:
        known = json.loads(path.read_bytes())
        return {"agent_id": str(known["agent_id"]), "api_key": str(known["api_key"])}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise OperatorError(
            f"{path} holds no agent's key", hint="delete it, and the agent is registered anew"
        ) from error


def _write_key(path: Path, known: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(known, file)
