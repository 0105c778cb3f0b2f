"""Agent workers: who they are, what they can do, when they were heard of last. All of them are in memory."""

from __future__ import annotations

import base64
import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from tercet.domain.codec import from_json, to_json
from tercet.domain.errors import Conflict, NotFound
from tercet.domain.models import parse_model
from tercet.domain.sealing import Keyring
from tercet.engine.engine import Engine
from tercet.engine.state import ExecutionState
from tercet.humans.tokens import Tokens
from tercet.plans.moves import ANY_ACTION
from tercet.store import statements as sql
from tercet.store.agents import agent_exists, list_workers
from tercet.store.reader import Record
from tercet.store.unit import Unit

ANY_WORKER = "*"
"""In an execution's agents: every active agent worker of its owner."""
_FLUSH_MS = 60_000
Action = Annotated[str, Field(pattern=r"^(\*|[A-Za-z][A-Za-z0-9_.:-]{0,199})$")]


class Capability(BaseModel):
    """An action that an agent worker can do, and which parameters it reads."""

    model_config = ConfigDict(extra="forbid")

    action: Action
    params: list[str] | dict[str, Any] = Field(default_factory=list)
    description: str = Field(default="", max_length=2_000)


class Capabilities(BaseModel):
    """What an agent worker can do. Plain names are accepted."""

    model_config = ConfigDict(extra="forbid")

    capabilities: list[Capability] = Field(min_length=1, max_length=500)

    @field_validator("capabilities", mode="before")
    @classmethod
    def _names(cls, value: Any) -> Any:
        if isinstance(value, list):
            return [{"action": item} if isinstance(item, str) else item for item in value]
        return value

    def stored(self) -> list[dict[str, Any]]:
        """Return them as they are kept."""
        return [item.model_dump(exclude_defaults=True) for item in self.capabilities]


class Registration(Capabilities):
    """What `POST /agents/register` takes."""

    agent_id: str | None = Field(default=None, pattern=r"^[A-Za-z][A-Za-z0-9_-]{2,63}$")
    name: str = Field(min_length=1, max_length=200)
    role: str = Field(default="", max_length=200)
    poll_endpoint: str | None = Field(default=None, max_length=2_000)
    webhook_url: str | None = Field(default=None, max_length=2_000, pattern=r"^https?://[^\s]+$")
    model: str | None = Field(default=None, max_length=200)
    """With a model the agent may have tasks decomposed by it."""

    @field_validator("model")
    @classmethod
    def _known_provider(cls, value: str | None) -> str | None:
        if value is not None:
            parse_model(value)
        return value


@dataclass(kw_only=True, eq=False)
class Worker:
    """An agent worker as the node knows it."""

    id: str
    owner_id: str
    name: str
    role: str
    capabilities: list[dict[str, Any]]
    model: str | None
    poll_endpoint: str | None
    webhook_url: str | None
    webhook_secret_sealed: str | None
    is_active: bool
    created_at_ms: int
    last_seen_ms: int | None
    flushed_at_ms: int = 0
    actions: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self.actions = frozenset(item["action"] for item in self.capabilities)

    def can(self, action: str) -> bool:
        """Return whether it has the capability."""
        return action in self.actions or ANY_ACTION in self.actions


@dataclass(frozen=True, kw_only=True)
class Registered:
    """A new agent worker with its secrets, which are shown once."""

    worker: Worker
    api_key: str
    webhook_secret: str | None


def new_webhook_secret() -> str:
    """Return a fresh secret in the form of Standard Webhooks."""
    return f"whsec_{base64.b64encode(secrets.token_bytes(24)).decode()}"


