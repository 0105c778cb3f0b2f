"""The composition root: the one file that names concrete adapters. Reading it shows the whole machine."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tercet.agent.agents import Agents
from tercet.agent.audit_book import AuditBook
from tercet.agent.runs import AgentRuns
from tercet.agent.task import AgentServices
from tercet.chat.chats import Chats
from tercet.chat.definition import REVISION_ID as CHAT_REVISION
from tercet.chat.documents import Documents
from tercet.chat.face import ChatFace
from tercet.chat.library import SHIPPED, load_library
from tercet.chat.policy import Limits
from tercet.chat.projects import Projects
from tercet.chat.services import ChatServices
from tercet.domain.clock import Clock, SystemClock
from tercet.domain.errors import InvalidSettings
from tercet.domain.ids import IdMint
from tercet.domain.masking import View, mask_value
from tercet.domain.sealing import Keyring
from tercet.engine.calls import ExecutorCalls
from tercet.engine.control import Control
from tercet.engine.definition import Definition
from tercet.engine.engine import Engine
from tercet.engine.intake import Intake
from tercet.engine.live import Live
from tercet.executors.classifier import ClassifierExecutor
from tercet.executors.document_processor import DocumentProcessorExecutor
from tercet.executors.llm import LlmExecutor
from tercet.executors.registry import ExecutorRegistry
from tercet.executors.template_engine import TemplateEngineExecutor
from tercet.executors.tool_call import ToolCallExecutor
from tercet.flows.catalog import Catalog
from tercet.flows.cron_starter import CronStarter
from tercet.flows.events import Events
from tercet.flows.handlers import HandlerTable
from tercet.flows.retries import Retries
from tercet.humans.cancelling import Cancelling
from tercet.humans.channels import Channels
from tercet.humans.deadlines import Deadlines
from tercet.humans.decide import Decisions
from tercet.humans.notices import Notices
from tercet.humans.outbox import Outbox
from tercet.humans.replays import Replays
from tercet.humans.requests import ApprovalRequests
from tercet.humans.reveals import Reveals
from tercet.humans.rows import Locks
from tercet.humans.stream_tokens import StreamTokens
from tercet.humans.subscriptions import Subscriptions
from tercet.humans.tokens import Tokens
from tercet.model_source import ModelSource, choose_source
from tercet.plans.assembly import PlanWork, assemble
from tercet.plans.library import PlanLibrary
from tercet.plans.planner import Planner
from tercet.plans.work import WorkRules
from tercet.settings import Settings
from tercet.store.keys import open_keyring
from tercet.store.migrate import migrate
from tercet.store.reader import Reader
from tercet.store.sqlite import FolderLock, open_reader, open_writer
from tercet.store.sqlite_journal import SqliteJournal
from tercet.tools.catalog import ToolCatalog, builtin_tools
from tercet.tools.email import EmailTool
from tercet.tools.http_request import HTTPRequestTool
from tercet.tools.mcp import McpServers, load_mcp_servers
from tercet.tools.result_cache import MemoryResultCache, RedisResultCache
from tercet.tools.safe_http import Reach
from tercet.tools.sandbox import ToolSandbox
from tercet.tools.slack import SlackTool
from tercet.tools.webhooks import check_receiver

_SWITCH_INTERVAL_SECONDS = 0.0005
_GC_THRESHOLDS = (10_000, 20, 50)
"""The defaults are for small programs: a server's many short-lived requests would be searched again and again."""


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
    services: AgentServices
    models: ModelSource
    admin_token: str

    def wind_down(self) -> None:
        """End what waits: streams, and agents that poll. A server calls it when it begins to stop."""
        self.live.close()
        self.plan_work.board.close()
        self.chat.chats.close_streams()


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
            await node.outbox.subscriptions.load()
            await node.engine.start(journal)
            await node.plan_work.start()
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


def _assemble(
    settings: Settings, clock: Clock, handlers: HandlerTable, reader: Reader, models: ModelSource
) -> Tercet:
    services = _agent_services(settings, reader, models)
    catalog = Catalog(reader, handlers, services)
    mint = IdMint(now_ms=clock.now_ms)

    async def definitions(revision_id: str) -> Definition:
        if revision_id == CHAT_REVISION:
            return chat.chats.definition
        if revision_id.startswith("pln_"):
            return await plan_work.runs.definition(revision_id)
        return await (agents if revision_id.startswith("agr_") else catalog).definition(revision_id)

    engine = Engine(reader=reader, definitions=definitions, clock=clock, mint=mint, slots=settings.slots)
    registry = _executors(services, _sandbox(settings))
    locks = Locks()
    engine.calls = _calls(engine, registry, models)
    engine.request_approval = ApprovalRequests(engine, locks)
    decisions = Decisions(engine, locks)
    Deadlines(engine, decisions, locks)
    intake = Intake(engine)
    CronStarter(engine, intake, catalog)
    control = Control(engine)
    cancelling = Cancelling(engine, control, decisions, locks)
    keyring, tokens = open_keyring(settings.data_dir), Tokens(engine)
    agents = Agents(engine, services, keyring, llm_with_key=partial(_llm_with_key, models))
    plan_work = assemble(engine, intake, cancelling, tokens, keyring, _reach(settings), _work_rules(settings))
    runs = AgentRuns(engine, intake, services.feed)
    chat = _chat(settings, engine, intake, services, runs, registry, models)
    return Tercet(
        settings=settings, reader=reader, engine=engine, intake=intake, catalog=catalog,
        events=Events(engine, intake, catalog), control=control, decisions=decisions, cancelling=cancelling,
        retries=Retries(engine, intake, control), tokens=tokens, registry=registry, tools=services.catalog, agents=agents,
        runs=runs, plans=plan_work.library, plan_work=plan_work, chat=chat, live=Live(engine),
        stream_tokens=StreamTokens(keyring.derive("streams"), clock),
        planner=_planner(settings, agents, runs, plan_work, models),
        outbox=_outbox(settings, engine, keyring), replays=Replays(engine),
        reveals=Reveals(engine, masked=_masked(settings)), services=services, models=models, admin_token="",
    )  # fmt: skip


