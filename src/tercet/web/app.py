"""The FastAPI app: every route under /api/v1, which /api means too; the dashboard everywhere else."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, FastAPI

import tercet
from tercet.web import (
    agents,
    approvals,
    chat,
    chat_socket,
    custody,
    events,
    executions,
    loop,
    manifests,
    operations,
    plan_executions,
    plans,
    projects,
    streams,
    tools,
    webhooks,
    workers,
)
from tercet.web.access import BODY_COMPONENTS
from tercet.web.agent_access import AgentRates
from tercet.web.api_prefix import ApiPrefix
from tercet.web.body_limit import BodyLimit
from tercet.web.dashboard import Dashboard
from tercet.web.errors import install_error_handlers
from tercet.wiring import Tercet

_ROUTERS: tuple[APIRouter, ...] = (
    plan_executions.router, workers.router, manifests.router, events.router, executions.router,
    approvals.router, operations.router, agents.router, tools.router, plans.router, webhooks.router, streams.router,
    chat.router, chat_socket.router, projects.router, loop.router, custody.router,
)  # fmt: skip


def create_app(node: Tercet | None = None, *, max_body_bytes: int = 5_000_000) -> FastAPI:
    """Return the app over a running node. Without one it serves its description only."""
    app = FastAPI(
        title="Tercet",
        version=tercet.__version__,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
    )
    app.state.node = node
    app.state.agent_rates = AgentRates(node.settings.agent_requests_per_minute if node else 100)
    for router in _ROUTERS:
        app.include_router(router, prefix="/api/v1")
    app.include_router(operations.plain)
    app.router.default = Dashboard(app.router.default)
    install_error_handlers(app)
    _complete_description(app)
    app.add_middleware(ApiPrefix)
    app.add_middleware(BodyLimit, max_bytes=max_body_bytes)
    return app


def _complete_description(app: FastAPI) -> None:
    """Add what the bodies refer to; routes that parse their own body leave FastAPI without it."""
    describe = app.openapi

    def openapi() -> dict[str, Any]:
        schema = describe()
        schemas = schema.setdefault("components", {}).setdefault("schemas", {})
        for name, part in BODY_COMPONENTS.items():
            schemas.setdefault(name, part)
        return schema

    app.openapi = openapi  # type: ignore[method-assign]
