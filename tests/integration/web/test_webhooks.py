"""Notices over real connections: signed webhooks, mail to a real SMTP server, Slack hooks; and who may see what."""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import Iterator
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from standardwebhooks.webhooks import Webhook
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from tercet.domain.codec import from_json
from tercet.domain.errors import Conflict, NotAuthenticated
from tercet.domain.notices import NoticeEvent
from tercet.domain.webhooks import new_secret, signed_headers
from tercet.testing.mock_claude.server import ThreadedServer
from tercet.tools.webhooks import DeliveryFailed, deliver

LOOPBACK = ["127.0.0.0/8"]
received: list[tuple[str, bytes, dict[str, str]]] = []
refusals: list[Response] = []


async def take(request: Request) -> Response:
    received.append((request.url.path, await request.body(), dict(request.headers)))
    return refusals.pop(0) if refusals else Response(status_code=204)


async def elsewhere(_request: Request) -> Response:
    return RedirectResponse("/hook", status_code=307)


@pytest.fixture
def receiver() -> Iterator[str]:
    received.clear()
    refusals.clear()
    routes = [
        Route("/hook", take, methods=["POST"]),
        Route("/services/T0/B0/token", take, methods=["POST"]),
        Route("/moved", elsewhere, methods=["POST"]),
    ]
    with ThreadedServer(Starlette(routes=routes), name="receiver") as running:
        yield running.base_url


class Inbox:
    def __init__(self) -> None:
        self.mails: list[Message] = []

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802 aiosmtpd's name
        self.mails.append(message_from_bytes(envelope.content))
        return "250 OK"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@pytest.fixture
def mail_server() -> Iterator[tuple[Inbox, int]]:
    inbox, port = Inbox(), free_port()
    controller = Controller(inbox, hostname="127.0.0.1", port=port)
    controller.start()
    try:
        yield inbox, port
    finally:
        controller.stop()


async def until(condition: Any) -> None:
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110 another thread fills the list
            await asyncio.sleep(0.02)


def test_a_failure_reaches_a_webhook_signed_and_masked(with_api, receiver):
    async def go(api: Any) -> None:
        made = await api.call(
            "POST", "/api/webhooks/register", status=201,
            json={"url": f"{receiver}/hook", "events": ["approval.requested", "task.failed"]},
        )  # fmt: skip
        execution_id = await api.place(fail=True)
        await until(lambda: received)
        await api.idle()

        path, body, headers = received[0]
        Webhook(made["secret"]).verify(body, headers)
        message = from_json(body)
        assert (path, message["type"]) == ("/hook", "task.failed")
        assert message["data"]["execution_id"] == execution_id
        assert message["data"]["link"] == f"https://tercet.example.org/executions/{execution_id}"
        assert headers["content-type"] == "application/json"
        listed = await api.call("GET", f"/api/v1/webhooks/{made['webhook_id']}/deliveries")
        assert [(item["status"], item["attempts"], item["answer_status"]) for item in listed["items"]] == [
            ("delivered", 1, 204)
        ]
        assert listed["items"][0]["delivery_id"] == headers["webhook-id"]

    with_api(go, tool_networks=LOOPBACK, public_url="https://tercet.example.org/")


def test_a_secret_is_shown_once_and_a_given_one_is_used(with_api, receiver):
    async def go(api: Any) -> None:
        secret = new_secret()
        made = await api.call(
            "POST",
            "/api/v1/webhooks/register",
            status=201,
            json={"url": f"{receiver}/hook", "secret": secret},
        )
        listed = await api.call("GET", "/api/v1/webhooks")
        tested = await api.call("POST", f"/api/v1/webhooks/{made['webhook_id']}/test")

        assert made["secret"] == secret
        assert len(made["events"]) == len(NoticeEvent)
        assert "secret" not in listed["items"][0]
        assert (tested["status"], tested["event"], tested["attempts"]) == ("delivered", "webhook.test", 1)
        Webhook(secret).verify(received[0][1], received[0][2])

    with_api(go, tool_networks=LOOPBACK)


