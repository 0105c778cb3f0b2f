from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Condition, Thread
from typing import Any

import pytest
from standardwebhooks.webhooks import Webhook

PLAN = {
    "title": "Interview Carol",
    "goal": "Build custom breeder management system",
    "phases": [
        {
            "phase_id": "phase_1",
            "tasks": [
                {
                    "task_id": "task_1_1",
                    "title": "Interview",
                    "subtasks": [
                        {
                            "subtask_id": "task_1_1_a", "title": "Send request", "action": "send_email",
                            "params": {"to": "carol@example.org"},
                        },
                        {
                            "subtask_id": "task_1_1_b", "title": "Document", "action": "document_findings",
                            "prerequisites": ["task_1_1_a"],
                        },
                    ],
                }
            ],
        }
    ],
}  # fmt: skip


async def larry(api: Any, **fields: Any) -> tuple[str, dict[str, str]]:
    """Register Larry; return his id and the headers with his key."""
    body = {"agent_id": "agent_larry_001", "name": "Larry", "role": "Full-stack contractor",
            "capabilities": ["send_email", {"action": "document_findings", "params": ["template"]}], **fields}  # fmt: skip
    made = await api.call("POST", "/api/agents/register", status=201, json=body)
    return made["agent_id"], {"Authorization": f"Bearer {made['api_key']}"}


async def started(api: Any, agent_id: str) -> str:
    plan = await api.call("POST", "/api/plans/import", status=201, content=json.dumps(PLAN))
    made = await api.call(
        "POST", "/api/executions", status=201, json={"plan_id": plan["plan_id"], "agent_id": agent_id}
    )
    return str(made["execution_id"])


def test_registration_shows_the_key_once_and_needs_a_capability(with_api):
    async def use(api: Any) -> None:
        agent_id, _ = await larry(api)
        shown = await api.call("GET", f"/api/agents/{agent_id}")
        assert "api_key" not in shown
        assert shown["capabilities"][0] == {"action": "send_email"}
        assert (await api.call("GET", f"/api/agents/{agent_id}/capabilities"))["capabilities"][1][
            "params"
        ] == ["template"]
        await api.call(
            "POST",
            "/api/agents/register",
            status=409,
            json={"agent_id": agent_id, "name": "x", "capabilities": ["a"]},
        )
        error = await api.call(
            "POST", "/api/agents/register", status=422, json={"name": "x", "capabilities": []}
        )
        assert error["detail"][0]["field"] == "capabilities"

    with_api(use)


def test_an_agent_polls_reports_and_is_told_what_is_next_as_in_the_spec(with_api):
    async def use(api: Any) -> None:
        agent_id, key = await larry(api)
        work_path = (
            f"/api/agents/{agent_id}/work?supported_actions=send_email,make_phone_call,document_findings"
        )
        assert await api.call("GET", work_path, status=204, headers=key) is None
        execution_id = await started(api, agent_id)

        work = await api.call("GET", work_path, headers=key)

        assert {
            "work_available",
            "execution_id",
            "plan_id",
            "next_task",
            "force_pause",
            "force_cancel",
        } <= work.keys()
        assert {"task_id", "title", "action", "params", "timeout_hours", "retry_policy", "context"} <= work[
            "next_task"
        ].keys()
        assert {"plan_goal", "previous_tasks", "upcoming_tasks"} <= work["next_task"]["context"].keys()
        status = await api.call("GET", f"/api/executions/{execution_id}/status")
        assert (status["status"], status["current_task_id"]) == ("RUNNING", "task_1_1_a")
        event = {
            "agent_id": agent_id, "agent_timestamp": datetime.now(UTC).isoformat(), "event_type": "task_complete",
            "task_id": "task_1_1_a", "status": "success", "output_data": {"mailbox_used": "larry@example.org"},
            "message": "Email sent to carol@example.org. Ready for next step.",
        }  # fmt: skip
        path = f"/api/executions/{execution_id}/events"
        answer = await api.call("POST", path, status=201, json=event, headers=key)
        assert answer["next_task_id"] == "task_1_1_b"
        assert answer["next_action"] == "document_findings"
        again = await api.call("POST", path, status=201, json=event, headers=key)
        assert again["event_id"] == answer["event_id"]
        assert again["duplicate"] is True
        listed = (await api.call("GET", f"{path}?type=task_complete&task_id=task_1_1_a&limit=10&offset=0"))[
            "items"
        ]
        assert [e["task_id"] for e in listed] == ["task_1_1_a"]
        assert "carol@example.org" not in listed[0]["message"]
        tree = await api.call("GET", f"/api/executions/{execution_id}/tree")
        assert [s["status"] for s in tree["phases"][0]["tasks"][0]["subtasks"]] == ["COMPLETE", "WAITING"]
        assert (await api.call("GET", f"/api/executions?plan_id={work['plan_id']}&status=RUNNING"))["items"]

    with_api(use)


