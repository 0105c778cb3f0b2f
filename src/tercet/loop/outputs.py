"""Long outputs of tools stay out of the conversation: the model gets a stub and reads on where it needs to."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tercet.agent.plan import AgentPlan
from tercet.agent.toolbox import tool_definitions
from tercet.domain.codec import to_json
from tercet.domain.tool import Tool, ToolFailed
from tercet.tools.base import ToolBase

LONGEST_INLINE = 4_000
"""Characters of a result that the model gets whole."""
_SHOWN = 1_500
_LONGEST_PAGE = 8_000
READ_OUTPUT = "read_output"


class OutputStore:
    """Texts by id, each a file. The same text under the same key has the same id, also after a crash."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, key: str, text: str) -> str:
        """Keep a text; return its id."""
        output_id = f"out_{hashlib.sha256(f'{key}:{text}'.encode('utf-8', 'replace')).hexdigest()[:20]}"
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        (self._folder / output_id).write_text(text, "utf-8", errors="replace")
        return output_id

    def get(self, output_id: str) -> str | None:
        """Return a text, or None."""
        if not output_id.startswith("out_") or not output_id[4:].isalnum():
            return None
        path = self._folder / output_id
        return path.read_text("utf-8") if path.is_file() else None


class ReadOutputTool(ToolBase):
    """Reads a part of an output that was too long to show."""

    def __init__(self, store: OutputStore) -> None:
        super().__init__(
            name=READ_OUTPUT,
            description="Reads a part of a tool's long output, which was shown as a stub with an output_id.",
            input_schema={
                "type": "object",
                "properties": {
                    "output_id": {"type": "string", "maxLength": 100},
                    "offset": {"type": "integer", "minimum": 0, "description": "the first character, from 0"},
                    "limit": {"type": "integer", "minimum": 1, "maximum": _LONGEST_PAGE},
                },
                "required": ["output_id"],
                "additionalProperties": False,
            },
            side_effects=False,
        )
        self._store = store

    def _execute_impl(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return {content, characters, next_offset}."""
        text = self._store.get(arguments["output_id"])
        if text is None:
            raise ToolFailed(f"there is no output {arguments['output_id']!r}")
        begin = arguments.get("offset", 0)
        shown = text[begin : begin + arguments.get("limit", _LONGEST_PAGE)]
        end = begin + len(shown)
        return {
            "content": shown,
            "characters": len(text),
            "next_offset": end if end < len(text) else None,
        }


def with_stubs(plan: AgentPlan, store: OutputStore, key: str) -> AgentPlan:
    """Return the plan with tools whose long results are kept out of band."""
    tools = plan.guard.tools
    if not tools:
        return plan
    reader = ReadOutputTool(store)
    # A page of a stored output is not stored once more.
    stubbed: dict[str, Tool] = {name: stub(tool, store, key) for name, tool in tools.items()}
    guard = copy.copy(plan.guard)
    guard.tools = {**stubbed, READ_OUTPUT: reader}
    return replace(plan, guard=guard, definitions=[*plan.definitions, *tool_definitions([reader])])


def stub(tool: Tool, store: OutputStore, key: str) -> Tool:
    """Return the tool with long results replaced: {output_id, characters, head, tail, note}."""
    own = copy.copy(tool)
    call = tool.call

    async def call_and_cut(arguments: dict[str, Any], *, idempotency_key: str) -> Any:
        result = await call(arguments, idempotency_key=idempotency_key)
        text = result if isinstance(result, str) else to_json(result)
        if len(text) <= LONGEST_INLINE:
            return result
        kept = {} if not isinstance(result, Mapping) else _short_fields(result)
        return {
            **kept, "output_id": store.put(f"{key}:{tool.name}", text), "characters": len(text), "head": text[:_SHOWN],
            "tail": text[-_SHOWN:], "note": f"the output is long; {READ_OUTPUT} reads the rest",
        }  # fmt: skip

    own.call = call_and_cut  # type: ignore[method-assign]  # an instance of its own, so no other caller sees it
    return own


def _short_fields(result: Mapping[str, Any]) -> dict[str, Any]:
    """Keep what is small beside a long text, such as an exit code."""
    return {
        name: value
        for name, value in result.items()
        if value is None or isinstance(value, (bool, int, float))
    }
