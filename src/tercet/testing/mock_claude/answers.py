"""What the mock says: scripted, a tool call, schema-bound, or plain text. Deterministic."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Any

from tercet.domain.codec import from_json, to_json
from tercet.domain.schema_check import schema_violation
from tercet.testing.mock_claude.arithmetic import calculator_input
from tercet.testing.mock_claude.conversation import Conversation, ToolAnswer, read_conversation
from tercet.testing.mock_claude.errors import ApiError
from tercet.testing.mock_claude.instances import NoInstance, make_instance
from tercet.testing.mock_claude.script import Reply, ScriptPlayer, ToolUse

_CALCULATOR = "calculator"
_LONGEST_QUOTE = 500
_ECHOED_WORDS = 30
_FILES: dict[str, tuple[Any, ...]] = {"file_path": ("notes.md",), "pattern": ("**/*",)}
"""Arguments that name files, so that a file tool can do something with them."""
_PLACEHOLDER = "{tool_result}"


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The blocks of one assistant turn, or the error that takes its place."""

    content: list[dict[str, Any]]
    stop_reason: str = "end_turn"
    delay_seconds: float = 0.0
    error: ApiError | None = None
    error_in_stream: bool = False


def seed_of(body: dict[str, Any]) -> int:
    """Return a number that only depends on what was asked."""
    asked = {key: body.get(key) for key in ("model", "messages", "system", "tools", "output_config")}
    return int.from_bytes(hashlib.sha256(to_json(asked).encode()).digest()[:8])


def answer(body: dict[str, Any], player: ScriptPlayer) -> Answer:
    """Return the answer to a valid request. Raises ApiError for a schema that nothing can satisfy."""
    conversation = read_conversation(body)
    seed = seed_of(body)
    scripted = player.reply_to(conversation)
    if scripted is not None:
        return _scripted(scripted, conversation, seed)
    call = _next_call(body, conversation, seed)
    if call is not None:
        return Answer(content=[_tool_use(call, seed, 0)], stop_reason="tool_use")
    schema = ((body.get("output_config") or {}).get("format") or {}).get("schema")
    if schema is not None:
        return Answer(content=[_text(to_json(_instance(schema, conversation, seed)))])
    if conversation.last_answers:
        return Answer(content=[_text(_statement(conversation))])
    return Answer(content=[_text(_echo(conversation.question))])


def _scripted(reply: Reply, conversation: Conversation, seed: int) -> Answer:
    if reply.error is not None:
        error = ApiError(
            reply.error.status,
            reply.error.message,
            error_type=reply.error.type,
            code=reply.error.code,
            retry_after_seconds=reply.error.retry_after,
        )
        return Answer(
            content=[], error=error, error_in_stream=reply.error.in_stream, delay_seconds=reply.delay_seconds
        )
    content = []
    if reply.text is not None:
        content.append(_text(_filled(reply.text, conversation)))
    if "json_value" in reply.model_fields_set:
        content.append(_text(to_json(_filled(reply.json_value, conversation))))
    for index, call in enumerate(reply.calls):
        filled = ToolUse(name=call.name, input=_filled(call.input, conversation))
        content.append(_tool_use(filled, seed, index))
    return Answer(
        content=content,
        stop_reason=reply.stop_reason or ("tool_use" if reply.calls else "end_turn"),
        delay_seconds=reply.delay_seconds,
    )


def _filled(value: Any, conversation: Conversation) -> Any:
    """Put the tools' last answer in the place of `{tool_result}`; where it stands alone, as the value it is."""
    if isinstance(value, dict):
        return {key: _filled(inner, conversation) for key, inner in value.items()}
    if isinstance(value, list):
        return [_filled(inner, conversation) for inner in value]
    if not isinstance(value, str) or _PLACEHOLDER not in value or not conversation.last_answers:
        return value
    last = conversation.last_answers[-1]
    plain: Any = last.text if last.number is None else last.number
    if value != _PLACEHOLDER:
        return value.replace(_PLACEHOLDER, str(plain))
    if last.number is None:
        try:
            return from_json(last.text)
        except ValueError:
            return last.text
    return plain