def test_a_test_says_why_it_failed_and_is_not_repeated(with_api, receiver):
    async def go(api: Any) -> None:
        made = await api.call(
            "POST", "/api/v1/webhooks/register", status=201, json={"url": f"{receiver}/moved"}
        )
        tested = await api.call("POST", f"/api/v1/webhooks/{made['webhook_id']}/test")

        assert (tested["status"], tested["answer_status"]) == ("failed", 307)
        assert tested["error"] == "the receiver answered 307"
        assert received == []
        await api.call("DELETE", f"/api/v1/webhooks/{made['webhook_id']}", status=204)
        await api.call("POST", f"/api/v1/webhooks/{made['webhook_id']}/test", status=404)
        assert (await api.call("GET", "/api/v1/webhooks"))["items"] == []

    with_api(go, tool_networks=LOOPBACK)


def test_an_approval_is_told_by_mail(with_api, mail_server):
    inbox, port = mail_server

    async def go(api: Any) -> None:
        made = await api.call(
            "POST", "/api/v1/webhooks/register", status=201,
            json={"channel": "email", "target": "boss@example.org", "events": ["approval.requested"]},
        )  # fmt: skip
        await api.place()
        await until(lambda: inbox.mails)
        await api.idle()

        mail = inbox.mails[0]
        approval = (await api.call("GET", "/api/v1/approvals"))["items"][0]
        assert (mail["To"], mail["Subject"]) == ("boss@example.org", "[Tercet] a decision is needed: review")
        assert f"/inbox?approval={approval['approval_id']}" in str(mail.get_payload())
        assert "secret" not in made
        assert (await api.call("GET", "/api/v1/webhooks"))["items"][0]["target"] == "b***@example.org"

    with_api(go, smtp_port=port)


def test_slack_is_told_by_an_incoming_webhook_whose_url_nobody_sees(with_api, receiver):
    async def go(api: Any) -> None:
        url = f"{receiver}/services/T0/B0/token"
        made = await api.call(
            "POST",
            "/api/v1/webhooks/register",
            status=201,
            json={"channel": "slack", "url": url, "events": ["task.failed"]},
        )
        await api.place(fail=True)
        await until(lambda: received)
        await api.idle()

        assert made["target"] == "127.0.0.1"
        assert "token" not in str(made)
        text = from_json(received[0][1])["text"]
        assert text.startswith("Tercet: a task failed")
        assert "out of stock" in text

    with_api(go, tool_networks=LOOPBACK)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:9/x",
        "http://169.254.169.254/latest",
        "ftp://example.org",
        "http://user@example.org",
        "http://[::1]/",
    ],
)
def test_an_address_that_leads_inward_is_refused(with_api, url):
    async def go(api: Any) -> None:
        answer = await api.call("POST", "/api/v1/webhooks/register", status=422, json={"url": url})

        assert answer["detail"][0]["field"] == "url"

    with_api(go)


def test_viewers_and_agents_neither_register_nor_see_webhooks(with_api):
    async def go(api: Any) -> None:
        for role in ("viewer", "agent"):
            headers = await api.token(role)
            await api.call("GET", "/api/v1/webhooks", status=403, headers=headers)
            await api.call(
                "POST",
                "/api/v1/webhooks/register",
                status=403,
                headers=headers,
                json={"url": "https://example.org"},
            )

    with_api(go)


@pytest.mark.parametrize(
    "body",
    [
        {"url": "https://192.0.2.1", "events": []},
        {"url": "https://192.0.2.1", "events": ["lead.won"]},
        {"channel": "fax"},
        [],
        {"url": 3},
    ],
)
def test_a_registration_that_breaks_a_rule_is_refused(with_api, body):
    async def go(api: Any) -> None:
        answer = await api.call("POST", "/api/v1/webhooks/register", status=422, json=body)

        assert answer["code"] == "INVALID_INPUT"

    with_api(go)


