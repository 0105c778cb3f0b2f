"""The dashboard is served beside the API and never in its place."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from tercet.web.dashboard import Dashboard
from tercet.web.errors import install_error_handlers


@pytest.fixture
async def browser(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    """A client of an app with a small build."""
    (tmp_path / "assets").mkdir()
    (tmp_path / ".vite").mkdir()
    (tmp_path / "index.html").write_text('<script nonce="CSP_NONCE" src="/assets/main-1.js"></script>')
    (tmp_path / "assets" / "main-1.js").write_text("start()")
    (tmp_path / ".vite" / "manifest.json").write_text("{}")
    app = FastAPI(openapi_url=None)
    app.router.default = Dashboard(app.router.default, tmp_path)
    install_error_handlers(app)
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://tercet.test") as client:
        yield client


@pytest.mark.parametrize("address", ["/", "/inbox", "/executions/exe_1?tab=graph", "/.vite/manifest.json"])
async def test_dashboard_answers_its_page_when_no_file_fits(browser: httpx.AsyncClient, address: str):
    response = await browser.get(address)

    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/html")
    assert response.headers["cache-control"] == "no-store"


async def test_dashboard_page_has_a_new_nonce_each_time(browser: httpx.AsyncClient):
    first, second = [await browser.get("/") for _ in range(2)]

    nonce = first.text.split('nonce="')[1].split('"')[0]
    assert f"'nonce-{nonce}'" in first.headers["content-security-policy"]
    assert "unsafe" not in first.headers["content-security-policy"]
    assert nonce not in second.text


async def test_dashboard_files_are_packed_and_last(browser: httpx.AsyncClient):
    response = await browser.get("/assets/main-1.js", headers={"Accept-Encoding": "gzip"})

    assert response.text == "start()"
    assert response.headers["content-encoding"] == "gzip"
    assert "immutable" in response.headers["cache-control"]


@pytest.mark.parametrize("address", ["/api/v1/nothing", "/api", "/metrics/x", "/assets/gone.js"])
async def test_dashboard_leaves_other_doors_alone(browser: httpx.AsyncClient, address: str):
    response = await browser.get(address)

    assert response.status_code == 404
    assert response.json()["code"] == "NOT_FOUND"


async def test_dashboard_takes_no_post(browser: httpx.AsyncClient):
    response = await browser.post("/inbox")

    assert response.status_code == 404


async def test_dashboard_is_absent_without_a_build(tmp_path: Path):
    app = FastAPI(openapi_url=None)
    app.router.default = Dashboard(app.router.default, tmp_path / "nothing")
    install_error_handlers(app)

    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app=app), base_url="http://tercet.test"
    ) as client:
        response = await client.get("/")

    assert response.status_code == 404