def _calls(engine: Engine, registry: ExecutorRegistry, models: ModelSource) -> ExecutorCalls:
    return ExecutorCalls(engine, registry.run, resolve_model=models.resolve, overrides=models.overrides)


def _planner(
    settings: Settings, agents: Agents, runs: AgentRuns, plan_work: PlanWork, models: ModelSource
) -> Planner:
    asks_model = models.kind != "mock" or settings.mock_script is not None
    return Planner(
        agents, runs, plan_work.library, plan_work.runs, asks_model=asks_model,
        min_confidence=settings.decomposition_min_confidence,
    )  # fmt: skip


def _work_rules(settings: Settings) -> WorkRules:
    return WorkRules(
        lease_seconds=settings.work_lease_seconds,
        escalate_seconds=settings.work_escalate_hours * 3600,
        external_wait_seconds=settings.external_wait_hours * 3600,
        execution_timeout_seconds=settings.plan_timeout_hours * 3600,
        min_confidence=settings.decomposition_min_confidence,
    )


def _outbox(settings: Settings, engine: Engine, keyring: Keyring) -> Outbox:
    reach = _reach(settings)
    subscriptions = Subscriptions(engine, keyring, partial(check_receiver, reach=reach))
    public_url = settings.public_url or f"http://{settings.host}:{settings.port}"
    notices = Notices(engine, subscriptions, public_url=public_url, view=_masked(settings))
    return Outbox(engine, subscriptions, notices, Channels(subscriptions, _email(settings), reach))


def _reach(settings: Settings) -> Reach:
    # The list of domains narrows what agents reach; where a person wants to hear of things is that person's matter.
    return Reach(allowed_networks=_sandbox(settings).reach.allowed_networks)


def _masked(settings: Settings) -> View:
    return partial(mask_value, region=settings.phone_region)


def _agent_services(settings: Settings, reader: Reader, models: ModelSource) -> AgentServices:
    return AgentServices(
        catalog=installed_tools(settings),
        llm=LlmExecutor(models.config),
        resolve_model=models.resolve,
        audit=AuditBook(reader),
        workspaces=settings.data_dir / "workspaces",
        cache=RedisResultCache(settings.redis_url) if settings.redis_url else MemoryResultCache(),
        make_sandbox=partial(_sandbox, settings),
    )


def _chat(
    settings: Settings,
    engine: Engine,
    intake: Intake,
    agents: AgentServices,
    runs: AgentRuns,
    registry: ExecutorRegistry,
    models: ModelSource,
) -> ChatFace:
    """Without a model of one's own the rules decide: what a mock decides means nothing."""
    folders = [SHIPPED, *([settings.templates_dir] if settings.templates_dir else [])]
    services = ChatServices(
        agents=agents,
        library=load_library(*folders),
        limits=Limits(models=tuple(settings.chat_models)),
        decider="rules" if models.kind == "mock" else "model",
        decider_model=settings.chat_decider_model,
        turn_usd=settings.chat_turn_usd,
        note=models.note,
    )
    projects = Projects(engine)
    return ChatFace(
        projects=projects,
        documents=Documents(engine, projects, registry.run, max_bytes=settings.max_document_bytes),
        chats=Chats(engine, intake, services, projects, runs),
        services=services,
    )


def _llm_with_key(models: ModelSource, api_key: str) -> LlmExecutor | None:
    config = models.config_with_key(api_key)
    return None if config is None else LlmExecutor(config)


def installed_tools(settings: Settings) -> ToolCatalog:
    """Return the tools that agents may have here. Raises InvalidSettings."""
    servers = load_mcp_servers(settings.mcp_servers_file) if settings.mcp_servers_file else {}
    slack = settings.slack_token
    slack_tool = SlackTool(token=slack.get_secret_value() if slack else None)
    http = HTTPRequestTool(_sandbox(settings), allow_insecure=settings.tool_insecure_tls)
    catalog = ToolCatalog(
        builtin_tools(email=_email(settings), slack=slack_tool, http=http), mcp=McpServers(servers)
    )
    catalog.discover()
    return catalog


def _email(settings: Settings) -> EmailTool:
    resend = settings.resend_api_key
    return EmailTool(
        host=settings.smtp_host, port=settings.smtp_port, sender=settings.smtp_sender,
        resend_api_key=resend.get_secret_value() if resend else None,
    )  # fmt: skip


def _sandbox(settings: Settings) -> ToolSandbox:
    sandbox = ToolSandbox()
    try:
        for domain in settings.tool_domains:
            sandbox.add_allowed_domain(domain)
        for network in settings.tool_networks:
            sandbox.allow_network(network)
    except ValueError as error:
        raise InvalidSettings(f"TERCET_TOOL_DOMAINS or TERCET_TOOL_NETWORKS: {error}") from error
    return sandbox


def _executors(services: AgentServices, sandbox: ToolSandbox) -> ExecutorRegistry:
    registry = ExecutorRegistry()
    registry.register(services.llm)
    registry.register(TemplateEngineExecutor())
    registry.register(DocumentProcessorExecutor())
    registry.register(ClassifierExecutor(services.llm))
    registry.register(ToolCallExecutor(services.catalog, sandbox=sandbox))
    registry.discover()
    return registry