def _next_call(body: dict[str, Any], conversation: Conversation, seed: int) -> ToolUse | None:
    """Return the call that the question asks for, that `tool_choice` forces, or None."""
    tools = {t["name"]: t.get("input_schema") for t in body.get("tools") or [] if t.get("input_schema")}
    choice = body.get("tool_choice") or {}
    kind = choice.get("type", "auto")
    if kind == "none" or not tools:
        return None
    forced = choice.get("name") if kind == "tool" else None
    if forced in (None, _CALCULATOR) and _CALCULATOR in tools:
        call = _calculation(tools[_CALCULATOR], conversation)
        if call is not None:
            return call
    if kind in ("tool", "any"):
        name = forced or _asked_for(tools, conversation.question) or next(iter(tools))
    elif conversation.turn == 0:
        name = _asked_for(tools, conversation.question) or _told_to(tools, conversation.system)
    else:
        name = None
    if name not in tools:
        return None
    return ToolUse(name=name, input=_arguments(tools[name], conversation, seed))


def _calculation(schema: dict[str, Any], conversation: Conversation) -> ToolUse | None:
    calls = [given for given in conversation.answers if given.name == _CALCULATOR]
    if any(given.is_error or given.number is None for given in calls):
        return None
    arguments = calculator_input(
        conversation.question, [given.number for given in calls if given.number is not None]
    )
    if arguments is None or not _accepts(schema, arguments):
        return None
    return ToolUse(name=_CALCULATOR, input=arguments)


def _accepts(schema: dict[str, Any], arguments: dict[str, Any]) -> bool:
    try:
        return schema_violation(schema, arguments) is None
    except ValueError:
        return False


def _asked_for(tools: dict[str, Any], question: str) -> str | None:
    """Return the tool that the question tells to use by its name: "Test the calculator tool"."""
    for name in tools:
        if re.search(
            rf"(?i)\b(?:use|call|test|try|run|invoke)\b[^.?!\n]{{0,40}}\b{re.escape(name)}\b", question
        ):
            return name
    return None


def _told_to(tools: dict[str, Any], system: str) -> str | None:
    """Return the tool that the instructions want used each time: "use the Write tool to keep notes"."""
    return next(
        (name for name in tools if re.search(rf"(?i)\buse the {re.escape(name)} tool to\b", system)), None
    )


def _arguments(schema: dict[str, Any], conversation: Conversation, seed: int) -> dict[str, Any]:
    """Return arguments that fit; for a calculator the plainest calculation."""
    a, b = 10 + seed % 41, 10 + seed // 41 % 41
    if _accepts(schema, plain := {"operation": "add", "a": a, "b": b}) and "operation" in (
        schema.get("properties") or {}
    ):
        return plain
    try:
        made = make_instance(schema, prompt=conversation.question, seed=seed, known=_FILES)
    except (NoInstance, ValueError) as error:
        raise ApiError(400, f"tools: input_schema: {error}") from error
    return made if isinstance(made, dict) else {}


def _instance(schema: dict[str, Any], conversation: Conversation, seed: int) -> Any:
    numbers = [given.number for given in conversation.answers if given.number is not None]
    known: dict[str, Any] = {}
    if numbers:
        sentence = _statement(conversation)
        known = dict.fromkeys(("result", "answer", "value", "total", "sum", "score"), (numbers[-1], sentence))
        known |= dict.fromkeys(("response", "content", "text", "summary", "message"), (sentence,))
    try:
        return make_instance(schema, prompt=conversation.prompt, seed=seed, known=known)
    except (NoInstance, ValueError) as error:
        raise ApiError(400, f"output_config.format.schema: {error}") from error


def _statement(conversation: Conversation) -> str:
    """Return the sentence that states what the tools have answered."""
    return " ".join(_one_statement(given) for given in conversation.last_answers)


def _one_statement(given: ToolAnswer) -> str:
    if given.is_error:
        return f"The tool {given.name} failed: {given.text[:_LONGEST_QUOTE]}"
    if given.number is not None:
        return f"The result is {given.number}."
    return f"The tool {given.name} answered: {given.text[:_LONGEST_QUOTE]}"


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text, "citations": None}


def _tool_use(call: ToolUse, seed: int, index: int) -> dict[str, Any]:
    call_id = hashlib.sha256(f"{seed}:{index}".encode()).hexdigest()[:24]
    return {
        "type": "tool_use", "id": f"toolu_{call_id}", "name": call.name, "input": call.input, "caller": {"type": "direct"},
    }  # fmt: skip


def _echo(prompt: str) -> str:
    words = prompt.split()
    return f"[mock Claude] You wrote {len(words)} words: {' '.join(words[:_ECHOED_WORDS])}"
