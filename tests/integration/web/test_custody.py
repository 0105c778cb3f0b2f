"""Keys, archives and exports over HTTP: what they do, and who may."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import pytest
from tests.integration.web.conftest import Api


async def ended(api: Api) -> str:
    """Place an order whose review is rejected; return the execution."""
    execution_id = await api.place()
    (approval,) = (await api.call("GET", "/api/v1/approvals?status=pending"))["items"]
    decision = {"decision": "reject", "feedback": "no"}
    await api.call("POST", f"/api/v1/approvals/{approval['approval_id']}/decision", json=decision)
    await api.idle()
    return execution_id


def test_keys_rotate_and_the_old_one_goes_once_nothing_needs_it(with_api):
    async def use(api: Api) -> None:
        execution_id = await ended(api)
        before = await api.call("GET", f"/api/v1/executions/{execution_id}")
        await api.call("DELETE", "/api/v1/keys/k1", status=409)

        assert await api.call("POST", "/api/v1/keys/rotate", status=201) == {"key_id": "k2"}
        done: dict[str, Any] = {"cursor": None}
        while (
            done != {}
            and (done := await api.call("POST", "/api/v1/keys/reseal", params=_place(done)))["cursor"]
        ):
            assert done["unreadable"] == 0
        await api.call("DELETE", "/api/v1/keys/k1", status=204)

        keys = (await api.call("GET", "/api/v1/keys"))["items"]
        assert [(key["key_id"], key["is_active"], key["is_known"]) for key in keys] == [("k2", True, True)]
        assert await api.call("GET", f"/api/v1/executions/{execution_id}") == before
        await api.call("POST", "/api/v1/keys/reseal?cursor=nonsense", status=422)

    with_api(use)


def _place(done: dict[str, Any]) -> dict[str, str]:
    return {"cursor": done["cursor"]} if done["cursor"] else {}


def test_an_execution_is_archived_verified_and_restored(with_api):
    async def use(api: Api) -> None:
        execution_id = await ended(api)
        before = await api.call("GET", f"/api/v1/executions/{execution_id}")
        counted = await api.call("POST", "/api/v1/archive?older_than=0s&dry_run=true")
        archived = await api.call("POST", "/api/v1/archive?older_than=0s")

        assert counted == {"dry_run": True, "executions": 1, "by_owner": {"local": 1}}
        assert (archived["executions"], archived["cursor"]) == (1, None)
        gone = await api.call("GET", f"/api/v1/executions/{execution_id}", status=404)
        assert f"tercet archive restore {execution_id}" in gone["hint"]
        assert await api.call("GET", "/api/v1/archive/verify") == {"files": 1, "problems": []}

        restored = await api.call("POST", f"/api/v1/archive/restore?target={execution_id}")
        assert restored == {"execution_ids": [execution_id]}
        assert await api.call("GET", f"/api/v1/executions/{execution_id}") == before
        await api.call("POST", "/api/v1/archive/restore?target=exe_none", status=404)
        await api.call("POST", "/api/v1/archive?older_than=soon", status=422)

    with_api(use)


def test_an_export_is_a_zip_of_the_callers_owner(with_api):
    async def use(api: Api) -> None:
        execution_id = await ended(api)
        answer = await api.http.get("/api/export")

        packed = zipfile.ZipFile(io.BytesIO(answer.content))
        executions = packed.read("tables/executions.jsonl").decode().splitlines()
        assert answer.headers["content-type"] == "application/zip"
        assert [json.loads(line)["id"] for line in executions] == [execution_id]

        _, token = await api.node.tokens.create(user="eve", role="owner", owner_id="other")
        theirs = {"Authorization": f"Bearer {token}"}
        other = zipfile.ZipFile(io.BytesIO((await api.http.get("/api/export", headers=theirs)).content))
        assert other.read("tables/executions.jsonl") == b""
        await api.call("GET", "/api/v1/export?owner=local", status=403, headers=theirs)
        for_eve = zipfile.ZipFile(io.BytesIO((await api.http.get("/api/export?owner=other")).content))
        assert json.loads(for_eve.read("tables/tokens.jsonl"))["user"] == "eve"

    with_api(use)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/keys"), ("POST", "/keys/rotate"), ("POST", "/keys/reseal"), ("DELETE", "/keys/k1"),
        ("POST", "/archive?older_than=0s"), ("GET", "/archive/verify"), ("POST", "/archive/restore?target=x"),
        ("GET", "/export"),
    ],
)  # fmt: skip
def test_nobody_but_the_owner_may(with_api, method, path):
    async def use(api: Api) -> None:
        for role in ("admin", "member", "viewer", "agent"):
            await api.call(method, f"/api/v1{path}", status=403, headers=await api.token(role))
        if path != "/export":
            _, token = await api.node.tokens.create(user="eve", role="owner", owner_id="other")
            await api.call(method, f"/api/v1{path}", status=403, headers={"Authorization": f"Bearer {token}"})

    with_api(use)