def test_a_repeated_idempotency_key_answers_as_before_and_other_content_is_refused(with_api):
    async def use(api: Any) -> None:
        agent_id, key = await larry(api)
        path = f"/api/executions/{await started(api, agent_id)}/events"
        headers = {**key, "Idempotency-Key": "k1"}
        beat = {"agent_id": agent_id, "event_type": "heartbeat", "message": "alive"}

        first, second = await asyncio.gather(
            api.call("POST", path, status=201, json=beat, headers=headers),
            api.call("POST", path, status=201, json=beat, headers=headers),
        )

        assert first["event_id"] == second["event_id"]
        await api.call("POST", path, status=409, json={**beat, "message": "other"}, headers=headers)

    with_api(use)


def test_a_batch_is_one_commit_and_each_event_has_its_own_verdict(with_api):
    async def use(api: Any) -> None:
        agent_id, key = await larry(api)
        execution_id = await started(api, agent_id)
        at = datetime.now(UTC).isoformat()
        events = [
            {
                "agent_id": agent_id,
                "event_type": "task_started",
                "task_id": "task_1_1_a",
                "agent_timestamp": at,
            },
            {
                "agent_id": agent_id,
                "event_type": "task_complete",
                "task_id": "task_1_1_a",
                "agent_timestamp": at,
            },
            {"agent_id": agent_id, "event_type": "task_complete", "task_id": "nothing"},
            {
                "agent_id": agent_id,
                "event_type": "task_complete",
                "task_id": "task_1_1_a",
                "agent_timestamp": at,
            },
            {
                "agent_id": agent_id,
                "event_type": "task_complete",
                "task_id": "task_1_1_b",
                "agent_timestamp": at,
            },
        ]

        answer = await api.call(
            "POST", f"/api/executions/{execution_id}/events/batch", status=201, json=events, headers=key
        )

        assert (answer["recorded"], answer["refused"]) == (4, 1)
        assert answer["items"][2]["error"]["code"] == "NOT_FOUND"
        assert answer["items"][3]["duplicate"] is True
        assert (await api.call("GET", f"/api/executions/{execution_id}/status"))["status"] == "COMPLETED"

    with_api(use)


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"event_type": "task_done"}, 422),
        ({"status": "error"}, 422),
        ({"task_id": None}, 422),
        ({"agent_timestamp": "yesterday"}, 422),
        ({"surprise": 1}, 422),
        ({"task_id": "task_9"}, 404),
        ({"task_id": "task_1_1_b"}, 409),
        ({"agent_id": "agent_other"}, 403),
    ],
)
def test_a_report_that_does_not_fit_is_refused(with_api, change, status):
    async def use(api: Any) -> None:
        agent_id, key = await larry(api)
        path = f"/api/executions/{await started(api, agent_id)}/events"
        event = {"agent_id": agent_id, "event_type": "task_complete", "task_id": "task_1_1_a", **change}

        error = await api.call("POST", path, status=status, json=event, headers=key)

        assert error["code"]
        assert len((await api.call("GET", path))["items"]) == 2

    with_api(use)


def test_an_agents_key_acts_for_that_agent_only_and_a_viewer_for_none(with_api):
    async def use(api: Any) -> None:
        agent_id, key = await larry(api)
        await larry(api, agent_id="agent_two")

        await api.call("GET", "/api/agents/agent_two/work", status=403, headers=key)
        await api.call("GET", f"/api/agents/{agent_id}/work", status=403, headers=await api.token("viewer"))
        await api.call("GET", "/api/agents/agent_none/work", status=404)
        await api.call(
            "POST", "/api/agents/register", status=403, headers=key, json={"name": "x", "capabilities": ["a"]}
        )

    with_api(use)


def test_an_agent_that_asks_too_often_is_told_when_to_come_back(with_api):
    async def use(api: Any) -> None:
        agent_id, key = await larry(api)
        path = f"/api/agents/{agent_id}/work"
        answers = [await api.http.get(path, headers=key) for _ in range(4)]

        assert [a.status_code for a in answers] == [204, 204, 204, 429]
        assert answers[0].headers["ratelimit-limit"] == "3"
        assert answers[2].headers["ratelimit-remaining"] == "0"
        assert int(answers[3].headers["retry-after"]) >= 1
        assert answers[3].json()["code"] == "RATE_LIMIT_EXCEEDED"

    with_api(use, agent_requests_per_minute=3)


def test_a_cancelled_execution_of_a_plan_starts_anew_with_its_agents(with_api):
    async def use(api: Any) -> None:
        agent_id, key = await larry(api)
        execution_id = await started(api, agent_id)
        await api.call("PATCH", f"/api/executions/{execution_id}", json={"status": "CANCELLED"})

        again = await api.call("POST", f"/api/executions/{execution_id}/retry", status=201)

        assert again["retry_of"] == execution_id
        work = await api.call("GET", f"/api/agents/{agent_id}/work", headers=key)
        assert work["execution_id"] == again["execution_id"]

    with_api(use)


