"""The parts of a node, each made from the settings: what is concrete is named here."""

from __future__ import annotations

from functools import partial

from tercet.agent.agents import Agents
from tercet.agent.audit_book import AuditBook
from tercet.agent.runs import AgentRuns
from tercet.agent.task import AgentServices
from tercet.chat.chats import Chats
from tercet.chat.documents import Documents
from tercet.chat.face import ChatFace
from tercet.chat.library import SHIPPED, load_library
from tercet.chat.policy import Limits
from tercet.chat.projects import Projects
from tercet.chat.services import ChatServices
from tercet.custody.archive import Archive
from tercet.custody.daily import DailyArchive
from tercet.custody.export import Export
from tercet.custody.keys import Keys
from tercet.domain.errors import InvalidSettings
from tercet.domain.masking import View, mask_value
from tercet.domain.sealing import Keyring
from tercet.engine.calls import ExecutorCalls
from tercet.engine.engine import Engine
from tercet.engine.intake import Intake
from tercet.executors.classifier import ClassifierExecutor
from tercet.executors.document_processor import DocumentProcessorExecutor
from tercet.executors.llm import LlmExecutor
from tercet.executors.registry import ExecutorRegistry
from tercet.executors.template_engine import TemplateEngineExecutor
from tercet.executors.tool_call import ToolCallExecutor
from tercet.flows.catalog import Catalog
from tercet.flows.inline import call_function
from tercet.humans.channels import Channels
from tercet.humans.notices import Notices
from tercet.humans.outbox import Outbox
from tercet.humans.subscriptions import Subscriptions
from tercet.loop.agent_turns import AgentTurns
from tercet.loop.definition import LoopServices
from tercet.loop.runs import LoopRuns
from tercet.loop.step_executors import (
    StepExecutors,
    StepTurn,
    ask_person,
    function_executor,
    worker_executor,
)
from tercet.model_source import ModelSource
from tercet.plans.assembly import PlanWork
from tercet.plans.handover import Errand
from tercet.plans.planner import Planner
from tercet.plans.work import WorkRules
from tercet.settings import Settings
from tercet.store.archive_files import ArchiveFolder
from tercet.store.keys import KeyFile
from tercet.store.reader import Reader
from tercet.store.sealer import Sealer
from tercet.tools.catalog import ToolCatalog, builtin_tools
from tercet.tools.email import EmailTool
from tercet.tools.http_request import HTTPRequestTool
from tercet.tools.mcp import McpServers, load_mcp_servers
from tercet.tools.result_cache import MemoryResultCache, RedisResultCache
from tercet.tools.safe_http import Reach
from tercet.tools.sandbox import ToolSandbox
from tercet.tools.slack import SlackTool
from tercet.tools.webhooks import check_receiver
from tercet.wiring.node import Custody


def make_calls(engine: Engine, registry: ExecutorRegistry, models: ModelSource) -> ExecutorCalls:
    """Return what calls executors as durable, metered steps."""
    return ExecutorCalls(engine, registry.run, resolve_model=models.resolve, overrides=models.overrides)


def make_planner(
    settings: Settings, agents: Agents, runs: AgentRuns, plan_work: PlanWork, models: ModelSource
) -> Planner:
    """Return what decomposes tasks and writes plans."""
    asks_model = models.kind != "mock" or settings.mock_script is not None
    return Planner(
        agents, runs, plan_work.library, plan_work.runs, asks_model=asks_model,
        min_confidence=settings.decomposition_min_confidence,
    )  # fmt: skip


def work_rules(settings: Settings) -> WorkRules:
    """Return the times that hold for agents' work."""
    return WorkRules(
        lease_seconds=settings.work_lease_seconds,
        escalate_seconds=settings.work_escalate_hours * 3600,
        external_wait_seconds=settings.external_wait_hours * 3600,
        execution_timeout_seconds=settings.plan_timeout_hours * 3600,
        min_confidence=settings.decomposition_min_confidence,
    )


def make_outbox(settings: Settings, engine: Engine, keyring: Keyring) -> Outbox:
    """Return what tells people and programs of what happens."""
    reach = reach_of(settings)
    subscriptions = Subscriptions(engine, keyring, partial(check_receiver, reach=reach))
    public_url = settings.public_url or f"http://{settings.host}:{settings.port}"
    notices = Notices(engine, subscriptions, public_url=public_url, view=masked_view(settings))
    return Outbox(engine, subscriptions, notices, Channels(subscriptions, email_tool(settings), reach))


def reach_of(settings: Settings) -> Reach:
    """Return which addresses messages to the outside may go to."""
    # The list of domains narrows what agents reach; where a person wants to hear of things is that person's matter.
    return Reach(allowed_networks=make_sandbox(settings).reach.allowed_networks)


