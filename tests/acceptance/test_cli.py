"""The command line as people use it: each command a process of its own."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tercet.testing.mock_claude.server import ThreadedServer

MANIFEST = """
name: shop
events: [{name: order.placed}, {name: order.checked}, {name: order.approved, description: final}]
functions:
  - name: check
    trigger: {event: order.placed}
    executor: {type: template_engine, template: "Order {{ order_id }}"}
    emits: [order.checked]
humans:
  - {name: review, trigger: {event: order.checked}, timeout: 1d, on_timeout: reject, emits: [order.approved]}
"""


class Cli:
    """Runs `tercet` in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, *arguments: str, code: int = 0) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "tercet", *arguments],
            cwd=self.folder, capture_output=True, text=True, check=False, timeout=60, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert done.returncode == code, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr
        return done.stdout + done.stderr

    def json(self, *arguments: str, code: int = 0) -> Any:
        return json.loads(self(*arguments, "--json", code=code))


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    (tmp_path / "shop.yaml").write_text(MANIFEST)
    return Cli(tmp_path)


def test_a_new_manifest_is_checked_formatted_drawn_and_run(cli):
    cli("manifest", "new", "fresh")
    cli("manifest", "check", "fresh", "--strict")
    cli("manifest", "fmt", "fresh")
    cli("manifest", "fmt", "fresh", "--check")
    assert cli("manifest", "graph", "fresh").startswith("flowchart LR")
    cli("manifest", "graph", "fresh", "--format", "svg", "--out", "g.svg")
    assert (cli.folder / "g.svg").read_text().startswith("<svg")
    assert json.loads(cli("manifest", "schema"))["title"] == "Tercet manifest"
    assert "exists" in cli("manifest", "new", "fresh", code=2)


def test_a_broken_manifest_fails_the_check_with_places(cli):
    (cli.folder / "broken.yaml").write_text(MANIFEST.replace("order.checked]", "order.chekced]"))

    out = cli("manifest", "check", "broken.yaml", code=1)
    run = cli("run", "broken.yaml", "--event", "order.placed", code=2)

    assert "broken.yaml:8:13" in out
    assert "did you mean 'order.checked'?" in out
    assert "undeclared-event" in run


def test_a_run_exits_0_only_when_every_execution_completed(cli):
    (cli.folder / "rows.csv").write_bytes("order_id,name\no1,Åse\no2,Bo\n".encode("cp1252"))
    (cli.folder / "rows.jsonl").write_text('{"order_id": "o3"}\n\n{"order_id": "o4"}\n')

    done = cli.json("run", "shop.yaml", "--event", "order.placed", "--data", "rows.csv", "--approve", "all")
    waiting = cli.json(
        "run", "shop.yaml", "--event", "order.placed", "--data", "rows.jsonl", "--approve", "none", code=1
    )

    assert (done["completed"], done["statuses"], done["models"]) == (True, {"COMPLETED": 2}, "mock")
    assert (waiting["completed"], waiting["statuses"]) == (False, {"BLOCKED": 2})
    assert "no object" in cli("run", "shop.yaml", "--event", "order.placed", "--data", "[1]", code=2)
    assert "did you mean 'order.placed'" in cli("run", "shop.yaml", "--event", "order.palced", code=2)


def test_what_a_run_left_open_is_looked_into_decided_and_controlled(cli):
    waiting = cli.json(
        "run",
        "shop.yaml",
        "--event",
        "order.placed",
        "--data",
        '{"order_id": "o1"}',
        "--approve",
        "none",
        code=1,
    )
    execution_id = waiting["executions"][0]["execution_id"]

    assert execution_id in cli("executions", "list")
    assert "BLOCKED" in cli("executions", "show", execution_id)
    assert "approval_requested" in cli("executions", "events", execution_id)
    [approval] = cli.json("inbox", "list")["items"]
    assert "Order o1" in cli("inbox", "show", approval["approval_id"])
    assert "feedback is required" in cli("inbox", "reject", approval["approval_id"], code=2)
    assert "approved" in cli("inbox", "approve", approval["approval_id"])
    assert "was decided" in cli("inbox", "approve", approval["approval_id"], code=2)
    assert "PAUSED" in cli("executions", "pause", execution_id)
    assert "RUNNING" in cli("executions", "resume", execution_id)
    assert "CANCELLED" in cli("executions", "cancel", execution_id, "--reason", "done")
    assert "cannot go" in cli("executions", "pause", execution_id, code=2)


def test_an_event_is_emitted_once_for_a_key_and_tokens_and_costs_are_shown(cli):
    cli("run", "shop.yaml", "--event", "order.placed", "--data", '{"order_id": "o1"}', "--approve", "all")

    first = cli.json("emit", "order.placed", "--data", '{"order_id": "o2"}', "--key", "k")
    again = cli.json("emit", "order.placed", "--data", '{"order_id": "o2"}', "--key", "k")
    token = cli("token", "create", "bob", "--role", "viewer").splitlines()[0]

    assert again == {**first, "duplicate": True}
    assert re.fullmatch(r"tct_[\w-]{43}", token)
    assert "bob" in cli("token", "list")
    assert "mock Claude" in cli("costs")


def test_help_and_version_and_an_unusable_setting(cli):
    assert "manifest" in cli("--help")
    assert cli("--version").startswith("tercet ")
    (cli.folder / ".env").write_text("TERCET_PORT=abc\n")
    assert "TERCET_PORT" in cli("serve", code=2)


