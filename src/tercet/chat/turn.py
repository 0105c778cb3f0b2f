"""One turn: decide, judge, execute, answer. Every part is a step, so a crash between any two repeats neither."""

from __future__ import annotations

from functools import partial
from typing import Any

from tercet.agent.engine_steps import EngineSteps
from tercet.chat.decision import SuggestedTask, Suggestion
from tercet.chat.failures import after_failure
from tercet.chat.messages import add_message, message_row, message_to_wire, pending_of
from tercet.chat.outcome import Outcome, from_result, from_verdict
from tercet.chat.policy import Verdict, judge
from tercet.chat.prompting import decide_request, final_request, history_lines, search_words
from tercet.chat.rules import decide_by_rules
from tercet.chat.services import ChatServices
from tercet.domain.codec import from_json, to_json
from tercet.domain.contract import ErrorCode, ExecutorRequest, ExecutorResult
from tercet.domain.errors import HandlerFailed, StaleClaim, StoreUnavailable
from tercet.engine.calls import ExecutorFailed
from tercet.engine.context import Suspended, TaskContext
from tercet.executors.registry import run_guarded
from tercet.executors.tool_call import to_result
from tercet.store.approvals import load_item, open_items_of
from tercet.store.chats import (
    attached_passages,
    load_chat,
    load_message,
    load_project,
    messages_before,
    newest_seq,
    usage_of,
)
from tercet.store.passages import search_passages
from tercet.store.reader import Record
from tercet.tools.guard import Guard, ToolCall
from tercet.tools.security import SecurityContext

_MOST_MESSAGES = 40
_MOST_PASSAGES = 6
_LONGEST_PASSAGE = 1_500
_DECIDED_BY_RULES = "decide:rules"
_SAYS_NOTHING = frozenset({ErrorCode.OUTPUT_INVALID, ErrorCode.OUTPUT_TRUNCATED})
_GONE = {"skipped": "the conversation was deleted"}


