"""One task from its taking to its report: the handler works, heartbeats go out, orders to stop come in."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import inspect
import logging
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from tercet.domain.agent_work import HANDED_BACK
from tercet.domain.codec import from_json, to_json
from tercet.domain.errors import CallerError
from tercet.worker.calls import Calls
from tercet.worker.reports import Reports
from tercet.worker.task import NeedsReview, Stopped, StopReason, Task

Handler = Callable[[Task], Any]
Poll = Callable[[], Awaitable[dict[str, Any] | None]]
_INVALID_OUTPUT = "invalid_output"
_LAST_WORDS_SECONDS = 5.0
"""How long a worker that ends at once still tries to hand its work back."""
_TAKEN_AWAY = ("CONFLICT", "INVALID_STATE_TRANSITION", "NOT_FOUND")
"""What the server answers when the work is another agent's, or nobody's, by now."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Pace:
    """How often a worker gives signs and looks for orders."""

    poll_seconds: float = 30.0
    """How long a poll waits for work."""
    heartbeat_seconds: float = 300.0
    listen_seconds: float = 5.0
    """How often it looks for a pause or a cancellation while a handler works."""
    shutdown_seconds: float = 30.0
    """How long a handler may go on after the worker, or people, said stop."""


class TaskRun:
    """Runs a handler on one task."""

    def __init__(
        self, calls: Calls, work: dict[str, Any], handler: Handler, *, agent_id: str, pace: Pace, poll: Poll,
        log: logging.Logger,
    ) -> None:  # fmt: skip
        self._loop = asyncio.get_running_loop()
        self.task = task_of(work, self._tell)
        self._handler = handler
        self._pace = pace
        self._poll = poll
        self._log = log
        self._lease_seconds = float(work["next_task"].get("lease_seconds") or 1_800.0)
        self._is_async = inspect.iscoroutinefunction(handler) or inspect.iscoroutinefunction(
            type(handler).__call__
        )
        self._stop_asked = asyncio.Event()
        self._hurried = asyncio.Event()
        self._reports = Reports(
            calls, agent_id=agent_id, execution_id=self.task.execution_id, task_id=self.task.task_id, log=log,
            hear=self._hear,
        )  # fmt: skip

    async def go(self) -> None:
        """Do the task and report it. Raises NotAuthenticated when the agent's key is not known any more."""
        task = self.task
        self._log.info("Task %s begins: %s, attempt %d", task.task_id, task.action, task.attempt)
        sender = asyncio.create_task(self._reports.keep_sending())
        listener = asyncio.create_task(self._listen())
        try:
            final = await self._outcome()
        finally:
            for side in (listener, sender):
                side.cancel()
            await asyncio.gather(listener, sender, return_exceptions=True)
        if final is None:
            self._log.info("Task %s is left: %s", task.task_id, task.stop_reason)
            return
        saying = asyncio.ensure_future(self._say(final))
        await self._patiently(saying)
        if self._hurried.is_set():
            await asyncio.wait([saying], timeout=_LAST_WORDS_SECONDS)
        if saying.done():
            saying.result()
            return
        self._log.warning("Task %s could not be reported: it will be handed out again", task.task_id)
        saying.cancel()
        await asyncio.gather(saying, return_exceptions=True)

    def stop(self, reason: StopReason) -> None:
        """Ask the handler to end."""
        self.task.stop(reason)
        if reason != "pause":
            self._stop_asked.set()

    def give_up(self) -> None:
        """End without waiting any longer; call it from the loop's thread."""
        self._hurried.set()
        self.stop("shutdown")

    async def _outcome(self) -> dict[str, Any] | None:
        """Return the last event of the attempt; None when nothing is to be said."""
        try:
            output = await self._work()
        except Stopped:
            return _handed_back() if self.task.stop_reason in (None, "shutdown") else None
        except NeedsReview as error:
            return _failure(error.error_type, error.reason, review=True, suggestions=error.suggestions)
        except Exception as error:
            self._log.exception("Task %s failed", self.task.task_id)
            return _failure(type(error).__name__, str(error) or type(error).__name__)
        if self.task.stop_reason in ("cancel", "lost"):
            return None
        try:
            return {"event_type": "task_complete", "output_data": _as_object(output)}
        except TypeError as error:
            return _failure(_INVALID_OUTPUT, str(error), review=True)

    async def _work(self) -> Any:
        """Run the handler. Raises Stopped when it had to end early."""
        call = self._handler(self.task) if self._is_async else in_thread(self._handler, self.task)
        working = asyncio.ensure_future(call)
        try:
            await self._patiently(working)
            if working.done() and not working.cancelled():
                return working.result()
            raise Stopped
        finally:
            if self._is_async and not working.done():
                working.cancel()
                await asyncio.gather(working, return_exceptions=True)

    async def _patiently(self, doing: asyncio.Future[Any]) -> None:
        """Wait for it; after an order to stop only for `shutdown_seconds`."""
        stopping = asyncio.create_task(self._stop_asked.wait())
        hurried = asyncio.create_task(self._hurried.wait())
        try:
            await asyncio.wait([doing, stopping], return_when=asyncio.FIRST_COMPLETED)
            if not doing.done():
                if self._is_async and self.task.stop_reason in ("cancel", "lost"):
                    doing.cancel()
                await asyncio.wait(
                    [doing, hurried], timeout=self._pace.shutdown_seconds, return_when=asyncio.FIRST_COMPLETED
                )
        finally:
            for waiting in (stopping, hurried):
                waiting.cancel()

    async def _say(self, final: dict[str, Any]) -> None:
        self._reports.add(**final)
        answers = await self._reports.flush()
        error = answers[-1].get("error")
        if error is not None and error["code"] in ("INVALID_INPUT", "TOO_LARGE") and "output_data" in final:
            self._reports.add(**_failure(_INVALID_OUTPUT, error["message"], review=True))
            await self._reports.flush()

    async def _listen(self) -> None:
        """Give signs while the handler works, and hear of a pause, a cancellation, a loss."""
        beat_seconds = min(self._pace.heartbeat_seconds, self._lease_seconds / 3)
        next_beat = self._loop.time() + beat_seconds
        while True:
            await asyncio.sleep(min(self._pace.listen_seconds, max(0.01, next_beat - self._loop.time())))
            if self._loop.time() >= next_beat:
                next_beat = self._loop.time() + beat_seconds
                self._reports.add("heartbeat")
            try:
                told = await self._poll()
            except CallerError as error:
                # The report will say what it means; the handler's work is not thrown away for it.
                self._log.warning("Looking for orders failed: %s", error.message)
                continue
            if told is None:
                continue
            self._hear(told)
            if told["work_available"] and (told["execution_id"], told["next_task"]["task_id"]) != (
                self.task.execution_id,
                self.task.task_id,
            ):
                self.stop("lost")

    def _hear(self, told: dict[str, Any]) -> None:
        if (told.get("error") or {}).get("code") in _TAKEN_AWAY:
            self.stop("lost")
        if told.get("execution_id") != self.task.execution_id:
            return
        if told.get("force_cancel"):
            self.stop("cancel")
        elif told.get("force_pause"):
            self.stop("pause")

    def _tell(self, message: str, output_data: dict[str, Any] | None) -> None:
        fields = {} if output_data is None else {"output_data": _as_object(output_data)}
        with contextlib.suppress(RuntimeError):  # the loop has closed: nobody is left to tell
            self._loop.call_soon_threadsafe(
                lambda: self._reports.add("task_progress", message=message, **fields)
            )