class Workers:
    """All agent workers, each its owner's."""

    def __init__(self, engine: Engine, tokens: Tokens, keyring: Keyring) -> None:
        self._engine = engine
        self._tokens = tokens
        self._keyring = keyring
        self._by_id: dict[str, Worker] = {}
        self._by_owner: dict[str, dict[str, Worker]] = {}
        self.listeners: list[Callable[[str, Worker | None], None]] = []
        """Hear of an agent worker that came, changed, or (None) went."""

    async def load(self) -> None:
        """Read all of them; call it before work is offered."""
        self._by_id.clear()
        self._by_owner.clear()
        for row in await self._engine.reader.read(list_workers):
            self._add(_to_worker(row))

    async def register(self, body: Registration, *, owner_id: str) -> Registered:
        """Make an agent worker with a key of its own. Raises Conflict for an id that exists."""
        engine = self._engine
        agent_id = body.agent_id or engine.mint.mint("agt")
        if agent_id in self._by_id or await engine.reader.read(agent_exists, agent_id):
            raise Conflict(f"there is an agent {agent_id!r} already", hint="choose another agent_id, or none")
        revision_id, now_ms = engine.mint.mint("agr"), engine.clock.now_ms()
        secret = new_webhook_secret() if body.webhook_url else None
        config = {"name": body.name, "role": body.role} | ({"model": body.model} if body.model else {})
        row = {
            "id": agent_id, "owner_id": owner_id, "name": body.name, "role": body.role or None,
            "poll_endpoint": body.poll_endpoint, "webhook_url": body.webhook_url, "is_active": True,
            "last_heartbeat_at_ms": None, "created_at_ms": now_ms, "revision_id": revision_id,
            "capabilities": to_json(body.stored()),
            "api_key_sealed": None, "updated_at_ms": now_ms, "deleted_at_ms": None, "is_worker": True,
            "webhook_secret_sealed": self._keyring.seal(secret, belongs_to=agent_id) if secret else None,
        }  # fmt: skip
        unit = Unit()
        unit.add(sql.INSERT_AGENT, tuple(row[column] for column in sql.INSERT_AGENT.columns))
        unit.add(sql.INSERT_AGENT_REVISION, (revision_id, agent_id, owner_id, 1, to_json(config), now_ms))
        await engine.journal.submit(unit)
        worker = _to_worker({**row, "body": to_json(config)})
        self._add(worker)
        _, api_key = await self._tokens.create(user=agent_id, role="agent", owner_id=owner_id)
        return Registered(worker=worker, api_key=api_key, webhook_secret=secret)

    async def change_capabilities(self, worker: Worker, body: Capabilities) -> None:
        """Replace what an agent can do; its next poll looks for that."""
        stored = body.stored()
        unit = Unit()
        unit.add(
            sql.UPDATE_WORKER,
            (
                worker.poll_endpoint,
                worker.webhook_url,
                to_json(stored),
                worker.webhook_secret_sealed,
                worker.id,
            ),
        )
        await self._engine.journal.submit(unit)
        worker.capabilities = stored
        worker.actions = frozenset(item["action"] for item in stored)

    async def refresh(self, agent_id: str) -> None:
        """Read an agent again that was changed or deleted in the registry."""
        old = self._by_id.pop(agent_id, None)
        if old is None:
            return
        self._by_owner[old.owner_id].pop(agent_id, None)
        self._tell(agent_id, None)
        for row in await self._engine.reader.read(list_workers, agent_id):
            self._add(_to_worker(row))

    def get(self, agent_id: str, *, owner_id: str) -> Worker:
        """Return an agent worker. Raises NotFound."""
        worker = self._by_id.get(agent_id)
        if worker is None or worker.owner_id != owner_id:
            raise NotFound(
                f"there is no agent worker {agent_id!r}", hint="register it: POST /agents/register"
            )
        return worker

    def find(self, agent_id: str) -> Worker | None:
        """Return an agent worker of any owner, or None."""
        return self._by_id.get(agent_id)

    def of_owner(self, owner_id: str) -> Iterable[Worker]:
        """Return an owner's agent workers."""
        return self._by_owner.get(owner_id, {}).values()

    def doable(self, state: ExecutionState, action: str) -> bool:
        """Return whether an active agent of the execution has the capability."""
        return any(worker.can(action) for worker in self._of_execution(state))

    def seen(self, worker: Worker) -> None:
        """An agent gave a sign. Its row follows at most once a minute."""
        now_ms = self._engine.clock.now_ms()
        worker.last_seen_ms = now_ms
        if now_ms - worker.flushed_at_ms >= _FLUSH_MS:
            worker.flushed_at_ms = now_ms
            unit = Unit()
            unit.add(sql.TOUCH_AGENT, (now_ms, worker.id))
            self._engine.journal.submit(unit)

    def secret_of(self, worker: Worker) -> str | None:
        """Return the secret that signs what is pushed to the agent."""
        if worker.webhook_secret_sealed is None:
            return None
        return self._keyring.open(worker.webhook_secret_sealed, belongs_to=worker.id)

    def _of_execution(self, state: ExecutionState) -> Iterable[Worker]:
        if ANY_WORKER in state.agents:
            named = self.of_owner(state.owner_id)
        else:
            named = [worker for name in state.agents if (worker := self._by_id.get(name)) is not None]
        return (worker for worker in named if worker.is_active)

    def _add(self, worker: Worker) -> None:
        self._by_id[worker.id] = worker
        self._by_owner.setdefault(worker.owner_id, {})[worker.id] = worker
        self._tell(worker.id, worker)

    def _tell(self, agent_id: str, worker: Worker | None) -> None:
        for listener in self.listeners:
            listener(agent_id, worker)


def _to_worker(row: Record) -> Worker:
    return Worker(
        id=row["id"], owner_id=row["owner_id"], name=row["name"], role=row["role"] or "",
        capabilities=from_json(row["capabilities"]), model=from_json(row["body"]).get("model"),
        poll_endpoint=row["poll_endpoint"], webhook_url=row["webhook_url"],
        webhook_secret_sealed=row["webhook_secret_sealed"], is_active=bool(row["is_active"]),
        created_at_ms=row["created_at_ms"], last_seen_ms=row["last_heartbeat_at_ms"],
    )  # fmt: skip
