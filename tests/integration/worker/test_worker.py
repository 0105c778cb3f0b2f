"""What a worker does with its work."""

from __future__ import annotations

import json
import re
import stat
import threading
import time
from typing import Any

import pytest
from tests.integration.worker.conftest import Hub

from tercet.domain.errors import Conflict, InvalidInput, NotAuthenticated, OperatorError
from tercet.worker import Blocked, Pace, Task, Worker

MAIL = {"subtask_id": "a", "title": "Mail", "action": "send_email", "params": {"to": "carol@example.org"}}
NOTES = {"subtask_id": "b", "title": "Notes", "action": "document", "prerequisites": ["a"]}


def test_sync_and_async_handlers_do_a_plan_and_its_execution_completes(with_hub):
    async def go(hub: Hub) -> None:
        larry = await hub.worker("larry", "send_email", "document")
        seen: list[Task] = []

        @larry.action("send_email")
        def send(task: Task) -> dict[str, Any]:
            seen.append(task)
            return {"sent_to": task.params["to"]}

        @larry.action("document")
        async def document(task: Task) -> None:
            seen.append(task)

        async with hub.working(larry):
            execution_id = await hub.start(MAIL, NOTES)
            await hub.until(execution_id, "COMPLETED")

        first, second = seen
        assert (first.task_id, first.title, first.attempt) == ("a", "Mail", 1)
        assert first.context["upcoming_tasks"] == ["Notes"]
        assert second.results == {"a": {"sent_to": "carol@example.org"}}
        assert first.idempotency_key == f"{execution_id}:a"
        assert (await hub.subtask(execution_id, "b"))["status"] == "COMPLETE"
        (look,) = (await hub.call("GET", "/reveals"))["items"]
        assert look["what"] == "tree"
        masked = await hub.call("GET", f"/executions/{execution_id}/tree")
        assert masked["phases"][0]["tasks"][0]["subtasks"][0]["params"] == {"to": "c***@example.org"}

    with_hub(go)


def test_a_blocking_handler_runs_in_a_thread_while_heartbeats_go_out(with_hub):
    async def go(hub: Hub) -> None:
        pace = Pace(poll_seconds=5, heartbeat_seconds=0.05, listen_seconds=0.05, shutdown_seconds=1)
        larry = await hub.worker("larry", "send_email", pace=pace)

        @larry.action("send_email")
        def send(task: Task) -> dict[str, Any]:
            assert threading.current_thread() is not threading.main_thread()
            time.sleep(0.3)
            return {}

        async with hub.working(larry):
            execution_id = await hub.start(MAIL)
            await hub.until(execution_id, "COMPLETED")

        beats = await hub.events(execution_id, "heartbeat")
        assert beats
        assert {beat["subtask_id"] for beat in beats} == {"a"}

    with_hub(go)


def test_progress_is_recorded_in_its_order_and_before_the_end(with_hub):
    async def go(hub: Hub) -> None:
        larry = await hub.worker("larry", "send_email")

        @larry.action("send_email")
        def send(task: Task) -> dict[str, Any]:
            for _ in range(2):
                task.progress("half way", {"done": 1})
            task.progress("nearly")
            return {"ok": True}

        async with hub.working(larry):
            execution_id = await hub.start(MAIL)
            await hub.until(execution_id, "COMPLETED")

        told = await hub.events(execution_id, "task_progress", "task_complete")
        assert [event["message"] for event in told if event["event_type"] == "task_progress"] == [
            "half way", "half way", "nearly",
        ]  # fmt: skip
        assert told[0]["output_data"] == {"done": 1}
        assert told[3]["subtask_id"] == "a"

    with_hub(go)


def test_an_exception_is_a_failed_attempt_and_the_work_comes_again(with_hub):
    async def go(hub: Hub) -> None:
        larry = await hub.worker("larry", "send_email")
        attempts: list[tuple[int, str]] = []

        @larry.action("send_email")
        def send(task: Task) -> dict[str, Any]:
            attempts.append((task.attempt, task.idempotency_key))
            if len(attempts) == 1:
                raise ConnectionError("the mail server is away")
            return {}

        async with hub.working(larry):
            execution_id = await hub.start(
                {**MAIL, "retry_policy": {"max_attempts": 3, "backoff_seconds": 0.05}}
            )
            await hub.until(execution_id, "COMPLETED")

        (error,) = await hub.events(execution_id, "task_error")
        assert (error["subtask_id"], error["status"]) == ("a", "error")
        assert [number for number, _ in attempts] == [1, 2]
        assert len({key for _, key in attempts}) == 1

    with_hub(go)


def test_a_blocked_task_asks_a_person_and_goes_on_with_the_answer(with_hub):
    async def go(hub: Hub) -> None:
        larry = await hub.worker("larry", "send_email")

        @larry.action("send_email")
        async def send(task: Task) -> dict[str, Any]:
            if task.review is None:
                raise Blocked("the address bounced", suggestions=["Write to her other e-mail address"])
            return {
                "sent_to": task.params["to"],
                "option": task.review["option"],
                "why": task.review["feedback"],
            }

        async with hub.working(larry):
            execution_id = await hub.start(MAIL)
            await hub.until(execution_id, "BLOCKED")
            (approval,) = (await hub.call("GET", "/approvals?status=pending"))["items"]
            shown = await hub.call("GET", f"/approvals/{approval['approval_id']}")
            assert shown["items"][0]["data"]["error_type"] == "external_dependency_blocked"
            assert shown["items"][0]["data"]["suggestions"] == ["Write to her other e-mail address"]
            decision = {
                "decision": "approve", "option": "approve_alternative_email", "feedback": "the one of the shop",
                "edits": {"params": {"to": "shop@example.org"}},
            }  # fmt: skip
            await hub.call("POST", f"/approvals/{approval['approval_id']}/decision", json=decision)
            await hub.until(execution_id, "COMPLETED")

        assert (await hub.subtask(execution_id, "a"))["result_data"] == {
            "sent_to": "shop@example.org", "option": "approve_alternative_email", "why": "the one of the shop",
        }  # fmt: skip

    with_hub(go)