def masked_view(settings: Settings) -> View:
    """Return how personal data are shown by default."""
    return partial(mask_value, region=settings.phone_region)


def make_loops(
    engine: Engine,
    intake: Intake,
    services: AgentServices,
    agents: Agents,
    catalog: Catalog,
    plan_work: PlanWork,
) -> LoopRuns:
    """Return the loops with everything that their steps can be handed to."""
    turns = AgentTurns(services=services, agents=agents)

    async def hand_over(turn: StepTurn, work_id: str) -> None:
        step = turn.step["step"]
        await plan_work.handover.give(
            Errand(
                owner_id=turn.context.state.owner_id, execution_id=turn.context.execution_id, work_id=work_id,
                agent_id=turn.target, title=step[:200],
                params={"goal": turn.config.goal, "step": step, **turn.step["options"]},
            )
        )  # fmt: skip

    executors = StepExecutors()
    executors.add("agent", turns.act)
    executors.add("human", ask_person)
    executors.add("function", function_executor(partial(call_function, catalog)))
    executors.add("worker", worker_executor(hand_over))
    return LoopRuns(engine=engine, intake=intake, services=LoopServices(turns=turns, executors=executors))


def agent_services(settings: Settings, reader: Reader, models: ModelSource) -> AgentServices:
    """Return what runs of agents need."""
    return AgentServices(
        catalog=installed_tools(settings),
        llm=LlmExecutor(models.config),
        resolve_model=models.resolve,
        audit=AuditBook(reader),
        workspaces=settings.data_dir / "workspaces",
        cache=RedisResultCache(settings.redis_url) if settings.redis_url else MemoryResultCache(),
        make_sandbox=partial(make_sandbox, settings),
    )


def make_chat(
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


def llm_with_key(models: ModelSource, api_key: str) -> LlmExecutor | None:
    """Return an executor for an agent's own key, or None where no provider takes one."""
    config = models.config_with_key(api_key)
    return None if config is None else LlmExecutor(config)


def installed_tools(settings: Settings) -> ToolCatalog:
    """Return the tools that agents may have here. Raises InvalidSettings."""
    servers = load_mcp_servers(settings.mcp_servers_file) if settings.mcp_servers_file else {}
    slack = settings.slack_token
    slack_tool = SlackTool(token=slack.get_secret_value() if slack else None)
    http = HTTPRequestTool(make_sandbox(settings), allow_insecure=settings.tool_insecure_tls)
    catalog = ToolCatalog(
        builtin_tools(email=email_tool(settings), slack=slack_tool, http=http), mcp=McpServers(servers)
    )
    catalog.discover()
    return catalog


def email_tool(settings: Settings) -> EmailTool:
    """Return the e-mail tool."""
    resend = settings.resend_api_key
    return EmailTool(
        host=settings.smtp_host, port=settings.smtp_port, sender=settings.smtp_sender,
        resend_api_key=resend.get_secret_value() if resend else None,
    )  # fmt: skip


def make_sandbox(settings: Settings) -> ToolSandbox:
    """Return the limits of what tools reach. Raises InvalidSettings."""
    sandbox = ToolSandbox()
    try:
        for domain in settings.tool_domains:
            sandbox.add_allowed_domain(domain)
        for network in settings.tool_networks:
            sandbox.allow_network(network)
    except ValueError as error:
        raise InvalidSettings(f"TERCET_TOOL_DOMAINS or TERCET_TOOL_NETWORKS: {error}") from error
    return sandbox


def make_executors(services: AgentServices, sandbox: ToolSandbox) -> ExecutorRegistry:
    """Return all executors, those of entry points too."""
    registry = ExecutorRegistry()
    registry.register(services.llm)
    registry.register(TemplateEngineExecutor())
    registry.register(DocumentProcessorExecutor())
    registry.register(ClassifierExecutor(services.llm))
    registry.register(ToolCallExecutor(services.catalog, sandbox=sandbox))
    registry.discover()
    return registry


def make_custody(settings: Settings, engine: Engine, sealer: Sealer) -> Custody:
    """Return what keeps the data: keys, archives, exports."""
    folder = ArchiveFolder(settings.data_dir / "archive")
    keys = Keys(engine, KeyFile(settings.data_dir), sealer)
    archive = Archive(engine, folder, keys, sealer)
    return Custody(
        keys=keys,
        archive=archive,
        daily=DailyArchive(engine, archive, after_days=settings.archive_after_days),
        export=Export(engine.reader, folder, sealer.ring, engine.clock),
    )
