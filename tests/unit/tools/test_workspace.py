"""The workspace: whatever a path is called and wherever a link points, nothing outside is read or written."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tercet.domain.tool import ToolFailed
from tercet.tools.files import GlobTool, ReadTool, WriteTool
from tercet.tools.workspace import Workspace

ESCAPES = (
    "../secret", "a/../../secret", "/etc/passwd", "~/secret", "..", ".", "", "a/..", "..\\secret", "a\x00b", "%2e%2e/secret",
    "..%2fsecret", "C:/secret", "\ud800", "x" * 300, "a/" * 40 + "b",
)  # fmt: skip


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "secret").write_text("outside")
    return Workspace(tmp_path / "inside")


@pytest.mark.parametrize("path", ESCAPES)
def test_a_path_that_leads_out_is_refused(workspace: Workspace, path: str):
    with pytest.raises(ToolFailed):
        workspace.read(path)
    with pytest.raises(ToolFailed):
        workspace.write(path, b"x")
    assert (workspace.root.parent / "secret").read_text() == "outside"


def test_links_are_not_followed_for_files_nor_folders(workspace: Workspace):
    workspace.write("kept.txt", b"inside")
    (workspace.root / "file-link").symlink_to(workspace.root.parent / "secret")
    (workspace.root / "folder-link").symlink_to(workspace.root.parent)

    for path in ("file-link", "folder-link/secret"):
        with pytest.raises(ToolFailed):
            workspace.read(path)
        with pytest.raises(ToolFailed):
            workspace.write(path, b"overwritten")
    assert (workspace.root.parent / "secret").read_text() == "outside"
    assert list(workspace.files()) == ["kept.txt"]


def test_a_pipe_does_not_hang_the_reader(workspace: Workspace):
    workspace.write("a.txt", b"x")
    os.mkfifo(workspace.root / "pipe")

    with pytest.raises(ToolFailed, match="not a file"):
        workspace.read("pipe")


@given(st.text(max_size=60))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
def test_no_path_writes_outside(tmp_path: Path, path: str):
    root = tmp_path / "root"
    outside = {entry for entry in tmp_path.iterdir() if entry != root}
    with contextlib.suppress(ToolFailed):
        Workspace(root).write(path, b"x")

    assert {entry for entry in tmp_path.iterdir() if entry != root} == outside


def test_tools_write_read_and_find_files(workspace: Workspace):
    WriteTool(workspace).execute({"file_path": "notes/a.md", "content": "one\ntwo\nthree\n"})
    WriteTool(workspace).execute({"file_path": "b.md", "content": "x"})

    read = ReadTool(workspace).execute({"file_path": "notes/a.md", "offset": 1, "limit": 1})
    assert read["result"] == {"content": "two\n", "lines": 3, "next_offset": 2}
    assert GlobTool(workspace).execute({"pattern": "**/*.md"})["result"]["files"] == ["b.md", "notes/a.md"]
    assert GlobTool(workspace).execute({"pattern": "*.md"})["result"]["files"] == ["b.md"]
    assert ReadTool(workspace).execute({"file_path": "none.md"})["success"] is False


@pytest.mark.parametrize(
    ("success", "cleanup", "snapshot", "left"),
    [
        (True, "on_success", True, None),
        (False, "on_success", True, "ws"),
        (True, "on_complete", True, None),
        (False, "on_complete", True, "ws.failed"),
        (False, "on_complete", False, None),
        (True, "never", True, "ws"),
    ],
)
def test_clean_up_follows_its_rules(
    tmp_path: Path, success: bool, cleanup: str, snapshot: bool, left: str | None
):
    workspace = Workspace(tmp_path / "ws")
    workspace.write("a", b"x")

    workspace.finish(success=success, cleanup=cleanup, snapshot_on_failure=snapshot)  # type: ignore[arg-type]

    assert [entry.name for entry in tmp_path.iterdir()] == ([] if left is None else [left])
