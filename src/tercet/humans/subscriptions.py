"""Who wants to hear of what: the webhooks, e-mail addresses and Slack hooks of an owner."""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from tercet.domain.codec import from_json, to_json
from tercet.domain.errors import InvalidInput, NotFound
from tercet.domain.notices import NoticeEvent
from tercet.domain.sealing import Keyring
from tercet.domain.webhooks import check_secret, new_secret
from tercet.engine.engine import Engine
from tercet.humans.person import Person
from tercet.store import statements as sql
from tercet.store.notices import all_subscriptions, list_deliveries
from tercet.store.reader import Record
from tercet.store.unit import Unit

Channel = Literal["webhook", "email", "slack"]
CheckUrl = Callable[[str], Awaitable[None]]
"""Raises InvalidInput for a URL that may not be reached."""
_MOST_OF_AN_OWNER = 100
_ADDRESS = r"^[^\s@,;<>\"]{1,64}@[^\s@,;<>\"]{1,189}$"


class Registration(BaseModel):
    """What `POST /webhooks/register` takes."""

    model_config = ConfigDict(extra="forbid")

    channel: Channel = "webhook"
    url: str | None = Field(default=None, min_length=1, max_length=2_000)
    """Of a webhook, or of Slack's incoming webhook."""
    target: str | None = Field(default=None, pattern=_ADDRESS, max_length=254)
    """The address of the channel `email`."""
    events: list[NoticeEvent] | None = Field(default=None, min_length=1, max_length=50)
    """What to hear of; left out means everything."""
    secret: SecretStr | None = Field(default=None, max_length=200)
    """`whsec_…`; left out, one is made."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Subscription:
    """One receiver."""

    id: str
    owner_id: str
    channel: Channel
    target: str
    """What people may see of where it goes: a URL, an address, Slack's host."""
    events: frozenset[str]
    secret_sealed: str | None
    created_by: str
    created_at_ms: int


class Subscriptions:
    """Keeps every owner's receivers in memory: the engine asks at each commit."""

    def __init__(self, engine: Engine, keyring: Keyring, check_url: CheckUrl) -> None:
        self._engine = engine
        self._keyring = keyring
        self._check_url = check_url
        self._by_owner: dict[str, dict[str, Subscription]] = {}

    async def load(self) -> None:
        """Read all of them; once, before the engine starts."""
        for row in await self._engine.reader.read(all_subscriptions):
            self._keep(_to_subscription(row))

    def of(self, owner_id: str) -> Collection[Subscription]:
        """Return an owner's receivers, in the order in which they were registered."""
        return self._by_owner.get(owner_id, {}).values()

    def find(self, subscription_id: str, owner_id: str) -> Subscription | None:
        """Return a receiver that still is one."""
        return self._by_owner.get(owner_id, {}).get(subscription_id)

    def get(self, subscription_id: str, owner_id: str) -> Subscription:
        """Return a receiver. Raises NotFound."""
        found = self.find(subscription_id, owner_id)
        if found is None:
            raise NotFound(f"there is no webhook {subscription_id!r}")
        return found

    async def register(self, wanted: Registration, *, by: Person) -> tuple[Subscription, str | None]:
        """Return the new receiver, and a webhook's signing secret, which cannot be read again. Raises InvalidInput."""
        if len(self.of(by.owner_id)) >= _MOST_OF_AN_OWNER:
            raise InvalidInput(f"an owner has at most {_MOST_OF_AN_OWNER} webhooks", hint="delete one")
        target, kept_secret = await self._destination(wanted)
        subscription = Subscription(
            id=self._engine.mint.mint("whk"),
            owner_id=by.owner_id,
            channel=wanted.channel,
            target=target,
            events=frozenset(wanted.events or NoticeEvent),
            secret_sealed=None,
            created_by=by.user,
            created_at_ms=self._engine.clock.now_ms(),
        )
        if kept_secret is not None:
            sealed = self._keyring.seal(kept_secret, belongs_to=subscription.id)
            subscription = dataclasses.replace(subscription, secret_sealed=sealed)
        row = {
            **dataclasses.asdict(subscription),
            "events": to_json(sorted(subscription.events)),
            "deleted_at_ms": None,
        }
        unit = Unit()
        unit.add(sql.INSERT_SUBSCRIPTION, tuple(row[column] for column in sql.INSERT_SUBSCRIPTION.columns))
        await self._engine.journal.submit(unit)
        self._keep(subscription)
        return subscription, kept_secret if wanted.channel == "webhook" else None

    async def delete(self, subscription: Subscription) -> None:
        """End it: nothing more is sent there, also not what was to be tried again."""
        unit = Unit()
        unit.add(sql.DELETE_SUBSCRIPTION, (self._engine.clock.now_ms(), subscription.id))
        await self._engine.journal.submit(unit)
        self._by_owner.get(subscription.owner_id, {}).pop(subscription.id, None)

    async def deliveries(
        self, subscription: Subscription, *, limit: int, before: str | None = None
    ) -> list[Record]:
        """Return what was sent there, or will be, newest first."""
        return await self._engine.reader.read(
            list_deliveries, subscription_id=subscription.id, limit=limit, before=before
        )

    def secret_of(self, subscription: Subscription) -> str:
        """Return a webhook's signing secret, or the URL of a Slack hook. Raises CannotOpen."""
        return self._keyring.open(subscription.secret_sealed or "", belongs_to=subscription.id)

    async def _destination(self, wanted: Registration) -> tuple[str, str | None]:
        """Return what is shown and what is sealed."""
        if wanted.channel == "email":
            _refuse(wanted.url, "url", "is for webhook and slack; give the address as target")
            _refuse(wanted.secret, "secret", "is for webhooks only")
            return _require(wanted.target, "target"), None
        _refuse(wanted.target, "target", "is for email; give the url")
        url = _require(wanted.url, "url")
        await self._check_url(url)
        if wanted.channel == "slack":
            _refuse(wanted.secret, "secret", "is for webhooks only")
            return str(urlsplit(url).hostname), url
        return url, check_secret(wanted.secret.get_secret_value()) if wanted.secret else new_secret()

    def _keep(self, subscription: Subscription) -> None:
        self._by_owner.setdefault(subscription.owner_id, {})[subscription.id] = subscription


def _to_subscription(row: Record) -> Subscription:
    fields = {field.name: row[field.name] for field in dataclasses.fields(Subscription)}
    return Subscription(**{**fields, "events": frozenset(from_json(row["events"]))})


def _require(value: str | None, field: str) -> str:
    if value is None:
        raise InvalidInput(f"{field}: is required", detail=[{"field": field, "rule": "is required"}])
    return value


def _refuse(value: object, field: str, rule: str) -> None:
    if value is not None:
        raise InvalidInput(f"{field}: {rule}", detail=[{"field": field, "rule": rule}])
