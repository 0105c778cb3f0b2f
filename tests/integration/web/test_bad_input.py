"""Bad input: a clear 4xx with field and rule, nothing stored, nothing internal."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from tests.integration.web.conftest import Api

EVENT = {"name": "order.placed", "data": {"order_id": "o1"}}
DEEP = b'{"name": "order.placed", "data": {"order_id": "o", "x": ' + b"[" * 20_000 + b"]" * 20_000 + b"}}"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (b"", "body"),
        (b"{", "body"),
        (b"\xff\xfe", "body"),
        (b'"text"', None),
        (b"[]", None),
        (b"{}", "name"),
        (b'{"name": 5}', "name"),
        (b'{"name": "order.placed", "data": []}', "data"),
        (b'{"name": "order.placed", "data": {}}', "data"),
        (b'{"name": "order.placed", "data": {"order_id": 5}}', "data/order_id"),
        (b'{"name": "order.placed", "data": {"order_id": "o"}, "surprise": 1}', "surprise"),
        (b'{"name": "order.palced"}', "name"),
        (b'{"name": "order.placed", "data": {"order_id": "o"}, "idempotency_key": ""}', "idempotency_key"),
        (b'{"name": "order.placed", "data": {"order_id": "\\ud800"}}', None),
        (DEEP, None),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_an_event_is_refused_with_its_field_and_nothing_is_stored(with_api, body, field):
    async def use(api: Api) -> None:
        answer = await api.http.post("/api/v1/events", content=body)

        assert answer.status_code == 422, answer.text[:300]
        error = answer.json()
        assert error["success"] is False
        assert {"error", "code", "timestamp"} <= set(error)
        if field is not None:
            assert error["detail"][0]["field"] == field
        assert await api.count() == 0

    with_api(use)


def test_a_body_over_the_cap_is_refused_declared_or_not(with_api):
    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(50):
            yield b"x" * 10_000

    async def use(api: Api) -> None:
        declared = await api.http.post("/api/v1/events", content=b"x" * 200_001)
        streamed = await api.http.post("/api/v1/events", content=chunks())

        assert (declared.status_code, streamed.status_code) == (413, 413)
        assert declared.json()["code"] == streamed.json()["code"] == "TOO_LARGE"

    with_api(use)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/v1/executions"),
        ("POST", "/api/v1/events"),
        ("GET", "/api/v1/approvals"),
        ("POST", "/api/v1/manifests"),
        ("GET", "/api/v1/ledger"),
        ("GET", "/api/v1/tokens"),
    ],
)
@pytest.mark.parametrize("header", ["", "Bearer ", "Bearer wrong", "Basic YTpi"])
def test_every_route_wants_a_known_token(with_api, method, path, header):
    async def use(api: Api) -> None:
        answer = await api.http.request(method, path, headers={"authorization": header})

        assert answer.status_code == 401
        assert answer.json()["code"] == "NOT_AUTHENTICATED"

    with_api(use)


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/executions/exe_nothing", "/api/v1/executions/..%2f..%2fetc", "/api/v1/approvals/x' OR 1=1",
        "/api/v1/manifests/nothing", "/api/v1/nothing", "/api/v1/executions/%00",
    ],
)  # fmt: skip
def test_what_does_not_exist_is_not_found(with_api, path):
    async def use(api: Api) -> None:
        answer = await api.http.get(path)

        assert answer.status_code == 404
        assert answer.json()["code"] == "NOT_FOUND"

    with_api(use)


@pytest.mark.parametrize("query", ["limit=0", "limit=501", "limit=x", "status=NOPE", "cursor=" + "x" * 200])
def test_a_query_is_refused_when_a_parameter_is_wrong(with_api, query):
    async def use(api: Api) -> None:
        answer = await api.http.get(f"/api/v1/executions?{query}")

        assert answer.status_code == 422
        assert answer.json()["detail"][0]["field"].startswith("query.")

    with_api(use)


def test_a_viewer_reads_and_changes_nothing(with_api):
    async def use(api: Api) -> None:
        viewer = await api.token("viewer")

        assert (await api.http.get("/api/v1/executions", headers=viewer)).status_code == 200
        for method, path in (
            ("POST", "/api/v1/events"),
            ("POST", "/api/v1/manifests"),
            ("POST", "/api/v1/tokens"),
        ):
            assert (await api.http.request(method, path, headers=viewer, json=EVENT)).status_code == 403

    with_api(use)


def test_a_revoked_token_is_refused(with_api):
    async def use(api: Api) -> None:
        headers = await api.token("member", "bob")
        [bob] = [t for t in (await api.call("GET", "/api/v1/tokens"))["items"] if t["user"] == "bob"]
        assert (await api.http.get("/api/v1/executions", headers=headers)).status_code == 200

        await api.call("DELETE", f"/api/v1/tokens/{bob['token_id']}", status=204)

        assert (await api.http.get("/api/v1/executions", headers=headers)).status_code == 401

    with_api(use)


def test_a_crash_inside_shows_nothing_internal(with_api, monkeypatch):
    async def use(api: Api) -> None:
        async def broken(**_: object) -> None:
            raise RuntimeError("secret /var/lib/tercet")

        monkeypatch.setattr(api.node.events, "send", broken)
        answer = await api.http.post("/api/v1/events", json=EVENT)

        assert answer.status_code == 500
        assert answer.json()["code"] == "INTERNAL_ERROR"
        assert "secret" not in answer.text

    with_api(use)
