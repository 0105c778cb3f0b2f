"""`run_command`: a shell command in the agent's workspace, shut in (see `isolation`)."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import tempfile
from pathlib import Path
from typing import Any

from tercet.domain.tool import ToolFailed
from tercet.tools.base import ToolBase
from tercet.tools.isolation import NOT_RUN, Caps, Isolation, clean_environment, find_isolation
from tercet.tools.workspace import Workspace

_LONGEST_SECONDS = 600
_DEFAULT_SECONDS = 60
_MOST_OUTPUT_BYTES = 60_000
_CHUNK_BYTES = 65_536
_GRACE_SECONDS = 5.0
_found: Isolation | None = None


class RunCommandTool(ToolBase):
    """Runs a command without network, with caps on time, processor, memory and output."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(
            name="run_command",
            description=(
                "Runs a shell command in the workspace and returns its exit code and output. There is no network, and "
                "nothing outside of the workspace can be changed."
            ),
            input_schema={
                "type": "object",
                "properties": {
                    "command": {"type": "string", "minLength": 1, "maxLength": 20_000},
                    "timeout_seconds": {
                        "type": "number",
                        "exclusiveMinimum": 0,
                        "maximum": _LONGEST_SECONDS,
                        "description": f"default {_DEFAULT_SECONDS}",
                    },
                },
                "required": ["command"],
                "additionalProperties": False,
            },
            timeout_seconds=_LONGEST_SECONDS + 2 * _GRACE_SECONDS,
            # A shell command is what the argument is; what it may do is held by the isolation.
            prose_fields=frozenset({"command"}),
        )
        self._workspace = workspace

    async def _execute_impl(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return {exit_code, output, truncated, timed_out}. Raises ToolFailed where nothing can be shut in."""
        isolation = await usable_isolation()
        caps = Caps(timeout_seconds=arguments.get("timeout_seconds", _DEFAULT_SECONDS))
        self._workspace.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryDirectory(prefix="tercet-root-") as root:
            words = isolation.words(
                arguments["command"], workspace=self._workspace.root.resolve(), root=Path(root), caps=caps
            )
            result = await run_capped(words, timeout_seconds=caps.timeout_seconds)
        if result["exit_code"] != 0 and result["output"].endswith(f"{NOT_RUN}\n"):
            raise ToolFailed(result["output"].strip())
        return result


async def usable_isolation() -> Isolation:
    """Return the way to shut commands in; looked for until it is found. Raises ToolFailed."""
    global _found  # noqa: PLW0603  # a fact about the machine, the same for all
    if _found is None:
        found = await find_isolation()
        if isinstance(found, str):
            raise ToolFailed(
                f"run_command is switched off: this machine cannot isolate commands ({found}); "
                "install bubblewrap, or allow user namespaces"
            )
        _found = found
    return _found


async def run_capped(words: list[str], *, timeout_seconds: float) -> dict[str, Any]:
    """Run a program with a clean environment; return {exit_code, output, truncated, timed_out}.

    Of a long output head and tail are kept. `exit_code` is None when the time was over.
    """
    process = await asyncio.create_subprocess_exec(
        *words, env=clean_environment(), start_new_session=True, stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    kept = _Kept()
    timed_out = False
    try:
        assert process.stdout is not None
        async with asyncio.timeout(timeout_seconds):
            while chunk := await process.stdout.read(_CHUNK_BYTES):
                kept.add(chunk)
            await process.wait()
    except TimeoutError:
        timed_out = True
    finally:
        await _kill(process)
    return {
        "exit_code": None if timed_out else process.returncode,
        "output": kept.text(),
        "truncated": kept.cut,
        "timed_out": timed_out,
    }


class _Kept:
    """The beginning and the end of what a command says."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self._left_out = 0

    @property
    def cut(self) -> bool:
        return self._left_out > 0

    def add(self, chunk: bytes) -> None:
        half = _MOST_OUTPUT_BYTES // 2
        room = half - len(self._head)
        self._head += chunk[:room]
        self._tail += chunk[room:] if room > 0 else chunk
        over = len(self._tail) - half
        if over > 0:
            self._left_out += over
            del self._tail[:over]

    def text(self) -> str:
        middle = f"\n[… {self._left_out} bytes left out …]\n".encode() if self.cut else b""
        return bytes(self._head + middle + self._tail).decode("utf-8", "replace")


async def _kill(process: asyncio.subprocess.Process) -> None:
    """End the program with all that it has started: the first process of its namespace takes the others along."""
    if process.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(process.wait(), _GRACE_SECONDS)
