"""`run_command` against the kernel: what a command can do, and what it cannot."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tercet.domain.tool import ToolFailed
from tercet.tools import isolation, run_command
from tercet.tools.guard import Guard, ToolCall
from tercet.tools.run_command import RunCommandTool
from tercet.tools.workspace import Workspace

_WAY = asyncio.run(isolation.find_isolation())
isolated = pytest.mark.skipif(isinstance(_WAY, str), reason=f"THIS MACHINE CANNOT ISOLATE COMMANDS: {_WAY}")


@pytest.fixture
def tool(tmp_path: Path) -> RunCommandTool:
    return RunCommandTool(Workspace(tmp_path / "work"))


async def run(tool: RunCommandTool, command: str, **options: Any) -> dict[str, Any]:
    result: dict[str, Any] = await tool.call({"command": command, **options}, idempotency_key="k")
    return result


@isolated
async def test_a_command_works_in_the_workspace_and_its_files_stay(tool: RunCommandTool, tmp_path: Path):
    result = await run(tool, "pwd; echo hello > made.txt; exit 3")

    assert result == {"exit_code": 3, "output": "/workspace\n", "truncated": False, "timed_out": False}
    assert (tmp_path / "work" / "made.txt").read_text() == "hello\n"


@isolated
async def test_the_interpreter_and_its_packages_are_there(tool: RunCommandTool):
    result = await run(tool, "python -c 'import pytest; print(pytest.__name__)'")

    assert (result["exit_code"], result["output"]) == (0, "pytest\n")


@isolated
@pytest.mark.parametrize(
    "command",
    [
        "touch /usr/made",
        "mount -o remount,rw /usr",
        "v=$(cat /proc/sys/vm/stat_interval); echo $v > /proc/sys/vm/stat_interval",
        "echo 1 > /proc/sys/user/max_user_namespaces",
        "umount /proc/sys",
        "unshare --user --map-root-user true",
        "mknod /tmp/disk b 8 0",
        "cat /etc/shadow",
        "python -c \"import socket; socket.create_connection(('127.0.0.1', 1), timeout=2)\"",
        "python -c \"import socket; socket.create_connection(('1.1.1.1', 53), timeout=2)\"",
    ],
)
async def test_a_command_cannot_reach_out(tool: RunCommandTool, command: str):
    result = await run(tool, command)

    assert result["exit_code"] not in (0, None), result


@isolated
async def test_a_command_sees_neither_the_machine_nor_the_environment(
    tool: RunCommandTool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "secret.txt").write_text("s3cret")
    monkeypatch.setenv("TERCET_SECRET", "s3cret")

    result = await run(
        tool, f"env; cat {tmp_path / 'secret.txt'}; ls /home /etc/ssh; ps aux | wc -l; ls /proc"
    )

    assert "s3cret" not in result["output"]
    assert len([line for line in result["output"].split() if line.isdecimal()]) < 10


@isolated
async def test_a_command_ends_with_all_that_it_started_when_its_time_is_over(
    tool: RunCommandTool, tmp_path: Path
):
    slow = "(while :; do echo x >> beat; sleep 0.05; done) & echo started; sleep 60"
    result = await run(tool, slow, timeout_seconds=1)
    beat = tmp_path / "work" / "beat"
    size_bytes = beat.stat().st_size
    await asyncio.sleep(0.3)

    assert (result["timed_out"], result["exit_code"], result["output"]) == (True, None, "started\n")
    assert beat.stat().st_size == size_bytes


@isolated
def test_a_command_ends_with_the_process_that_wanted_it(tmp_path: Path):
    code = (
        "import asyncio, sys; from pathlib import Path; from tercet.tools.run_command import RunCommandTool; "
        "from tercet.tools.workspace import Workspace; tool = RunCommandTool(Workspace(Path(sys.argv[1]))); "
        "asyncio.run(tool.call({'command': 'while :; do echo x >> beat; sleep 0.05; done'}, idempotency_key='k'))"
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)])
    beat = tmp_path / "beat"
    while not beat.exists():
        assert process.poll() is None
        time.sleep(0.05)
    process.kill()
    process.wait()
    time.sleep(0.2)
    size_bytes = beat.stat().st_size
    time.sleep(0.3)

    assert beat.stat().st_size == size_bytes


@isolated
async def test_memory_and_file_sizes_are_capped(tool: RunCommandTool):
    memory = await run(tool, "python -c 'bytearray(4 * 10**9)'")
    file = await run(tool, "head -c 300000000 /dev/zero > big")

    assert "MemoryError" in memory["output"]
    assert file["exit_code"] != 0


@isolated
async def test_a_long_output_keeps_its_head_and_its_tail(tool: RunCommandTool):
    result = await run(tool, "echo first; yes | head -c 500000; echo last")

    assert result["truncated"] is True
    assert result["output"].startswith("first\n")
    assert result["output"].endswith("last\n")
    assert len(result["output"]) < 61_000


@isolated
async def test_the_guard_lets_shell_syntax_pass_because_the_isolation_holds(tool: RunCommandTool):
    call = ToolCall(id="1", name="run_command", arguments={"command": "echo $(echo a; rm -rf x) | sh -c cat"})
    guard = Guard({"run_command": tool})

    assert guard.admit(call) is None
    assert (await guard.run(call, idempotency_key="k")).output["output"] == "a\n"


async def test_nothing_is_run_where_the_machine_cannot_isolate(
    tool: RunCommandTool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(isolation, "_SEARCHED", str(tmp_path))
    monkeypatch.setattr(run_command, "_found", None)

    with pytest.raises(
        ToolFailed, match=r"cannot isolate commands \(bubblewrap: .* not installed; namespaces: "
    ):
        await run(tool, "touch made")
    assert not (tmp_path / "work" / "made").exists()


@isolated
async def test_a_root_that_cannot_be_made_is_a_failure_of_the_tool(
    tool: RunCommandTool, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(run_command, "_found", isolation.Isolation(kind="namespaces"))
    monkeypatch.setattr(isolation, "read_only_paths", lambda: ("/usr", "/no/such/folder"))

    with pytest.raises(ToolFailed, match="could not be shut in, so it was not run"):
        await run(tool, "touch made")


def test_bubblewrap_gets_the_same_rules(tmp_path: Path):
    words = isolation.Isolation(kind="bubblewrap").words(
        "true", workspace=tmp_path, root=tmp_path, caps=isolation.Caps()
    )

    assert words[:2] == ["bwrap", "--unshare-all"]
    assert words[words.index("--bind") : words.index("--bind") + 3] == ["--bind", str(tmp_path), "/workspace"]
    assert words[-3:] == ["/bin/sh", "-c", "true"]
