"""Opens a node: the folder, the database, then all parts in the order in which they need each other."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from tercet.agent.agents import Agents
from tercet.agent.runs import AgentRuns
from tercet.chat.definition import REVISION_ID as CHAT_REVISION
from tercet.custody.keys import open_ring
from tercet.domain.clock import Clock, SystemClock
from tercet.domain.errors import InvalidSettings
from tercet.domain.ids import IdMint
from tercet.engine.control import Control
from tercet.engine.definition import Definition
from tercet.engine.engine import Engine
from tercet.engine.intake import Intake
from tercet.engine.live import Live
from tercet.flows.catalog import Catalog
from tercet.flows.cron_starter import CronStarter
from tercet.flows.events import Events
from tercet.flows.handlers import HandlerTable
from tercet.flows.retries import Retries
from tercet.humans.cancelling import Cancelling
from tercet.humans.deadlines import Deadlines
from tercet.humans.decide import Decisions
from tercet.humans.replays import Replays
from tercet.humans.requests import ApprovalRequests
from tercet.humans.reveals import Reveals
from tercet.humans.rows import Locks
from tercet.humans.stream_tokens import StreamTokens
from tercet.humans.tokens import Tokens
from tercet.loop.definition import KEY_PREFIX
from tercet.loop.runs import LoopRuns
from tercet.loop.step_executors import REPORT_EVENT
from tercet.model_source import ModelSource, choose_source
from tercet.plans.assembly import assemble
from tercet.plans.starting import PlanRuns
from tercet.settings import Settings
from tercet.store.keys import KeyFile
from tercet.store.migrate import migrate
from tercet.store.reader import Reader
from tercet.store.sealer import Sealer
from tercet.store.sqlite import FolderLock, open_reader, open_writer
from tercet.store.sqlite_journal import SqliteJournal
from tercet.wiring.node import Tercet
from tercet.wiring.parts import (
    agent_services,
    llm_with_key,
    make_calls,
    make_chat,
    make_custody,
    make_executors,
    make_loops,
    make_outbox,
    make_planner,
    make_sandbox,
    masked_view,
    reach_of,
    work_rules,
)

_SWITCH_INTERVAL_SECONDS = 0.0005
_GC_THRESHOLDS = (10_000, 20, 50)
"""The defaults are for small programs: a server's many short-lived requests would be searched again and again."""


@asynccontextmanager
async def open_tercet(
    settings: Settings,
    *,
    clock: Clock | None = None,
    handlers: HandlerTable | None = None,
    run_tasks: bool = True,
    inline: bool = False,
) -> AsyncIterator[Tercet]:
    """Open the data folder and run the node for the block.

    Without `run_tasks` it only records and reads. `inline` keeps all database work on the loop's thread, for
    loops with virtual time.

    Raises AlreadyRunning when another process owns the folder, StoreUnavailable, InvalidSettings.
    """
    folder = _prepare(settings.data_dir)
    lock = FolderLock(folder)
    lock.acquire()
    lock.write_owner(os.getpid())
    # The journal's thread asks for the interpreter once a commit; a long switch interval would delay it.
    sys.setswitchinterval(_SWITCH_INTERVAL_SECONDS)
    try:
        database = folder / "tercet.db"
        sealer = await asyncio.to_thread(_open_sealed, folder, database, settings)
        models = await asyncio.to_thread(choose_source, settings)
        reader = Reader(open_reader(database, sealer.ring), inline=inline)
        try:
            node = _assemble(
                settings, clock or SystemClock(), handlers or HandlerTable(), reader, models, sealer
            )
            if not run_tasks:
                node.engine.hold_back()
            await node.catalog.load()
            await node.outbox.subscriptions.load()
            await node.engine.start(_open_journal(database, node.engine, sealer, inline=inline))
            await node.plan_work.start()
            if run_tasks:
                await node.custody.daily.start()
            try:
                node.admin_token = await node.tokens.ensure_admin_token(folder / "admin-token")
                yield node
            finally:
                await _stop(node)
        finally:
            reader.close()
            models.close()
    finally:
        lock.release()


