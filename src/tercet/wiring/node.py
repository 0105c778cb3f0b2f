"""A running node: what the doors use."""

from __future__ import annotations

from dataclasses import dataclass

from tercet.agent.agents import Agents
from tercet.agent.runs import AgentRuns
from tercet.agent.task import AgentServices
from tercet.chat.face import ChatFace
from tercet.custody.archive import Archive
from tercet.custody.daily import DailyArchive
from tercet.custody.export import Export
from tercet.custody.keys import Keys
from tercet.engine.control import Control
from tercet.engine.engine import Engine
from tercet.engine.intake import Intake
from tercet.engine.live import Live
from tercet.executors.registry import ExecutorRegistry
from tercet.flows.catalog import Catalog
from tercet.flows.events import Events
from tercet.flows.retries import Retries
from tercet.humans.cancelling import Cancelling
from tercet.humans.decide import Decisions
from tercet.humans.outbox import Outbox
from tercet.humans.replays import Replays
from tercet.humans.reveals import Reveals
from tercet.humans.stream_tokens import StreamTokens
from tercet.humans.tokens import Tokens
from tercet.loop.runs import LoopRuns
from tercet.model_source import ModelSource
from tercet.plans.assembly import PlanWork
from tercet.plans.library import PlanLibrary
from tercet.plans.planner import Planner
from tercet.settings import Settings
from tercet.store.reader import Reader
from tercet.tools.catalog import ToolCatalog


@dataclass(kw_only=True)
class Custody:
    """The keeping of data."""

    keys: Keys
    archive: Archive
    daily: DailyArchive
    export: Export


@dataclass(kw_only=True)
class Tercet:
    """A running node: what the doors use."""

    settings: Settings
    reader: Reader
    engine: Engine
    intake: Intake
    catalog: Catalog
    events: Events
    control: Control
    decisions: Decisions
    cancelling: Cancelling
    retries: Retries
    tokens: Tokens
    registry: ExecutorRegistry
    tools: ToolCatalog
    agents: Agents
    runs: AgentRuns
    plans: PlanLibrary
    plan_work: PlanWork
    planner: Planner
    live: Live
    stream_tokens: StreamTokens
    outbox: Outbox
    replays: Replays
    reveals: Reveals
    chat: ChatFace
    loops: LoopRuns
    services: AgentServices
    models: ModelSource
    custody: Custody
    admin_token: str

    def wind_down(self) -> None:
        """End what waits: streams, and agents that poll. A server calls it when it begins to stop."""
        self.live.close()
        self.plan_work.board.close()
        self.chat.chats.close_streams()
