"""Tools that talk to services, against real servers that speak the services' protocols; MCP over stdio and HTTP."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tercet import AgentExecutor
from tercet.domain.errors import InvalidSettings
from tercet.settings import Settings
from tercet.testing.mock_claude import MockClaude, Script
from tercet.testing.mock_claude.server import ThreadedServer
from tercet.tools.calendar_file import CalendarTool
from tercet.tools.catalog import ToolCatalog, builtin_tools
from tercet.tools.csv_table import CsvTool
from tercet.tools.email import EmailTool
from tercet.tools.mcp import McpServer, McpServers, load_mcp_servers
from tercet.tools.slack import SlackTool
from tercet.tools.workspace import Workspace

received: list[tuple[str, dict[str, Any], dict[str, str]]] = []


async def resend(request: Request) -> Response:
    if request.headers["authorization"] != "Bearer re_good":
        return JSONResponse({"message": "API key is invalid"}, 401)
    received.append(("resend", await request.json(), dict(request.headers)))
    return JSONResponse({"id": "re_123"})


async def post_message(request: Request) -> Response:
    body = dict(await request.form()) if "form" in request.headers["content-type"] else await request.json()
    if body["channel"] == "#none":
        return JSONResponse({"ok": False, "error": "channel_not_found"})
    received.append(("slack", {key: str(value) for key, value in body.items()}, dict(request.headers)))
    return JSONResponse({"ok": True, "channel": "C123", "ts": "1.2"})


@pytest.fixture(scope="module")
def services() -> Iterator[ThreadedServer]:
    routes = [
        Route("/emails", resend, methods=["POST"]),
        Route("/api/chat.postMessage", post_message, methods=["POST"]),
    ]
    with ThreadedServer(Starlette(routes=routes), name="services") as running:
        yield running


MAIL = {
    "to": "user@example.com",
    "subject": "Test Email",
    "body": "This is a test email from the agent system.",
}


def test_email_goes_through_resend_when_a_key_is_set(services: ThreadedServer):
    tool = EmailTool(resend_api_key="re_good", resend_url=services.base_url, sender="a@example.org")

    answer = tool.execute({**MAIL, "cc": ["b@example.org"]})

    assert answer["result"]["message_id"] == "re_123"
    name, body, headers = received[-1]
    assert (name, body["to"], body["cc"], body["text"]) == (
        "resend",
        ["user@example.com"],
        ["b@example.org"],
        MAIL["body"],
    )
    assert headers["idempotency-key"]
    refused = EmailTool(resend_api_key="re_bad", resend_url=services.base_url).execute(MAIL)
    assert (refused["success"], "re_bad" in refused["error"]) == (False, False)


def test_slack_posts_to_the_channel_of_the_specification(services: ThreadedServer):
    tool = SlackTool(token="xoxb-good", base_url=f"{services.base_url}/api/")

    answer = tool.execute(
        {"channel": "#general", "text": "Hello from the agent system!", "thread_ts": "timestamp"}
    )

    assert answer == {"success": True, "result": {"channel": "C123", "ts": "1.2"}}
    assert received[-1][1]["thread_ts"] == "timestamp"
    assert "channel_not_found" in tool.execute({"channel": "#none", "text": "x"})["error"]
    assert "No Slack token" in SlackTool().execute({"channel": "#general", "text": "x"})["error"]


def test_csv_writes_reads_appends_and_updates_tables(tmp_path: Path):
    tool = CsvTool(Workspace(tmp_path / "ws"))
    rows = [
        {"name": "Ada", "town": "Bonn", "score": 4},
        {"name": "=HYPERLINK()", "town": "Köln", "score": -1},
    ]

    assert tool.execute({"operation": "write", "file_path": "p.csv", "rows": rows})["result"]["rows"] == 2
    tool.execute(
        {"operation": "append", "file_path": "p.csv", "rows": [{"name": "Bob", "mail": "b@example.org"}]}
    )
    changed = tool.execute(
        {"operation": "update", "file_path": "p.csv", "where": {"name": "Ada"}, "set": {"score": 5}}
    )
    read = tool.execute(
        {"operation": "read", "file_path": "p.csv", "where": {"town": "Bonn"}, "columns": ["name", "score"]}
    )

    assert changed["result"]["changed"] == 1
    assert read["result"] == {
        "columns": ["name", "score"],
        "rows": [{"name": "Ada", "score": "5"}],
        "total": 1,
    }
    assert "'=HYPERLINK()" in (tmp_path / "ws" / "p.csv").read_text()
    assert "no column" in tool.execute({"operation": "read", "file_path": "p.csv", "columns": ["x"]})["error"]


def test_calendar_keeps_events_that_a_calendar_program_reads(tmp_path: Path):
    from icalendar import Calendar

    tool = CalendarTool(Workspace(tmp_path / "ws"))
    event = {"summary": "Call Ada", "start": "2026-11-21T10:00:00+01:00", "end": "2026-11-21T10:30:00+01:00"}

    uid = tool.execute({"operation": "add", **event, "attendees": ["ada@example.org"]})["result"]["uid"]
    tool.execute({"operation": "add", "summary": "Fair", "start": "2026-12-01"})
    listed = tool.execute({"operation": "list", "from": "2026-11-01", "to": "2026-11-30"})["result"]["events"]

    assert [(item["summary"], item["start"]) for item in listed] == [
        ("Call Ada", "2026-11-21T09:00:00+00:00")
    ]
    parsed = Calendar.from_ical((tmp_path / "ws" / "calendar.ics").read_bytes())
    assert len(parsed.walk("VEVENT")) == 2
    assert tool.execute({"operation": "remove", "uid": uid})["result"] == {"removed": True}
    for wrong in ({"start": "tomorrow"}, {"start": "2026-11-21T10:00:00"}, {"end": "2020-01-01T00:00:00Z"}):
        assert tool.execute({"operation": "add", **event, **wrong})["success"] is False


MCP_SERVER = """
from mcp.server.mcpserver import MCPServer
server = MCPServer("demo")