@pytest.mark.parametrize("output", [["a", "list"], {"a": object()}])
def test_an_output_that_is_no_json_object_goes_to_a_person(with_hub, output):
    async def go(hub: Hub) -> None:
        larry = await hub.worker("larry", "send_email")
        larry.action("send_email")(lambda task: output)

        async with hub.working(larry):
            execution_id = await hub.start(MAIL)
            await hub.until(execution_id, "BLOCKED")

        assert (await hub.subtask(execution_id, "a"))["error_type"] == "invalid_output"

    with_hub(go)


def test_an_event_whose_answer_is_lost_is_recorded_once_and_so_is_the_last_of_an_execution(with_hub):
    async def go(hub: Hub) -> None:
        larry = await hub.worker("larry", "send_email", log_file=hub.folder / "larry.log")
        calls = []

        @larry.action("send_email")
        def send(task: Task) -> None:
            calls.append(task.task_id)
            task.progress("on the way")

        hub.trouble.lost += ["/events/batch", "/events/batch"]
        async with hub.working(larry):
            execution_id = await hub.start(MAIL)
            await hub.until(execution_id, "COMPLETED")
            await hub.trouble.over()

        assert calls == ["a"]
        told = await hub.events(execution_id, "task_progress", "task_complete")
        assert [event["subtask_id"] for event in told if event["event_type"] == "task_progress"] == ["a"]
        assert "refused" not in (hub.folder / "larry.log").read_text("utf-8")

    with_hub(go)


def test_too_many_requests_are_answered_with_patience_as_long_as_the_server_says(with_hub):
    async def go(hub: Hub) -> None:
        larry = await hub.worker("larry", "send_email")
        larry.action("send_email")(lambda task: {})
        hub.trouble.refused.append(("/events/batch", 429, {"Retry-After": "1"}))

        began = time.monotonic()
        async with hub.working(larry):
            execution_id = await hub.start(MAIL)
            await hub.until(execution_id, "COMPLETED")

        assert time.monotonic() - began >= 1
        sent = [request for request in hub.trouble.requests if request.endswith("/events/batch")]
        assert len(sent) == 2

    with_hub(go)


def test_the_log_has_a_line_an_event_and_no_personal_data(with_hub):
    async def go(hub: Hub) -> None:
        path = hub.folder / "logs" / "larry.log"
        larry = await hub.worker("larry", "send_email", log_file=path)

        @larry.action("send_email")
        def send(task: Task) -> dict[str, Any]:
            raise ValueError(f"{task.params['to']} does not answer, nor does +1 212-555-0143")

        async with hub.working(larry):
            await hub.until(await hub.start({**MAIL, "retry_policy": {"max_attempts": 1}}), "BLOCKED")

        text = path.read_text("utf-8")
        assert re.search(
            r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} - INFO - Reporting event: task_error for task a$",
            text,
            re.M,
        )
        assert "ValueError: c***@example.org" in text
        assert "carol@" not in text
        assert "555-01" not in text

    with_hub(go)


def test_a_key_file_keeps_the_registration_and_only_its_owner_reads_it(with_hub):
    async def go(hub: Hub) -> None:
        path = hub.folder / "keys" / "larry.json"
        first = await hub.worker("larry", "send_email", key_file=path)
        again = await hub.worker("larry", "send_email", "document", key_file=path)

        assert first.agent_id == again.agent_id == "agent_larry"
        told = await hub.call("GET", "/agents/agent_larry/capabilities")
        assert [item["action"] for item in told["capabilities"]] == ["send_email", "document"]
        key = {"Authorization": f"Bearer {json.loads(path.read_bytes())['api_key']}"}
        refused = await hub.http.put(
            "/api/v1/agents/agent_larry/capabilities", json={"capabilities": ["*"]}, headers=key
        )
        assert refused.status_code == 403
        again.action("document")(lambda task: {})
        async with hub.working(again):
            await hub.until(await hub.start({**NOTES, "prerequisites": []}), "COMPLETED")
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        with pytest.raises(Conflict):
            await hub.worker("larry", "send_email")
        path.write_text("rubbish")
        with pytest.raises(OperatorError, match="holds no agent's key"):
            await hub.worker("larry", "send_email", key_file=path)

    with_hub(go)


def test_a_worker_with_a_wrong_key_ends_with_the_servers_words(with_hub):
    async def go(hub: Hub) -> None:
        worker = Worker(hub.url, agent_id="agent_larry", api_key="wrong")
        worker.action("send_email")(lambda task: {})

        with pytest.raises(NotAuthenticated):
            await worker.arun()

    with_hub(go)


def test_registering_says_when_no_server_is_there():
    with pytest.raises(OperatorError, match="does not answer"):
        Worker.register("http://127.0.0.1:9", token="t", name="larry", capabilities=["send_email"])


def test_an_action_has_one_handler_and_a_worker_has_some():
    worker = Worker("http://127.0.0.1:9", agent_id="agent_larry", api_key="k")

    with pytest.raises(OperatorError, match="no handlers"):
        worker.run()
    worker.action("send_email")(lambda task: {})
    with pytest.raises(InvalidInput):
        worker.action("send_email")(lambda task: {})
