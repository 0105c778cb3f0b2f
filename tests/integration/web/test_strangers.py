"""Every route, walked with the token of another owner: nothing of the first owner's is seen or changed."""

from __future__ import annotations

import json
from typing import Any

from tercet.web.app import create_app

TASK = {"task_id": "t", "subtasks": [{"subtask_id": "s", "action": "x"}]}
PLAN = {"title": "Secret plan", "phases": [{"phase_id": "p", "tasks": [TASK]}]}
OPEN = {"/healthz", "/readyz", "/metrics"}
"""Without a token by design: they say nothing of anybody's data."""
BY_SIGNATURE = {"/api/v1/hooks/{manifest}/{path}"}


async def furnish(api: Any) -> dict[str, str]:
    """Give the first owner one of everything; return ids by the name of their path parameter."""
    execution_id = await api.place()
    execution = await api.call("GET", f"/api/v1/executions/{execution_id}")
    approval = (await api.call("GET", "/api/v1/approvals"))["items"][0]
    agent = await api.call("POST", "/api/v1/agents", json={"name": "private", "model": "haiku"})
    worker = await api.call(
        "POST", "/api/v1/agents/register", status=201, json={"name": "w", "capabilities": ["x"]}
    )
    plan = await api.call("POST", "/api/v1/plans/import", status=201, content=json.dumps(PLAN))
    started = {"plan_id": plan["plan_id"], "agent_id": worker["agent_id"]}
    running = await api.call("POST", "/api/v1/executions", status=201, json=started)
    project = await api.call("POST", "/api/v1/projects", status=201, json={"name": "Hush"})
    chat = {"project_id": project["project_id"], "message": "Hello"}
    turn = await api.call("POST", "/api/v1/chat?wait=20", status=200, json=chat)
    files = {"file": ("note.txt", b"a private note", "text/plain")}
    document = await api.call(
        "POST", f"/api/v1/projects/{project['project_id']}/documents", status=201, files=files
    )
    hook = await api.call(
        "POST", "/api/v1/webhooks/register", status=201, json={"url": "https://example.org/h"}
    )
    token = await api.call(
        "POST", "/api/v1/tokens", status=201, json={"user": "private-user", "role": "viewer"}
    )
    return {
        "execution_id": execution_id, "approval_id": approval["approval_id"], "agent_id": agent["id"],
        "plan_id": plan["plan_id"], "webhook_id": hook["webhook_id"], "token_id": token["token_id"], "name": "shop",
        "manifest": "shop", "conversation_id": turn["conversation_id"], "project_id": project["project_id"],
        "document_id": document["document_id"], "item_id": approval["approval_id"],
        "task_id": execution["tasks"][0]["task_id"], "worker": worker["agent_id"], "running": running["execution_id"],
        "path": "pay", "tool_name": "calculator", "key_id": "k1",
    }  # fmt: skip


def walk(paths: dict[str, Any]) -> list[tuple[str, str]]:
    return [
        (path, method.upper())
        for path, methods in paths.items()
        for method in methods
        if path not in OPEN | BY_SIGNATURE and not path.endswith("/stream")
    ]


def test_a_strangers_token_sees_and_changes_nothing_on_any_route(with_api):
    async def use(api: Any) -> None:
        ids = await furnish(api)
        _, token = await api.node.tokens.create(user="eve", role="owner", owner_id="somebody-else")
        headers = {"Authorization": f"Bearer {token}"}
        before = await api.call("GET", "/api/v1/executions?limit=500")
        secrets = {v for k, v in ids.items() if "_" in v and k.endswith("_id")} | {
            "Secret plan",
            "private-user",
        }
        routes = walk(create_app().openapi()["paths"])
        assert len(routes) > 40
        leaks = []
        for path, method in routes:
            for known in (ids, {**ids, "agent_id": ids["worker"], "execution_id": ids["running"]}):
                url = path.format_map(known)
                body = {"plan_id": known["plan_id"], "agent_id": known["agent_id"], "status": "CANCELLED"}
                answer = await api.http.request(method, url, headers=headers, json=body)
                asked_for = {part for part in url.split("/") if part} | set(body.values())
                shown = [s for s in secrets - asked_for if s in answer.text]
                if shown or ("{" in path and answer.is_success and ids["tool_name"] not in url):
                    leaks.append((method, path, answer.status_code, shown))
        assert leaks == []
        assert (await api.call("GET", "/api/v1/executions?limit=500"))["items"] == before["items"]

    with_api(use)


def test_no_route_answers_without_a_token(with_api):
    async def use(api: Any) -> None:
        ids = await furnish(api)
        del api.http.headers["authorization"]
        answered = []
        for path, method in walk(create_app().openapi()["paths"]):
            body = {"agent_id": ids["worker"], "event_type": "heartbeat"}
            answer = await api.http.request(method, path.format_map(ids), json=body)
            if answer.status_code != 401:
                answered.append((method, path, answer.status_code))
        assert answered == []

    with_api(use)


def test_streams_are_closed_to_strangers(with_api):
    async def use(api: Any) -> None:
        ids = await furnish(api)
        _, token = await api.node.tokens.create(user="eve", role="owner", owner_id="somebody-else")
        answer = await api.http.get(f"/api/executions/{ids['running']}/stream?token={token}")
        assert answer.status_code == 404

    with_api(use)