@server.tool()
def weather(town: str) -> dict[str, str]:
    '''Says how the weather is.'''
    if town == "Atlantis":
        raise ValueError("there is no such town")
    return {"town": town, "weather": "fair"}

server.run()
"""


@pytest.fixture
def mcp_server(tmp_path: Path) -> McpServer:
    script = tmp_path / "server.py"
    script.write_text(MCP_SERVER)
    return McpServer(command=sys.executable, args=[str(script)])


async def test_an_agent_calls_the_tool_of_an_mcp_server(mcp_server: McpServer):
    rules = [
        {
            "match": {"turn": 0},
            "reply": {"tool_use": {"name": "mcp__demo__weather", "input": {"town": "Bonn"}}},
        },
        {"reply": {"text": "It is {tool_result}"}},
    ]
    servers = McpServers({"demo": mcp_server})
    catalog = ToolCatalog(builtin_tools(), mcp=servers)
    with MockClaude(Script.model_validate({"rules": rules})) as mock:
        settings = Settings(_env_file=None, anthropic_api_key="k", anthropic_base_url=mock.base_url)
        agent = AgentExecutor({"name": "W", "mcp_servers": ["demo"]}, settings=settings, catalog=catalog)
        result = await agent.aexecute("How is the weather?")
    await servers.aclose()

    assert result["tool_results"][0]["result"] == {"town": "Bonn", "weather": "fair"}


async def test_failures_of_mcp_servers_are_told_plainly(mcp_server: McpServer):
    servers = McpServers({"demo": mcp_server, "gone": McpServer(command="/no/such/program")})
    [tool] = await servers.tools_of("demo")

    assert "weather" in (await tool._execute({"town": "Atlantis"}))["error"]
    assert (await tool._execute({}))["success"] is False
    with pytest.raises(Exception, match="cannot be reached"):
        await servers.tools_of("gone")
    with pytest.raises(Exception, match="there is no MCP server 'other'"):
        await servers.tools_of("other")
    await servers.aclose()


BROKEN_FILES = (
    "",
    "[]",
    '{"servers": {}}',
    '{"mcpServers": {"a": {}}}',
    '{"mcpServers": {"a": {"command": "x", "url": "y"}}}',
)


@pytest.mark.parametrize("text", BROKEN_FILES)
def test_a_broken_file_of_mcp_servers_stops_the_start(tmp_path: Path, text: str):
    path = tmp_path / "mcp.json"
    path.write_text(text)

    with pytest.raises(InvalidSettings):
        load_mcp_servers(path)
