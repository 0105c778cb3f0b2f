"""Manifests, events, executions, approvals, ledger, tokens over HTTP."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime, timedelta

import pytest
from standardwebhooks.webhooks import Webhook
from tests.integration.web.conftest import MANIFEST, Api


def test_a_manifest_answers_its_revision_counts_and_warnings(with_api):
    async def use(api: Api) -> None:
        same = await api.call("POST", "/api/v1/manifests", status=200, content=MANIFEST)
        changed = await api.call("POST", "/api/v1/manifests", status=201, content=MANIFEST + "# changed\n")
        shown = await api.call("GET", "/api/v1/manifests/shop")
        graph = await api.http.get("/api/v1/manifests/shop/graph")
        svg = await api.http.get("/api/v1/manifests/shop/graph?format=svg")

        assert (same["revision"], changed["revision"]) == (1, 2)
        assert changed["counts"] == {"agents": 0, "functions": 4, "humans": 1, "events": 6}
        assert [r["revision"] for r in shown["revisions"]] == [2, 1]
        assert graph.text.startswith("flowchart LR")
        assert svg.headers["content-type"].startswith("image/svg+xml")

    with_api(use)


def test_a_manifest_is_refused_with_all_problems_and_can_never_cause_an_import(with_api):
    async def use(api: Api) -> None:
        text = (
            MANIFEST.replace("shop:check", "os:system")
            .replace("name: shop", "name: evil")
            .replace("order.shipped]", "order.shiped]")
        )

        answer = await api.call("POST", "/api/v1/manifests", status=422, content=text)

        rules = {problem["rule"] for problem in answer["detail"]}
        assert rules >= {"handler-not-allowed", "undeclared-event"}
        assert all(problem["line"] > 1 for problem in answer["detail"])
        assert [m["name"] for m in (await api.call("GET", "/api/v1/manifests"))["items"]] == ["shop"]

    with_api(use)


def test_a_manifest_is_checked_without_being_put_in_force(with_api):
    async def use(api: Api) -> None:
        fine = await api.call(
            "POST",
            "/api/v1/manifests/check",
            status=200,
            content=MANIFEST.replace("name: shop", "name: other"),
        )
        wrong = await api.call(
            "POST", "/api/v1/manifests/check", status=422, content=MANIFEST.replace("shop:check", "os:system")
        )

        assert fine == {"name": "other", "warnings": fine["warnings"]}
        assert wrong["detail"][0]["line"] > 1
        assert [m["name"] for m in (await api.call("GET", "/api/v1/manifests"))["items"]] == ["shop"]

    with_api(use)


def test_a_revision_that_is_no_longer_in_force_keeps_its_source(with_api):
    async def use(api: Api) -> None:
        await api.call("POST", "/api/v1/manifests", status=201, content=MANIFEST + "# changed\n")

        first = await api.call("GET", "/api/v1/manifests/shop/revisions/1")

        assert (first["revision"], first["source"]) == (1, MANIFEST)
        await api.call("GET", "/api/v1/manifests/shop/revisions/9", status=404)

    with_api(use)


def test_budgets_tell_what_is_settled_and_reserved_where_they_are_one_sum(with_api):
    async def use(api: Api) -> None:
        budgets = """config:
  budgets:
    - {scope: day, limit_usd: 5.0}
    - {scope: execution, limit_tokens: 1000, on_limit: approve}
