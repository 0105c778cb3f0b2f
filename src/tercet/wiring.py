"""The composition root: the one file that names concrete adapters. Reading it shows the whole machine."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from tercet.domain.clock import Clock, SystemClock
from tercet.domain.errors import InvalidSettings
from tercet.domain.ids import IdMint
from tercet.engine.calls import ExecutorCalls
from tercet.engine.control import Control
from tercet.engine.engine import Engine
from tercet.engine.intake import Intake
from tercet.executors.classifier import ClassifierExecutor
from tercet.executors.document_processor import DocumentProcessorExecutor
from tercet.executors.llm import LlmExecutor
from tercet.executors.registry import ExecutorRegistry
from tercet.executors.template_engine import TemplateEngineExecutor
from tercet.executors.tool_call import ToolCallExecutor, discover_tools
from tercet.flows.catalog import Catalog
from tercet.flows.cron_starter import CronStarter
from tercet.flows.events import Events
from tercet.flows.handlers import HandlerTable
from tercet.flows.retries import Retries
from tercet.humans.cancelling import Cancelling
from tercet.humans.deadlines import Deadlines
from tercet.humans.decide import Decisions
from tercet.humans.requests import ApprovalRequests
from tercet.humans.rows import Locks
from tercet.humans.tokens import Tokens
from tercet.model_source import ModelSource, choose_source
from tercet.settings import Settings
from tercet.store.migrate import migrate
from tercet.store.reader import Reader
from tercet.store.sqlite import FolderLock, open_reader, open_writer
from tercet.store.sqlite_journal import SqliteJournal
from tercet.tools.email import EmailTool

_SWITCH_INTERVAL_SECONDS = 0.0005


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
    models: ModelSource
    admin_token: str


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
        await asyncio.to_thread(migrate, f"sqlite:///{database}")
        models = await asyncio.to_thread(choose_source, settings)
        reader = Reader(open_reader(database), inline=inline)
        try:
            node = _assemble(settings, clock or SystemClock(), handlers or HandlerTable(), reader, models)
            if not run_tasks:
                node.engine.hold_back()
            journal = SqliteJournal(
                open_writer(database),
                inline=inline,
                on_commit=node.engine.on_commit,
                on_lost=node.engine.recovery.on_lost,
            )
            await node.catalog.load()
            await node.engine.start(journal)
            try:
                node.admin_token = await node.tokens.ensure_admin_token(folder / "admin-token")
                yield node
            finally:
                await node.engine.stop()
                await node.registry.aclose()
        finally:
            reader.close()
            models.close()
    finally:
        lock.release()


def _prepare(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise InvalidSettings(
            f"the data folder {folder} cannot be made: {error.strerror}", hint="choose another --data-dir"
        ) from error
    return folder


def _assemble(
    settings: Settings, clock: Clock, handlers: HandlerTable, reader: Reader, models: ModelSource
) -> Tercet:
    catalog = Catalog(reader, handlers)
    mint = IdMint(now_ms=clock.now_ms)
    engine = Engine(
        reader=reader, definitions=catalog.definition, clock=clock, mint=mint, slots=settings.slots
    )
    registry = _executors(settings, models)
    locks = Locks()
    engine.calls = ExecutorCalls(
        engine, registry.run, resolve_model=models.resolve, overrides=models.overrides
    )
    engine.request_approval = ApprovalRequests(engine, locks)
    decisions = Decisions(engine, locks)
    Deadlines(engine, decisions, locks)
    intake = Intake(engine)
    CronStarter(engine, intake, catalog)
    control = Control(engine)
    return Tercet(
        settings=settings,
        reader=reader,
        engine=engine,
        intake=intake,
        catalog=catalog,
        events=Events(engine, intake, catalog),
        control=control,
        decisions=decisions,
        cancelling=Cancelling(engine, control, decisions, locks),
        retries=Retries(engine, intake, control),
        tokens=Tokens(engine),
        registry=registry,
        models=models,
        admin_token="",
    )


def _executors(settings: Settings, models: ModelSource) -> ExecutorRegistry:
    registry = ExecutorRegistry()
    llm = LlmExecutor(models.config)
    email = EmailTool(host=settings.smtp_host, port=settings.smtp_port, sender=settings.smtp_sender)
    registry.register(llm)
    registry.register(TemplateEngineExecutor())
    registry.register(DocumentProcessorExecutor())
    registry.register(ClassifierExecutor(llm))
    registry.register(ToolCallExecutor([email, *discover_tools()]))
    registry.discover()
    return registry
