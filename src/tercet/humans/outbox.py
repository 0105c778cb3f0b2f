"""The outbox: sends what notices wrote down, tries again later and later, gives up after some days.

Before an attempt the delivery's timer is put off, so that a crash in the middle leads to another attempt and a
slow receiver holds nobody up. Receivers may get a message twice; its id is the same.
"""

from __future__ import annotations

import asyncio
import contextlib

import structlog

from tercet.domain.codec import from_json
from tercet.domain.errors import NotFound, TercetError
from tercet.domain.notices import TEST_EVENT, retry_delay_seconds
from tercet.engine.engine import Engine
from tercet.engine.timer_rows import insert_timer
from tercet.humans.channels import Message, SendMessage
from tercet.humans.notices import DELIVERY_TIMER, Notice, Notices
from tercet.humans.subscriptions import Subscription, Subscriptions
from tercet.store import statements as sql
from tercet.store.notices import count_untried, load_delivery
from tercet.store.reader import Record
from tercet.store.unit import Unit
from tercet.tools.webhooks import DeliveryFailed

_log = structlog.get_logger(__name__)
_LEASE_MS = 120_000
"""Longer than an attempt may take, its wait for a free place included."""
_AT_ONCE = 20
_LONGEST_ERROR = 500
_LOOK_SECONDS = 0.05


class Outbox:
    """Handles the timers of deliveries."""

    def __init__(
        self, engine: Engine, subscriptions: Subscriptions, notices: Notices, send: SendMessage
    ) -> None:
        self._engine = engine
        self.subscriptions = subscriptions
        self._notices = notices
        self.send = send
        self._places = asyncio.Semaphore(_AT_ONCE)
        self._leases: dict[str, str] = {}
        """The timer that stands for each attempt that runs, by delivery."""
        engine.timers.on(DELIVERY_TIMER, self._fire)

    async def test(self, subscription: Subscription) -> Record:
        """Send a test at once, without retries; return the delivery as it ended."""
        unit, now_ms = Unit(), self._engine.clock.now_ms()
        notice = Notice(event=TEST_EVENT, data={"message": "This is a test."})
        delivery_id = self._notices.add(
            unit, subscription, notice, now_ms=now_ms, due_at_ms=now_ms + _LEASE_MS
        )
        await self._engine.journal.submit(unit)
        delivery = await self._load(delivery_id)
        self._leases[delivery_id] = _timer_of(unit)
        await self._attempt(subscription, delivery, last=True)
        return await self._load(delivery_id)

    async def first_attempts(self, *, patience_seconds: float = 20.0) -> None:
        """Return when every message was tried once, or the patience is over; what is left goes out later."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(patience_seconds):
                while await self._engine.reader.read(count_untried):  # noqa: ASYNC110 rows, also of earlier runs
                    await asyncio.sleep(_LOOK_SECONDS)

    async def _load(self, delivery_id: str) -> Record:
        row = await self._engine.reader.read(load_delivery, delivery_id)
        if row is None:
            raise NotFound(f"there is no delivery {delivery_id!r}")
        return row

    async def _fire(self, timer: Record) -> None:
        delivery = await self._load(from_json(timer["payload"])["delivery_id"])
        subscription = self.subscriptions.find(delivery["subscription_id"], delivery["owner_id"])
        unit = Unit()
        unit.add(sql.DELETE_TIMER, (timer["id"],))
        if delivery["status"] != "pending" or subscription is None:
            if delivery["status"] == "pending":
                self._write(unit, delivery, status="dropped", error="the webhook was deleted")
            await self._engine.journal.submit(unit)
            return
        ran = delivery["id"] in self._leases
        lease = self._put_off(unit, delivery["id"], _LEASE_MS)
        await self._engine.journal.submit(unit)
        if ran and delivery["id"] not in self._leases:
            # The attempt ended meanwhile; the new timer finds what came of it.
            return
        self._leases[delivery["id"]] = lease
        if not ran:
            self._engine.spawn(self._attempt(subscription, delivery))

    async def _attempt(self, subscription: Subscription, delivery: Record, *, last: bool = False) -> None:
        answer_status, failure = None, None
        try:
            async with self._places:
                message = Message(id=delivery["id"], body=delivery["body"])
                answer_status = await self.send(subscription, message)
        except DeliveryFailed as error:
            answer_status, failure = error.status, error
        except TercetError as error:
            failure = DeliveryFailed(error.message)
        except Exception:
            _log.exception("delivery.crashed", delivery_id=delivery["id"])
            failure = DeliveryFailed("the message could not be sent; the server's log says why")
        finally:
            lease = self._leases.pop(delivery["id"])
        delivery["attempts"] += 1
        unit = Unit()
        unit.add(sql.DELETE_TIMER, (lease,))
        if failure is None:
            self._write(unit, delivery, status="delivered", answer_status=answer_status)
        else:
            self._after_failure(unit, delivery, failure, last=last)
        await self._engine.journal.submit(unit)
        if unit.timers_due_at_ms is not None:
            self._engine.timers.wake_by(unit.timers_due_at_ms)

    def _after_failure(self, unit: Unit, delivery: Record, failure: DeliveryFailed, *, last: bool) -> None:
        delay_seconds = None
        if not last and not failure.final:
            delay_seconds = retry_delay_seconds(
                delivery["attempts"], random=self._engine.random(),
                retry_after_seconds=failure.retry_after_seconds,
            )  # fmt: skip
        reason = str(failure)[:_LONGEST_ERROR]
        if delay_seconds is None:
            _log.warning(
                "delivery.given_up", delivery_id=delivery["id"], webhook_id=delivery["subscription_id"],
                attempts=delivery["attempts"], reason=reason,
            )  # fmt: skip
            self._write(unit, delivery, status="failed", answer_status=failure.status, error=reason)
            return
        delay_ms = int(delay_seconds * 1000)
        self._put_off(unit, delivery["id"], delay_ms)
        next_at_ms = self._engine.clock.now_ms() + delay_ms
        self._write(
            unit,
            delivery,
            status="pending",
            answer_status=failure.status,
            error=reason,
            next_at_ms=next_at_ms,
        )

    def _put_off(self, unit: Unit, delivery_id: str, delay_ms: int) -> str:
        return insert_timer(
            unit, self._engine.mint, kind=DELIVERY_TIMER, due_at_ms=self._engine.clock.now_ms() + delay_ms,
            payload={"delivery_id": delivery_id},
        )  # fmt: skip

    def _write(
        self,
        unit: Unit,
        delivery: Record,
        *,
        status: str,
        answer_status: int | None = None,
        error: str | None = None,
        next_at_ms: int | None = None,
    ) -> None:
        ended_at_ms = None if status == "pending" else self._engine.clock.now_ms()
        unit.add(
            sql.UPDATE_DELIVERY,
            (status, delivery["attempts"], answer_status, error, next_at_ms, ended_at_ms, delivery["id"]),
        )


def _timer_of(unit: Unit) -> str:
    """Return the id of the timer that the unit inserts."""
    return next(str(row[0]) for statement, row in unit.rows if statement is sql.INSERT_TIMER)