"""
        await api.call("POST", "/api/v1/manifests", status=201, content=MANIFEST + budgets)

        day, execution = (await api.call("GET", "/api/v1/budgets"))["items"]

        assert day == {
            "manifest": "shop", "scope": "day", "name": None, "limit_usd": 5.0, "limit_tokens": None,
            "on_limit": "stop", "settled_usd": 0.0, "reserved_usd": 0.0, "tokens": 0,
        }  # fmt: skip
        assert (execution["limit_tokens"], execution["settled_usd"]) == (1000, None)

    with_api(use)


def test_throughput_counts_executions_by_the_hour_in_which_they_began(with_api):
    async def use(api: Api) -> None:
        for number in range(3):
            body = {"name": "order.placed", "data": {"order_id": f"o{number}"}}
            await api.call("POST", "/api/v1/events", status=201, json=body)

        items = (await api.call("GET", "/api/v1/throughput?hours=6"))["items"]

        assert len(items) == 6
        assert sum(item["started"] for item in items[-2:]) == 3
        assert [item["started"] for item in items[:4]] == [0, 0, 0, 0]

    with_api(use)


def test_an_event_is_answered_after_its_commit_and_a_key_makes_it_once(with_api):
    async def use(api: Api) -> None:
        body = {"name": "order.placed", "data": {"order_id": "o1"}, "idempotency_key": "k1"}

        first = await api.call("POST", "/api/v1/events", status=201, json=body)
        again = await api.call("POST", "/api/events", status=201, json=body)
        other = await api.call(
            "POST", "/api/v1/events", status=409, json={**body, "data": {"order_id": "o2"}}
        )

        assert set(first) == {"event_id", "execution_id", "recorded_at", "duplicate"}
        assert again == {**first, "duplicate": True}
        assert other["code"] == "CONFLICT"
        assert await api.count() == 1

    with_api(use)


def test_a_list_of_events_is_checked_whole_before_any_is_stored(with_api):
    async def use(api: Api) -> None:
        good = {"name": "order.placed", "data": {"order_id": "o"}}

        refused = await api.call(
            "POST", "/api/v1/events", status=422, json=[good, {"name": "order.placed", "data": {}}]
        )
        assert refused["detail"][0]["field"].startswith("1.data")
        assert await api.count() == 0

        receipts = await api.call("POST", "/api/v1/events", status=201, json=[good, good])
        assert len({receipt["execution_id"] for receipt in receipts}) == 2

    with_api(use)


def test_a_signed_webhook_starts_its_function_once_and_a_forged_one_does_not(with_api, monkeypatch):
    secret = "whsec_" + base64.b64encode(b"0123456789abcdef0123456789abcdef").decode()
    monkeypatch.setenv("TERCET_HOOK_PAY", secret)
    body = json.dumps({"paid": True})

    def headers(at: datetime, payload: str = body) -> dict[str, str]:
        signature = Webhook(secret).sign("msg_1", at, payload)
        return {
            "webhook-id": "msg_1",
            "webhook-timestamp": str(int(at.timestamp())),
            "webhook-signature": signature,
            "authorization": "",
        }

    async def use(api: Api) -> None:
        now, path = datetime.now(UTC), "/api/v1/hooks/shop/pay"
        first = await api.call("POST", path, status=201, content=body, headers=headers(now))
        again = await api.call("POST", path, status=201, content=body, headers=headers(now))
        await api.call("POST", path, status=401, content=body, headers=headers(now, "other"))
        await api.call("POST", path, status=401, content=body, headers=headers(now - timedelta(minutes=6)))
        await api.call("POST", path, status=401, content=body, headers={"authorization": ""})
        await api.call(
            "POST", "/api/v1/hooks/shop/open/door", status=401, content=body, headers={"authorization": ""}
        )
        await api.call("POST", "/api/v1/hooks/shop/open/door", status=201, content=body)
        await api.call("POST", "/api/v1/hooks/shop/nothing", status=404, content=body)
        await api.idle()

        assert again == {**first, "duplicate": True}
        shown = await api.call("GET", f"/api/v1/executions/{first['execution_id']}")
        assert shown["status"] == "COMPLETED"
        assert shown["tasks"][0]["result_data"] == {"body": {"paid": True}}

    with_api(use)


def test_an_execution_shows_its_tasks_events_costs_and_progress(with_api):
    async def use(api: Api) -> None:
        execution_id = await api.place()
        shown = await api.call("GET", f"/api/v1/executions/{execution_id}")
        events = await api.call("GET", f"/api/v1/executions/{execution_id}/events?limit=3")
        rest = await api.call(
            "GET", f"/api/v1/executions/{execution_id}/events?limit=500&cursor={events['next_cursor']}"
        )
        listed = await api.call("GET", "/api/v1/executions?status=BLOCKED&kind=manifest")

        assert (shown["status"], shown["progress"]) == (
            "BLOCKED",
            {"tasks_total": 2, "tasks_completed": 1, "percent": 50},
        )
        assert [task["handler"] for task in shown["tasks"]] == ["check", "review"]
        assert shown["costs"]["cost_usd"] == 0
        seqs = [event["seq"] for event in events["items"] + rest["items"]]
        assert seqs == list(range(len(seqs), 0, -1))
        assert [item["execution_id"] for item in listed["items"]] == [execution_id]

    with_api(use)


def test_executions_are_paged_by_cursor(with_api):
    async def use(api: Api) -> None:
        made = [await api.place() for _ in range(5)]

        seen: list[str] = []
        cursor = None
        while True:
            page = await api.call(
                "GET", "/api/v1/executions", params={"limit": 2, **({"cursor": cursor} if cursor else {})}
            )
            seen += [item["execution_id"] for item in page["items"]]
            cursor = page["next_cursor"]
            if cursor is None:
                break

        assert seen == sorted(made, reverse=True)

    with_api(use)


def test_statuses_change_along_the_table_only(with_api):
    async def use(api: Api) -> None:
        path = f"/api/v1/executions/{await api.place()}"

        assert (await api.call("PATCH", path, json={"status": "PAUSED"}))["status"] == "PAUSED"
        assert (await api.call("PATCH", path, content='{"status": "RUNNING"}'))["status"] == "BLOCKED"
        assert (await api.call("PATCH", path, json={"status": "CANCELLED"}))["status"] == "CANCELLED"
        refused = await api.call("PATCH", path, status=409, json={"status": "RUNNING"})
        assert refused["code"] == "INVALID_STATE_TRANSITION"
        await api.call("PATCH", path, status=422, json={"status": "COMPLETED"})
        new = await api.call("POST", f"{path}/retry", status=201)
        assert new["retry_of"] == path.rsplit("/", 1)[1]

    with_api(use)


def test_a_failed_task_is_retried_or_skipped(with_api):
    async def use(api: Api) -> None:
        execution_id = await api.place(fail=True)
        path = f"/api/v1/executions/{execution_id}"
        [task] = (await api.call("GET", path))["tasks"]
        assert (task["status"], task["error_message"]) == ("ERROR", "out of stock")

        await api.call("POST", f"{path}/tasks/{task['task_id']}/retry")
        await api.idle()
        assert (await api.call("GET", path))["tasks"][0]["attempt"] == 2
        assert (await api.call("POST", f"{path}/tasks/{task['task_id']}/skip"))["status"] == "COMPLETED"
        await api.call("POST", f"{path}/tasks/{task['task_id']}/retry", status=404)

    with_api(use)


def test_an_approval_is_decided_once_and_getting_it_decides_nothing(with_api):
    async def use(api: Api) -> None:
        execution_id = await api.place()
        [listed] = (await api.call("GET", "/api/v1/approvals?status=pending"))["items"]
        path = f"/api/v1/approvals/{listed['approval_id']}"
        shown = await api.call("GET", path)
        await api.call("GET", f"{path}/decision", status=405)
        for role in ("viewer", "agent"):
            await api.call(
                "POST",
                f"{path}/decision",
                status=403,
                headers=await api.token(role),
                json={"decision": "approve"},
            )

        body = {"decision": "approve", "edits": {"note": "better"}, "digest": shown["digest"]}
        decided = await api.call("POST", f"{path}/decision", json=body)
        late = await api.call(
            "POST", f"{path}/decision", status=409, json={"decision": "reject", "feedback": "no"}
        )
        await api.idle()

        assert (decided["status"], decided["decided_by"]) == ("approved", "admin")
        assert late["detail"][0]["decided_by"] == "admin"
        done = await api.call("GET", f"/api/v1/executions/{execution_id}")
        assert done["tasks"][-1]["result_data"] == {"note": "better"}

    with_api(use)


def test_an_approval_can_be_reassigned_and_revoked(with_api):
    async def use(api: Api) -> None:
        await api.place()
        [listed] = (await api.call("GET", "/api/v1/approvals"))["items"]
        path = f"/api/v1/approvals/{listed['approval_id']}"
        carol = await api.token("member", "carol")

        await api.call("POST", f"{path}/decision", status=403, headers=carol, json={"decision": "approve"})
        await api.call("POST", f"{path}/decision", json={"decision": "reassign", "assign_to": ["carol"]})
        await api.call("POST", f"{path}/decision", headers=carol, json={"decision": "approve"})
        revoked = await api.call("POST", f"{path}/revoke", json={"reason": "wrong price"})

        assert revoked["status"] == "revoked"

    with_api(use)


@pytest.mark.parametrize("group", ["agent", "model", "execution", "day"])
def test_the_ledger_groups_and_says_which_models_answer(with_api, group):
    async def use(api: Api) -> None:
        answer = await api.call("GET", f"/api/v1/ledger?group_by={group}")

        assert answer["items"] == []
        assert "mock Claude answers" in answer["note"]

    with_api(use)


def test_health_readiness_metrics_and_the_description_need_no_token(with_api):
    async def use(api: Api) -> None:
        await api.place()
        api.http.headers.pop("authorization")

        assert (await api.call("GET", "/healthz"))["status"] == "ok"
        assert (await api.call("GET", "/readyz"))["status"] == "ready"
        assert 'tercet_executions{status="BLOCKED"} 1.0' in (await api.http.get("/metrics")).text
        paths = (await api.call("GET", "/api/openapi.json"))["paths"]
        assert {"/api/v1/manifests", "/api/v1/events", "/api/v1/approvals/{approval_id}/decision"} <= set(
            paths
        )

    with_api(use)