async def _stop(node: Tercet) -> None:
    await node.plan_work.stop()
    await node.engine.stop()
    await node.registry.aclose()
    await node.agents.aclose()
    await node.tools.mcp.aclose()


def settle_memory() -> None:
    """Spare the garbage collector what will stay as long as the process; for servers, once they are ready."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_GC_THRESHOLDS)


def _prepare(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise InvalidSettings(
            f"the data folder {folder} cannot be made: {error.strerror}", hint="choose another --data-dir"
        ) from error
    return folder


def _open_sealed(folder: Path, database: Path, settings: Settings) -> Sealer:
    """Bring the database to this version's schema and find the keys to what it holds."""
    migrate(f"sqlite:///{database}")
    return Sealer(open_ring(KeyFile(folder), database), seal_all=settings.encrypt_at_rest)


def _open_journal(database: Path, engine: Engine, sealer: Sealer, *, inline: bool) -> SqliteJournal:
    return SqliteJournal(
        open_writer(database),
        inline=inline,
        sealer=sealer,
        on_commit=engine.on_commit,
        on_lost=engine.recovery.on_lost,
    )


def _assemble(
    settings: Settings, clock: Clock, handlers: HandlerTable, reader: Reader, models: ModelSource, sealer: Sealer
) -> Tercet:  # fmt: skip
    services = agent_services(settings, reader, models)
    catalog = Catalog(reader, handlers, services)
    mint = IdMint(now_ms=clock.now_ms)

    async def definitions(revision_id: str) -> Definition:
        sources: dict[str, Agents | LoopRuns | PlanRuns] = {
            "agr_": agents,
            KEY_PREFIX: loops,
            "pln_": plan_work.runs,
        }
        if revision_id == CHAT_REVISION:
            return chat.chats.definition
        return await sources.get(revision_id[:4], catalog).definition(revision_id)

    engine = Engine(reader=reader, definitions=definitions, clock=clock, mint=mint, slots=settings.slots)
    registry = make_executors(services, make_sandbox(settings))
    locks = Locks()
    engine.calls = make_calls(engine, registry, models)
    engine.request_approval = ApprovalRequests(engine, locks)
    decisions = Decisions(engine, locks)
    Deadlines(engine, decisions, locks)
    intake = Intake(engine)
    CronStarter(engine, intake, catalog)
    control = Control(engine)
    cancelling = Cancelling(engine, control, decisions, locks)
    keyring, tokens = sealer.ring, Tokens(engine)
    agents = Agents(engine, services, keyring, llm_with_key=partial(llm_with_key, models))
    plan_work = assemble(
        engine, intake, cancelling, tokens, keyring, reach_of(settings), work_rules(settings), report_event=REPORT_EVENT
    )  # fmt: skip
    runs = AgentRuns(engine, intake, services.feed)
    chat = make_chat(settings, engine, intake, services, runs, registry, models)
    loops = make_loops(engine, intake, services, agents, catalog, plan_work)
    return Tercet(
        settings=settings, reader=reader, engine=engine, intake=intake, catalog=catalog,
        events=Events(engine, intake, catalog), control=control, decisions=decisions, cancelling=cancelling,
        retries=Retries(engine, intake, control), tokens=tokens, registry=registry, tools=services.catalog, agents=agents,
        runs=runs, plans=plan_work.library, plan_work=plan_work, chat=chat, loops=loops, live=Live(engine),
        stream_tokens=StreamTokens(keyring.derive("streams"), clock),
        planner=make_planner(settings, agents, runs, plan_work, models),
        outbox=make_outbox(settings, engine, keyring), replays=Replays(engine),
        reveals=Reveals(engine, masked=masked_view(settings)), services=services, models=models,
        custody=make_custody(settings, engine, sealer), admin_token="",
    )  # fmt: skip