def task_of(work: dict[str, Any], tell: Callable[[str, dict[str, Any] | None], None]) -> Task:
    """Return the task that an answer of the work endpoint hands out."""
    given = work["next_task"]
    names = ("title", "description", "attempt", "context", "review", "success_criteria")
    return Task(
        execution_id=work["execution_id"], plan_id=work["plan_id"], task_id=given["task_id"],
        plan_task_id=given["plan_task_id"], action=given["action"], params=given["params"], tell=tell,
        **{name: given[name] for name in names if name in given},
    )  # fmt: skip


def in_thread(function: Handler, task: Task) -> asyncio.Future[Any]:
    """Run a blocking handler in a thread of its own, one that does not hold up the end of the process."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()
    context = contextvars.copy_context()

    def settle(result: Any, error: BaseException | None) -> None:
        if future.done():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)

    def work() -> None:
        result, error = None, None
        try:
            result = context.run(function, task)
        except BaseException as raised:
            error = raised if isinstance(raised, Exception) else RuntimeError(type(raised).__name__)
        with contextlib.suppress(RuntimeError):  # the loop has closed: the worker gave up on this thread
            loop.call_soon_threadsafe(settle, result, error)

    threading.Thread(target=work, name=f"task-{task.task_id}", daemon=True).start()
    return future


def _as_object(output: Any) -> dict[str, Any]:
    """Return a handler's result as a JSON object. Raises TypeError."""
    if output is None:
        return {}
    if isinstance(output, BaseModel):
        output = output.model_dump(mode="json")
    if not isinstance(output, dict):
        raise TypeError(f"a handler returns a dict, a model or nothing, not {type(output).__name__}")
    plain: dict[str, Any] = from_json(to_json(output))
    return plain


def _failure(
    error_type: str, error_message: str, *, review: bool = False, suggestions: list[str] | None = None
) -> dict[str, Any]:
    return {
        "event_type": "task_error", "error_type": error_type[:100], "error_message": error_message[:20_000],
        "human_review_required": review, "suggestions": [text[:2_000] for text in (suggestions or [])[:50]],
    }  # fmt: skip


def _handed_back() -> dict[str, Any]:
    words = "the agent ends and hands its work back"
    return {**_failure(HANDED_BACK, words), "message": words}