def test_data_are_sealed_again_archived_put_back_and_exported(cli):
    cli("run", "shop.yaml", "--event", "order.placed", "--data", '{"order_id": "Quokka"}', "--approve", "all")
    database = cli.folder / ".tercet" / "tercet.db"
    assert b"Quokka" not in database.read_bytes()

    assert "k2 seals from now on" in cli("keys", "rotate")
    assert "0 texts were sealed again" in cli("keys", "rotate", "--resume")
    assert "the one that seals" in cli("keys", "drop", "k2", code=2)
    cli("keys", "drop", "k1")
    assert [key["key_id"] for key in cli.json("keys", "list")["items"]] == ["k2"]

    assert "1 executions would be archived" in cli("archive", "--older-than", "0s", "--dry-run")
    (file,) = cli.json("archive", "--older-than", "0s")["files"]
    assert cli.json("executions", "list")["items"] == []
    assert "1 files are as they were written" in cli("archive", "verify")
    assert "1 executions are back" in cli("archive", "restore", file)
    assert len(cli.json("executions", "list")["items"]) == 1

    cli("export", "--to", "mine.zip")
    with zipfile.ZipFile(cli.folder / "mine.zip") as packed:
        assert b"Quokka" in packed.read("tables/execution_events.jsonl")
    assert "exists" in cli("export", "--to", "mine.zip", code=2)

    path = cli.folder / ".tercet" / "archive" / file
    path.write_bytes(path.read_bytes()[:-1])
    assert f"{file}: the content was changed" in cli("archive", "verify", code=1)

    keys = cli.folder / ".tercet" / "secret-keys.json"
    keys.unlink()
    assert "restore the file from a backup" in cli("executions", "list", code=2)
    keys.write_text('{"k9": "MTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTE="}')
    assert "the key 'k2' is not in the keyring" in cli("inbox", "list", "--status", "", code=2)
    assert "restore it" in cli("keys", "list", code=1)


def test_a_run_tells_a_webhook_what_waits_and_what_is_done(cli):
    received: list[dict[str, Any]] = []

    async def take(request: Request) -> Response:
        received.append(await request.json())
        return Response(status_code=204)

    (cli.folder / ".env").write_text("TERCET_TOOL_NETWORKS=127.0.0.0/8\n")
    app = Starlette(routes=[Route("/hook", take, methods=["POST"])])
    with ThreadedServer(app, name="receiver") as receiver:
        made = cli.json("webhook", "add", f"{receiver.base_url}/hook", "--event", "approval.requested")
        webhook_id = made["webhook_id"]
        cli(
            "run",
            "shop.yaml",
            "--event",
            "order.placed",
            "--data",
            '{"order_id": "o1"}',
            "--approve",
            "none",
            code=1,
        )

        assert [message["type"] for message in received] == ["approval.requested"]
        assert "delivered (204)" in cli("webhook", "test", webhook_id)
    assert made["secret"].startswith("whsec_")
    assert webhook_id in cli("webhook", "list")
    assert "cannot be reached" in cli("webhook", "test", webhook_id, code=1)
    assert [item["status"] for item in cli.json("webhook", "deliveries", webhook_id)["items"]] == [
        "failed", "delivered", "delivered",
    ]  # fmt: skip
    cli("webhook", "remove", webhook_id)
    assert "no webhook" in cli("webhook", "deliveries", webhook_id, code=2)
    assert "user information" in cli("webhook", "add", "http://a@b.example", code=2)


def test_personal_data_are_shown_on_request_only(cli):
    cli(
        "run",
        "shop.yaml",
        "--event",
        "order.placed",
        "--data",
        '{"order_id": "jane@example.org"}',
        "--approve",
        "all",
    )
    execution_id = cli.json("executions", "list")["items"][0]["execution_id"]

    assert "jane@" not in str(cli.json("executions", "events", execution_id))
    assert "jane@" in str(cli.json("executions", "events", execution_id, "--reveal"))
    assert "jane@" not in str(cli.json("executions", "show", execution_id))
    assert "jane@" in str(cli.json("executions", "show", execution_id, "--reveal"))


def test_a_plan_is_started_for_a_registered_agent_and_followed(cli):
    plan = {"title": "Call Carol", "phases": [{"phase_id": "p", "name": "Contact", "tasks": [
        {"task_id": "t", "title": "Reach her", "subtasks": [
            {"subtask_id": "a", "title": "Write", "action": "send_email", "params": {"to": "carol@example.org"}},
            {"subtask_id": "b", "title": "Fly over", "action": "fly", "prerequisites": ["a"]},
        ]}]}]}  # fmt: skip
    (cli.folder / "plan.json").write_text(json.dumps(plan))
    registered = cli("agent", "register", "larry", "--capability", "send_email", "--id", "agent_larry")
    assert registered.splitlines()[0] == "agent_larry"
    plan_id = cli.json("plan", "import", "plan.json")["plan_id"]

    started = cli("plan", "start", plan_id, "--agent", "agent_larry", "--key", "once")
    execution_id = started.splitlines()[0]
    assert "no agent of it can do 'fly'" in started
    assert cli.json("plan", "start", plan_id, "--agent", "agent_larry", "--key", "once")["duplicate"]

    followed = cli("plan", "follow", execution_id)
    assert re.search(r"Call Carol  QUEUED  0/1 tasks", followed)
    assert re.search(r"○ Reach her  0/2", followed)
    assert re.search(r"· Write  send_email", followed)
    cli("executions", "cancel", execution_id)
    assert cli.json("plan", "follow", execution_id, code=1)["execution"]["status"] == "CANCELLED"
    cli("agent", "register", "larry", "--capability", "send_email", "--id", "agent_larry", code=2)