class Turn:
    """The work of one task."""

    def __init__(self, context: TaskContext, services: ChatServices) -> None:
        data = context.event["data"]
        self._context = context
        self._services = services
        self._conversation_id: str = data["conversation_id"]
        self._seq: int = data["seq"]
        self._attachments: list[str] = data.get("attachments", [])
        self._user: str = data.get("user", "")
        self._message: Record = {}
        self._project: Record = {}
        self._history: list[Record] = []
        self._found: list[dict[str, Any]] = []
        self._action = ""

    async def run(self) -> dict[str, Any]:
        """Do the turn; return {message_id, seq, kind} of the answer. Raises what another attempt may mend."""
        recorded = self._context.memo.get("answer")
        if recorded is not None:
            done: dict[str, Any] = from_json(recorded)
            return done
        if not await self._load():
            return _GONE
        try:
            outcome = await self._work()
        except Suspended:
            await self._tell_waiting()
            raise
        except (StaleClaim, StoreUnavailable):
            raise
        except Exception as error:
            code = _code_of(error)
            after = after_failure(code, failures=self._context.task.failures)
            if after.retry:
                self._tell("chat.retrying", {"code": code})
                raise
            if not isinstance(error, HandlerFailed):
                self._context.log.exception("chat.turn_raised")
            outcome = Outcome(kind="failed", text=after.message, detail={"code": code})
        return await self._answer(outcome)

    async def _load(self) -> bool:
        read, owner_id = self._context.engine.reader.read, self._context.state.owner_id
        chat = await read(load_chat, owner_id=owner_id, conversation_id=self._conversation_id)
        message = await read(load_message, self._conversation_id, self._seq)
        if chat is None or message is None:
            return False
        project = await read(load_project, owner_id=owner_id, project_id=chat["project_id"])
        if project is None:
            return False
        self._message, self._project = message, project
        self._history = await read(
            messages_before, self._conversation_id, before=self._seq, limit=_MOST_MESSAGES
        )
        return True

    async def _work(self) -> Outcome:
        self._found = await self._context.step("documents", self._find)
        suggestion = await self._decide()
        self._action = suggestion.action
        self._tell("chat.decided", {"action": suggestion.action, "executor_type": suggestion.executor_type})
        verdict = await self._judge(suggestion)
        self._tell("chat.judged", {"verdict": verdict.verdict, "reasons": verdict.reasons})
        if verdict.verdict in ("clarify", "refuse") or suggestion.action != "execute":
            return from_verdict(verdict, action=suggestion.action)
        if verdict.verdict == "ask":
            refusal = await self._ask(verdict)
            if refusal is not None:
                return refusal
        request = final_request(
            self._context.task_id, verdict, project=self._project, message=self._message["content"],
            history=history_lines(self._history), found=self._found, library=self._services.library,
        )  # fmt: skip
        self._tell("chat.executing", {"executor_type": verdict.executor_type})
        result = await self._execute(request)
        if result.status == "failed":
            error = result.error
            code = str(error.code) if error is not None else "EXECUTOR_ERROR"
            return Outcome(kind="failed", text=_told(code, result), detail={"code": code})
        return from_result(verdict, result, self._found)

    async def _find(self) -> list[dict[str, Any]]:
        """Return the passages to show: of what is attached first, then of the whole project."""
        read = self._context.engine.reader.read
        rows = await read(
            attached_passages, self._attachments, project_id=self._project["id"], limit=_MOST_PASSAGES
        )
        words = search_words(self._message["content"])
        rows += await read(search_passages, project_id=self._project["id"], words=words, limit=_MOST_PASSAGES)
        chosen = {(row["document_id"], row["number"]): row for row in rows}
        return [
            {
                "document_id": row["document_id"], "title": row["title"], "place": row["place"],
                "snippet": row["text"][:_LONGEST_PASSAGE],
            }
            for row in list(chosen.values())[:_MOST_PASSAGES]
        ]  # fmt: skip

    async def _decide(self) -> Suggestion:
        if self._services.decider == "rules" or _DECIDED_BY_RULES in self._context.memo:
            name = _DECIDED_BY_RULES if _DECIDED_BY_RULES in self._context.memo else "decide"
            return Suggestion.model_validate(await self._context.step(name, self._by_rules))
        services = self._services
        request = decide_request(
            self._context.task_id, self._message["content"], history=history_lines(self._history),
            found=self._found, limits=services.limits, model=services.decider_model, library=services.library,
            tools=services.tools,
        )  # fmt: skip
        try:
            result = await self._context.run_executor(request, name="decide")
        except ExecutorFailed as error:
            if error.error_type not in _SAYS_NOTHING:
                raise
            # A model that cannot keep to the schema will not learn it by being asked again.
            return Suggestion.model_validate(await self._context.step(_DECIDED_BY_RULES, self._by_rules))
        try:
            data = {**(result.result or {}).get("data", {}), "source": "model"}
            return Suggestion.model_validate(data)
        except ValueError:
            # The answer fits its schema and still says nothing: the message itself says what is wanted.
            task = SuggestedTask(task_type="answer", prompt=self._message["content"])
            return Suggestion(action="execute", executor_type="llm", task=task, source="backend")

    async def _by_rules(self) -> dict[str, Any]:
        suggestion = decide_by_rules(
            self._message["content"], library=self._services.library, pending=pending_of(self._history)
        )
        return suggestion.model_dump(mode="json", exclude_defaults=True)

    async def _judge(self, suggestion: Suggestion) -> Verdict:
        async def judged() -> dict[str, Any]:
            verdict = judge(
                suggestion, limits=self._services.limits, library=self._services.library,
                tools=self._services.tools, pending=pending_of(self._history),
            )  # fmt: skip
            return verdict.model_dump(mode="json", exclude_unset=True)

        return Verdict.model_validate(await self._context.step("policy", judged))

    async def _ask(self, verdict: Verdict) -> Outcome | None:
        """Wait for a person. What was approved is what is done: edited arguments replace the suggested ones."""
        task = verdict.task
        decision = await self._context.approval(
            f"Chat wants to call {task['tool']}"[:200],
            {"tool": task["tool"], "arguments": task["arguments"], "message": self._message["content"][:2_000]},
            step="approval", editable=["arguments"], requested_by=self._user,
            instructions="; ".join(verdict.reasons), timeout=self._services.approval_seconds,
        )  # fmt: skip
        if decision["decision"] == "approve":
            arguments = decision["data"].get("arguments")
            if isinstance(arguments, dict):
                verdict.task["arguments"] = arguments
            return await self._still_stands(decision["item_id"])
        detail = {"approval_id": decision["approval_id"], "decision": decision["decision"]}
        if decision["decision"] == "timeout":
            text = "Nobody decided about this in time, so it was not done."
        else:
            word = f": {decision['feedback']}" if decision.get("feedback") else "."
            text = f"This was not approved{word}"
        return Outcome(kind="refused", text=text, detail=detail)

    async def _still_stands(self, item_id: str) -> Outcome | None:
        if "execute" in self._context.memo:
            return None
        item = await self._context.engine.reader.read(load_item, item_id)
        if item is not None and item["status"] == "approved":
            return None
        return Outcome(kind="refused", text="The approval was taken back, so it was not done.")

    async def _execute(self, request: ExecutorRequest) -> ExecutorResult:
        if request.executor_type == "tool_call":
            return await self._call_tool(request)
        recorded = self._context.claim_step("execute")
        if recorded is not None:
            return ExecutorResult.model_validate_json(recorded)
        self._context.check_may_continue()
        calls = self._context.engine.calls
        own = self._stream if request.executor_type == "llm" else None
        result: ExecutorResult = await calls.run(self._context, request, "execute", run_executor=own)
        return result

    async def _stream(self, request: ExecutorRequest) -> ExecutorResult:
        on_text = None
        if self._services.agents.feed.is_watched(self._conversation_id):
            self._tell("message.begun", {"model": request.task.field("model")})
            on_text = self._tell_text
        return await run_guarded(partial(self._services.agents.llm.run, on_text=on_text), request)

    async def _call_tool(self, request: ExecutorRequest) -> ExecutorResult:
        """Call through the guard, audited, at most once where a call has effects: the same as an agent's call."""
        agents, context = self._services.agents, self._context
        steps = EngineSteps(
            context=context, llm=agents.llm, feed=agents.feed, audit=agents.audit,
            resolve_model=agents.resolve_model,
        )  # fmt: skip
        guard = Guard(
            self._services.tools, sandbox=agents.sandbox_of("chat"), cache=agents.cache,
            context=SecurityContext(user_id=self._user, organization_id=context.state.owner_id),
        )  # fmt: skip
        call = ToolCall(
            id=request.task_id, name=request.task.field("tool"), arguments=request.task.field("arguments")
        )
        refusal = guard.admit(call)
        if refusal is not None:
            return to_result(await steps.refuse("execute", refusal, call, guard, agent="chat"))
        return to_result(await steps.tool_call("execute", call, guard, agent="chat"))

    async def _answer(self, outcome: Outcome) -> dict[str, Any]:
        """Persist the assistant's message, once: its row and the step are one commit."""
        context, read = self._context, self._context.engine.reader.read
        async with self._services.locks.hold(f"conversation:{self._conversation_id}"):
            usage = await read(usage_of, context.execution_id)
            owner_id = context.state.owner_id
            if await read(load_chat, owner_id=owner_id, conversation_id=self._conversation_id) is None:
                return _GONE
            seq = await read(newest_seq, self._conversation_id) + 1
            context.claim_step("answer")
            change = context.change()
            detail = {
                "kind": outcome.kind, "action": self._action, **outcome.detail,
                "tokens_input": usage["tokens_input"], "tokens_output": usage["tokens_output"],
                "usage_flags": sorted({flag for flags in usage["flags"] for flag in from_json(flags)}),
            }  # fmt: skip
            if self._services.note is not None and usage["tokens_output"]:
                detail["note"] = self._services.note
            row = message_row(
                conversation_id=self._conversation_id, seq=seq, role="assistant", content=outcome.text,
                execution_id=context.execution_id, at_ms=change.now_ms, message_id=change.mint.mint("msg"),
                detail=detail, cost_picousd=usage["cost_picousd"],
            )  # fmt: skip
            add_message(change.unit, row)
            done = {"message_id": row["message_id"], "seq": seq, "kind": outcome.kind}
            change.record_step(context.task, "answer", to_json(done), started_at_ms=change.now_ms)
            await context.engine.submit(change)
        self._tell("message.persisted", message_to_wire(row))
        return done

    async def _tell_waiting(self) -> None:
        context = self._context
        waiting = await context.engine.reader.read(open_items_of, context.execution_id)
        if waiting:
            approvals = [{"approval_id": item["approval_id"], "title": item["title"]} for item in waiting]
            self._tell("chat.waiting", {"approvals": approvals})

    def _tell_text(self, text: str) -> None:
        self._tell("message.delta", {"text": text})

    def _tell(self, kind: str, data: dict[str, Any]) -> None:
        feed = self._services.agents.feed
        feed.tell(self._conversation_id, kind, {"execution_id": self._context.execution_id, **data})


def _code_of(error: Exception) -> str:
    """Return the code of a failure; what nobody foresaw counts as the executor's."""
    if isinstance(error, HandlerFailed):
        return str(getattr(error, "error_type", None) or error.code)
    return str(ErrorCode.EXECUTOR_ERROR)


def _told(code: str, result: ExecutorResult) -> str:
    """Return the words for a failed tool; a refusal of the arguments says what is wrong with them."""
    words = after_failure(code, failures=0, may_repeat=False).message
    if code == ErrorCode.INVALID_INPUT and result.error is not None:
        return f"{words} {result.error.message}"
    return words
