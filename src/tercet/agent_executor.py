"""AgentExecutor: a model with tools, as a Python object without any server (spec 3).

    executor = AgentExecutor({"name": "Math Assistant", "tools": {"calculator": True}}, LLMModel.CLAUDE_SONNET_4)
    executor.execute("What is 15 + 27?")["response"]

Without a key for a provider the mock Claude answers. Limits, sandbox, audit and costs are those of the server;
what is missing is the store: durable runs are those of registered agents and of manifests.
"""

from __future__ import annotations

import asyncio
import tempfile
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from uuid import uuid4
from weakref import WeakKeyDictionary

import structlog
from pydantic import ValidationError

from tercet.agent.config import AgentConfig
from tercet.agent.llm_model import LLMModel, to_model
from tercet.agent.local_steps import Approve, LocalLedger, LocalSteps
from tercet.agent.loop import AgentLoop
from tercet.agent.plan import Surroundings, make_plan
from tercet.agent.result import RunResult
from tercet.agent.toolbox import local_tools
from tercet.domain.errors import (
    AgentFailed,
    ContextLengthExceededError,
    CostLimitExceededError,
    InvalidInput,
    RateLimitExceededError,
    ToolExecutionError,
    ToolNotFoundError,
)
from tercet.domain.tool import Tool
from tercet.engine.budgets import Spender
from tercet.executors.llm import LlmExecutor
from tercet.model_source import ModelSource, choose_source
from tercet.settings import Settings
from tercet.tools.audit import AuditChain
from tercet.tools.base import ToolBase
from tercet.tools.catalog import ToolCatalog, builtin_tools
from tercet.tools.mcp import McpServers, load_mcp_servers
from tercet.tools.result_cache import MemoryResultCache, ResultCache
from tercet.tools.sandbox import ToolSandbox
from tercet.tools.security import SecurityContext
from tercet.tools.workspace import Workspace

__all__ = [
    "AgentExecutor",
    "AgentState",
    "ContextLengthExceededError",
    "CostLimitExceededError",
    "LLMModel",
    "RateLimitExceededError",
    "ToolBase",
    "ToolExecutionError",
    "ToolNotFoundError",
    "ToolSandbox",
]
_log = structlog.get_logger(__name__)


class AgentState(StrEnum):
    """Where the executor's latest run stands."""

    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"