def test_executions_and_events_are_masked_unless_somebody_asks_and_that_is_recorded(with_api):
    async def go(api: Any) -> None:
        execution_id = await api.place(order_id="o1 for jane@example.org, +1 415 555 2671")
        path = f"/api/v1/executions/{execution_id}/events"
        masked = await api.call("GET", path)
        assert "o1 for j***@example.org, +* *** *** **71" in str(masked)
        assert "jane@" not in str(masked) + str(await api.call("GET", f"/api/v1/executions/{execution_id}"))
        assert (await api.call("GET", "/api/v1/reveals"))["items"] == []

        member = await api.token("member", user="mia")
        assert "jane@example.org" in str(await api.call("GET", f"{path}?reveal=true", headers=member))
        await api.call("GET", f"{path}?reveal=true", status=403, headers=await api.token("viewer"))
        looks = (await api.call("GET", "/api/v1/reveals"))["items"]
        assert [(look["user"], look["execution_id"], look["what"]) for look in looks] == [
            ("mia", execution_id, "events")
        ]
        await api.call("GET", "/api/v1/reveals", status=403, headers=member)

    with_api(go)


def test_the_inbox_shows_the_exact_action(with_api):
    async def go(api: Any) -> None:
        await api.place(order_id="jane@example.org")
        approval = (await api.call("GET", "/api/v1/approvals"))["items"][0]
        shown = await api.call("GET", f"/api/v1/approvals/{approval['approval_id']}")

        assert shown["items"][0]["data"]["order_id"] == "jane@example.org"

    with_api(go)


def test_a_signed_message_is_taken_once(with_api):
    async def go(api: Any) -> None:
        secret, body = new_secret(), "{}"
        now = api.node.engine.clock.now_ms() // 1000
        headers = signed_headers(secret, "msg_1", body, at_seconds=now)

        assert await api.node.replays.take("agt_1", headers, body.encode(), secret) == "msg_1"
        with pytest.raises(Conflict, match="taken already"):
            await api.node.replays.take("agt_1", headers, body.encode(), secret)
        assert await api.node.replays.take("agt_2", headers, body.encode(), secret) == "msg_1"
        with pytest.raises(NotAuthenticated):
            await api.node.replays.take("agt_1", headers, b"{ }", secret)

    with_api(go)


def test_the_receiver_of_the_how_to_takes_a_message_once_and_refuses_a_forged_one(with_api, receiver, capsys):
    page = Path(__file__).parents[3] / "docs" / "how-to" / "receive-webhooks.md"
    code = re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL)[0]
    scope: dict[str, Any] = {}
    exec(compile(code, page.name, "exec"), scope)

    async def go(api: Any) -> None:
        made = await api.call(
            "POST", "/api/v1/webhooks/register", status=201, json={"url": f"{receiver}/hook"}
        )
        await api.call("POST", f"/api/v1/webhooks/{made['webhook_id']}/test")
        _, body, headers = received[0]

        assert [scope["receive"](body, headers, made["secret"]) for _ in range(2)] == [204, 204]
        assert capsys.readouterr().out.count("webhook.test") == 1
        assert scope["receive"](body + b" ", headers, made["secret"]) == 401

    with_api(go, tool_networks=LOOPBACK)


async def test_deliver_says_what_the_receiver_asked_for(receiver):
    from ipaddress import ip_network

    from tercet.tools.safe_http import Reach

    reach = Reach(allowed_networks=[ip_network("127.0.0.0/8")])
    refusals.extend([Response(status_code=503, headers={"retry-after": "120"}), Response(status_code=410)])

    with pytest.raises(DeliveryFailed) as busy:
        await deliver(f"{receiver}/hook", new_secret(), "msg_1", "{}", reach=reach)
    with pytest.raises(DeliveryFailed) as gone:
        await deliver(f"{receiver}/hook", new_secret(), "msg_1", "{}", reach=reach)
    with pytest.raises(DeliveryFailed) as inward:
        await deliver(f"{receiver}/hook", new_secret(), "msg_1", "{}")

    assert (busy.value.status, busy.value.retry_after_seconds, busy.value.final) == (503, 120, False)
    assert (gone.value.status, gone.value.final) == (410, True)
    assert "not public" in str(inward.value)
    assert await deliver(f"{receiver}/hook", new_secret(), "msg_1", "{}", reach=reach) == 204