def test_decomposition_by_rules_is_stored_and_doubtful_ones_go_to_a_person(with_api):
    async def use(api: Any) -> None:
        capabilities = [
            "send_email",
            "make_phone_call",
            "schedule_calendar_event",
            "conduct_interview",
            "document_findings",
        ]
        agent_id, key = await larry(api, capabilities=[*capabilities, "x"])
        plan = {
            "title": "P",
            "phases": [{"phase_id": "p", "tasks": [{"task_id": "task_1_1", "title": "Interview Carol"}]}],
        }
        stored = await api.call("POST", "/api/plans/import", status=201, content=json.dumps(plan))
        task = {
            "task_id": "task_1_1",
            "title": "Interview Carol about current workflow",
            "description": "Understand her records",
        }
        body = {
            "task": task,
            "plan_context": {"goal": "x"},
            "agent_capabilities": capabilities,
            "plan_id": stored["plan_id"],
        }

        split = await api.call("POST", f"/api/agents/{agent_id}/decompose", json=body, headers=key)

        assert split["decomposition_confidence"] >= 0.7
        assert split["execution_sequence"][0] == "task_1_1_a"
        assert split["decomposed_subtasks"][1]["depends_on"] == ["task_1_1_a"]
        kept = (await api.call("GET", f"/api/plans/{stored['plan_id']}/tasks"))["items"][0]
        assert kept["decomposed"] is True
        assert [s["subtask_id"] for s in kept["subtasks"]] == split["execution_sequence"]
        vague = {**body, "task": {"task_id": "task_1_1", "title": "Ponder"}}
        doubtful = await api.call("POST", f"/api/agents/{agent_id}/decompose", json=vague, headers=key)
        assert doubtful["human_review_required"] is True
        await api.call(
            "POST", "/api/executions", status=201, json={"plan_id": stored["plan_id"], "agent_id": agent_id}
        )
        (approval,) = (await api.call("GET", "/api/approvals"))["items"]
        assert approval["title"].startswith("Check how this was split")

    with_api(use)


def test_a_plan_is_written_for_a_goal(with_api):
    async def use(api: Any) -> None:
        made = await api.call("POST", "/api/plans/generate", status=201, json={"goal": "Open a bakery"})
        assert made["tasks_total"] == 3
        assert "no real model" in made["note"].lower()
        csv = await api.http.post(
            "/api/plans/generate", json={"goal": "Open a bakery", "output_format": "csv"}
        )
        assert csv.headers["content-type"].startswith("text/csv")

    with_api(use)


class Received:
    """What a webhook's receiver was sent."""

    def __init__(self) -> None:
        self.messages: list[tuple[dict[str, str], bytes]] = []
        self.url = ""
        self._more = Condition()

    def add(self, headers: dict[str, str], body: bytes) -> None:
        with self._more:
            self.messages.append((headers, body))
            self._more.notify_all()

    def wait_for(self, count: int) -> None:
        with self._more:
            assert self._more.wait_for(lambda: len(self.messages) >= count, timeout=20)


@pytest.fixture
def receiver() -> Iterator[Received]:
    """Serve a receiver that is not ready at first."""
    received = Received()

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["content-length"]))
            received.add({name.lower(): value for name, value in self.headers.items()}, raw)
            self.send_response(503 if len(received.messages) == 1 else 200)
            self.end_headers()

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    Thread(target=server.serve_forever, daemon=True).start()
    received.url = f"http://127.0.0.1:{server.server_port}/hook"
    yield received
    server.shutdown()
    server.server_close()


def test_an_agent_with_a_webhook_gets_signed_work_and_may_answer_signed(with_api, receiver):
    async def use(api: Any) -> None:
        body = {
            "name": "Pushed",
            "capabilities": ["send_email", "document_findings"],
            "webhook_url": receiver.url,
        }
        made = await api.call("POST", "/api/agents/register", status=201, json=body)
        execution_id = await started(api, made["agent_id"])
        await asyncio.to_thread(receiver.wait_for, 2)
        (headers, raw), (again, _) = receiver.messages
        work = Webhook(made["webhook_secret"]).verify(raw, headers)
        assert work["next_task"]["task_id"] == "task_1_1_a"
        assert again["webhook-id"] == headers["webhook-id"]

        event = json.dumps(
            {"agent_id": made["agent_id"], "event_type": "task_complete", "task_id": "task_1_1_a"}
        )
        now = datetime.now(UTC)
        signed = {
            "webhook-id": "m1", "webhook-timestamp": str(int(now.timestamp())),
            "webhook-signature": Webhook(made["webhook_secret"]).sign("m1", now, event),
        }  # fmt: skip
        del api.http.headers["authorization"]
        path = f"/api/executions/{execution_id}/events"
        await api.call(
            "POST", path, status=401, content=event, headers={**signed, "webhook-signature": "v1,AAAA"}
        )
        await api.call("POST", path, status=201, content=event, headers=signed)
        await api.call("POST", path, status=409, content=event, headers=signed)
        await asyncio.to_thread(receiver.wait_for, 3)
        assert json.loads(receiver.messages[2][1])["next_task"]["task_id"] == "task_1_1_b"

    with_api(use, tool_networks=["127.0.0.0/8"])