class AgentExecutor:
    """Runs one agent. It remembers the conversation: a run begins with the last `limits.max_history` messages."""

    def __init__(
        self,
        agent_config: dict[str, Any] | AgentConfig,
        model: LLMModel | str | None = None,
        *,
        sandbox: ToolSandbox | None = None,
        security_context: dict[str, Any] | SecurityContext | None = None,
        settings: Settings | None = None,
        catalog: ToolCatalog | None = None,
        cache: ResultCache | None = None,
        ledger: LocalLedger | None = None,
        workspace: Path | None = None,
        approve: Approve | None = None,
    ) -> None:
        """Check the configuration. Raises InvalidInput, ToolNotFoundError, ValueError for an unknown model."""
        self.config = _read_config(agent_config, model)
        self.model: LLMModel | str = to_model(self.config.model)
        self.sandbox = sandbox or ToolSandbox()
        self.ledger = ledger or LocalLedger()
        self.audit = AuditChain()
        self.state = AgentState.PENDING
        self.conversation_history: list[dict[str, str]] = []
        self._context = SecurityContext.of(security_context)
        self._settings = settings
        self._cache = cache or MemoryResultCache()
        self._approve = approve
        self._workspace = workspace
        self._catalog = catalog or _default_catalog()
        self._held: list[_Held] = []
        self._own_folder = Path(tempfile.gettempdir()) / f"tercet-agent-{uuid4().hex}"
        self.tools: dict[str, Tool] = local_tools(
            self.config, self._catalog, workspace=Workspace(self._folder()), sandbox=self.sandbox
        )
        if isinstance(self.model, LLMModel) and self.model.retired:
            _log.warning("model.retired", model=str(self.model), answers=self.model.replacement)

    def execute(self, message: str) -> Any:
        """Run to the answer: {response, tool_results, conversation_history, tokens_used, cost_usd, state}.

        Outside an event loop it returns the dict, inside a running one a coroutine for it. Raises ToolExecutionError,
        ContextLengthExceededError, RateLimitExceededError, CostLimitExceededError, AgentFailed.
        """
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return _background(self.aexecute(message))
        return self.aexecute(message)

    async def aexecute(self, message: str) -> dict[str, Any]:
        """Run to the answer; see `execute`."""
        return await self._run(message, None)

    async def __aenter__(self) -> Self:
        """Keep the connections to the model open for the block; else each burst of runs opens its own."""
        self._held.append(await _hold(_source(self._settings)))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._held.pop().release()

    def stream(self, message: str) -> RunStream:
        """Run and yield events {type, data}, with `for` or `async for`; the last is task.completed or task.failed."""
        return RunStream(self, message)

    async def _run(
        self, message: str, report: Callable[[str, dict[str, Any]], None] | None
    ) -> dict[str, Any]:
        if not str(message).strip():
            raise InvalidInput("the input is empty", hint="say what the agent shall do")
        self.state = AgentState.RUNNING
        held = await _hold(_source(self._settings))
        steps = self._steps(report, held.llm)
        workspace = Workspace(self._folder())
        rules = self.config.workspace
        loop: AgentLoop | None = None
        try:
            async with asyncio.timeout(self.config.limits.timeout_seconds):
                plan = await make_plan(
                    self.config,
                    Surroundings(
                        catalog=self._catalog, workspace=workspace, sandbox=self.sandbox, context=self._context,
                        cache=self._cache,
                    ),
                )  # fmt: skip
                loop = AgentLoop(plan, steps, task_id=steps.spender.execution_id)
                result = await loop.run([_to_message(line) for line in self._earlier()], message)
        except TimeoutError as error:
            self.state = AgentState.FAILED
            raise AgentFailed(
                f"no answer within {self.config.limits.timeout_seconds:g} seconds", code="RUN_TIMED_OUT"
            ) from error
        except BaseException:
            self.state = AgentState.FAILED
            raise
        finally:
            await held.release()
            if self._workspace is None:
                success = self.state is AgentState.RUNNING
                workspace.finish(
                    success=success, cleanup=rules.cleanup, snapshot_on_failure=rules.snapshot_on_failure
                )
        self.state = AgentState.COMPLETED
        return self._to_wire(message, result)

    def _earlier(self) -> list[dict[str, str]]:
        most = self.config.limits.max_history
        return self.conversation_history[-most:] if most else []

    def _steps(self, report: Callable[[str, dict[str, Any]], None] | None, llm: LlmExecutor) -> LocalSteps:
        source = _source(self._settings)
        spender = Spender(
            owner_id=self._context.owner,
            execution_id=f"run_{uuid4().hex}",
            agent=self.config.name,
            day=datetime.now(UTC).date().isoformat(),
        )
        return LocalSteps(
            config=self.config, llm=llm, ledger=self.ledger, spender=spender, audit=self.audit,
            report_to=report, approver=self._approve, resolve_model=source.resolve, overrides=source.overrides,
            stream=report is not None,
        )  # fmt: skip

    def _to_wire(self, message: str, result: RunResult) -> dict[str, Any]:
        self.conversation_history = [
            *self._earlier(),
            {"role": "user", "content": message},
            {"role": "assistant", "content": result.response},
        ]
        out: dict[str, Any] = {
            "response": result.response,
            "tool_results": result.tool_results,
            "conversation_history": list(self.conversation_history),
            "tokens_used": result.tokens_used,
            "cost_usd": float(result.cost_usd),
            "state": self.state.value,
        }
        if self.config.output_schema is not None:
            out["data"] = result.data
        if result.flags:
            out["flags"] = list(result.flags)
        return out

    def _folder(self) -> Path:
        """A folder of its own, made by the first write into it; what a failed run leaves stays for a look."""
        return self._workspace or self._own_folder


