"""`Read`, `Write` and `Glob`: the files of the agent's workspace."""

from __future__ import annotations

from typing import Any

from tercet.domain.text import decode_text
from tercet.domain.tool import ToolFailed
from tercet.tools.base import ToolBase
from tercet.tools.workspace import Workspace

_PATH = {"type": "string", "minLength": 1, "maxLength": 1_000, "description": "relative to the workspace"}
_MOST_LINES = 2_000
_MOST_FILES = 1_000


class ReadTool(ToolBase):
    """Reads a text file, all of it or some lines."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(
            name="Read",
            description="Reads a text file of the workspace.",
            input_schema={
                "type": "object",
                "properties": {
                    "file_path": _PATH,
                    "offset": {"type": "integer", "minimum": 0, "description": "the first line, from 0"},
                    "limit": {
                        "type": "integer",
                        "minimum": 1,
                        "maximum": _MOST_LINES,
                        "description": "how many lines",
                    },
                },
                "required": ["file_path"],
                "additionalProperties": False,
            },
            side_effects=False,
        )
        self._workspace = workspace

    def _execute_impl(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return {content, lines, next_offset}."""
        text = text_of(self._workspace.read(arguments["file_path"]), arguments["file_path"])
        lines = text.splitlines(keepends=True)
        start = arguments.get("offset", 0)
        shown = lines[start : start + arguments.get("limit", _MOST_LINES)]
        end = start + len(shown)
        return {
            "content": "".join(shown),
            "lines": len(lines),
            "next_offset": end if end < len(lines) else None,
        }


class WriteTool(ToolBase):
    """Writes a text file whole. The same call twice leaves the same file."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(
            name="Write",
            description="Writes a text file of the workspace; an existing file is replaced.",
            input_schema={
                "type": "object",
                "properties": {"file_path": _PATH, "content": {"type": "string", "maxLength": 5_000_000}},
                "required": ["file_path", "content"],
                "additionalProperties": False,
            },
            idempotent=True,
            prose_fields=frozenset({"content"}),
        )
        self._workspace = workspace

    def _execute_impl(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return {file_path, bytes}."""
        content = arguments["content"].encode("utf-8", "surrogatepass")
        self._workspace.write(arguments["file_path"], content)
        return {"file_path": arguments["file_path"], "bytes": len(content)}


class GlobTool(ToolBase):
    """Finds files by a pattern."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(
            name="Glob",
            description="Lists the files of the workspace that match a pattern such as **/*.csv.",
            input_schema={
                "type": "object",
                "properties": {"pattern": {"type": "string", "minLength": 1, "maxLength": 500}},
                "required": ["pattern"],
                "additionalProperties": False,
            },
            side_effects=False,
        )
        self._workspace = workspace

    def _execute_impl(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return {files, truncated}."""
        found = self._workspace.glob(arguments["pattern"])
        return {"files": found[:_MOST_FILES], "truncated": len(found) > _MOST_FILES}


def text_of(content: bytes, path: str) -> str:
    """Return a file's text. Raises ToolFailed."""
    decoded = None if b"\x00" in content[:8_000] else decode_text(content)
    if decoded is None:
        raise ToolFailed(f"{path!r} is not a text file")
    return decoded[0]