class RunStream:
    """Events of one run, for `for` and for `async for`."""

    def __init__(self, executor: AgentExecutor, message: str) -> None:
        self._executor = executor
        self._message = message

    async def __aiter__(self) -> AsyncIterator[dict[str, Any]]:
        queue: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()

        def report(kind: str, data: dict[str, Any]) -> None:
            queue.put_nowait({"type": kind, "data": data})

        async def run() -> None:
            try:
                report("task.started", {"agent": self._executor.config.name})
                report("task.completed", await self._executor._run(self._message, report))
            except Exception as error:
                report("task.failed", {"error": str(error), "code": getattr(error, "code", "AGENT_FAILED")})
                raise
            finally:
                queue.put_nowait(None)

        task = asyncio.create_task(run())
        try:
            while (event := await queue.get()) is not None:
                yield event
            await task
        finally:
            task.cancel()

    def __iter__(self) -> Iterator[dict[str, Any]]:
        events = self.__aiter__()
        while True:
            try:
                yield _background(_next(events))
            except StopAsyncIteration:
                return


async def _next(events: AsyncIterator[dict[str, Any]]) -> dict[str, Any]:
    return await anext(events)


def _read_config(given: dict[str, Any] | AgentConfig, model: LLMModel | str | None) -> AgentConfig:
    if isinstance(given, AgentConfig):
        fields = given.model_dump(by_alias=True)
    elif isinstance(given, dict):
        fields = dict(given)
    else:
        raise InvalidInput("the agent's configuration has to be a dict", hint='{"name": "Assistant"}')
    if model is not None:
        fields["model"] = str(to_model(model))
    try:
        return AgentConfig.model_validate(fields)
    except ValidationError as error:
        detail = [{"field": ".".join(map(str, e["loc"])), "rule": e["msg"]} for e in error.errors()]
        raise InvalidInput(f"{detail[0]['field']}: {detail[0]['rule']}", detail=detail) from error


def _to_message(line: dict[str, str]) -> dict[str, Any]:
    if line["role"] == "user":
        return {"role": "user", "content": line["content"]}
    return {"role": "assistant", "parts": [{"type": "text", "text": line["content"] or "(no text)"}]}


@lru_cache(maxsize=1)
def _default_source() -> ModelSource:
    return choose_source(Settings())


_sources: dict[int, tuple[Settings, ModelSource]] = {}
_open: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[int, _Held]] = WeakKeyDictionary()


def _source(settings: Settings | None) -> ModelSource:
    if settings is None:
        return _default_source()
    known = _sources.get(id(settings))
    if known is None:
        known = _sources[id(settings)] = (settings, choose_source(settings))
    return known[1]


class _Held:
    """The clients of one event loop: connections belong to a loop, and end when its last run has ended."""

    def __init__(self, source: ModelSource) -> None:
        self.llm = LlmExecutor(source.config)
        self._key = id(source)
        self._users = 0

    def take(self) -> None:
        """Count a user."""
        self._users += 1

    async def release(self) -> None:
        """Count a user less; close when nobody is left. The loop behind plain calls keeps its connections."""
        self._users -= 1
        loop = asyncio.get_running_loop()
        if self._users == 0 and loop is not _background_loop():
            _open[loop].pop(self._key, None)
            await self.llm.aclose()


async def _hold(source: ModelSource) -> _Held:
    clients = _open.setdefault(asyncio.get_running_loop(), {})
    held = clients.get(id(source))
    if held is None:
        held = clients[id(source)] = _Held(source)
    held.take()
    return held


@lru_cache(maxsize=1)
def _default_catalog() -> ToolCatalog:
    settings = Settings()
    servers = load_mcp_servers(settings.mcp_servers_file) if settings.mcp_servers_file else {}
    catalog = ToolCatalog(builtin_tools(), mcp=McpServers(servers))
    catalog.discover()
    return catalog


@lru_cache(maxsize=1)
def _background_loop() -> asyncio.AbstractEventLoop:
    """One loop in a thread for all plain calls: connections outlive a call, and threads may call at once."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="tercet-agents", daemon=True).start()
    return loop


def _background(work: Coroutine[Any, Any, dict[str, Any]]) -> dict[str, Any]:
    future = asyncio.run_coroutine_threadsafe(work, _background_loop())
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise
