"""One JSON shape for every error (spec 3, Error Response Format); nothing internal leaves."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import ValidationError
from starlette.exceptions import HTTPException

from tercet.domain.errors import AgentFailed, OperatorError, TercetError

_log = structlog.get_logger(__name__)
_CODES = {
    404: "NOT_FOUND",
    405: "METHOD_NOT_ALLOWED",
    401: "NOT_AUTHENTICATED",
    403: "NOT_ALLOWED",
    413: "TOO_LARGE",
}


def error_body(
    message: str,
    code: str,
    *,
    detail: list[dict[str, Any]] | None = None,
    hint: str | None = None,
    tool_name: str | None = None,
) -> dict[str, Any]:
    """Return the body of an error answer."""
    body: dict[str, Any] = {
        "success": False,
        "error": message,
        "code": code,
        "timestamp": datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
    }
    if tool_name:
        body["tool_name"] = tool_name
    if hint:
        body["hint"] = hint
    if detail:
        body["detail"] = detail
    return body


def field_errors(error: ValidationError | RequestValidationError) -> list[dict[str, Any]]:
    """Return one entry a field: where, which rule. The rejected values stay out of it."""
    return [
        {"field": ".".join(str(part) for part in item["loc"]), "rule": item["msg"], "type": item["type"]}
        for item in error.errors()
    ]


def install_error_handlers(app: FastAPI) -> None:
    """Render every exception in the one shape."""

    @app.exception_handler(TercetError)
    async def _tercet(request: Request, error: TercetError) -> JSONResponse:
        if isinstance(error, AgentFailed):
            _log.warning("agent.failed", path=request.url.path, code=error.code, error=error.message)
        elif isinstance(error, OperatorError):
            # A known cause that the operator mends: the way through the code says nothing about it.
            cause = str(error.__cause__ or "")
            _log.error(
                "request.failed", path=request.url.path, code=error.code, error=str(error), cause=cause
            )
        elif error.http_status >= 500:
            _log.error("request.failed", path=request.url.path, code=error.code, exc_info=error)
        headers = (
            {"WWW-Authenticate": "Bearer"} if error.http_status == 401 else getattr(error, "headers", None)
        )
        tool_name = getattr(error, "tool_name", None)
        body = error_body(
            error.message, error.code, detail=error.detail, hint=error.hint, tool_name=tool_name
        )
        return JSONResponse(body, status_code=error.http_status, headers=headers)

    @app.exception_handler(RequestValidationError)
    async def _fields(_request: Request, error: RequestValidationError) -> JSONResponse:
        detail = field_errors(error)
        return JSONResponse(error_body(_first(detail), "INVALID_INPUT", detail=detail), status_code=422)

    @app.exception_handler(HTTPException)
    async def _http(_request: Request, error: HTTPException) -> JSONResponse:
        code = _CODES.get(error.status_code, "BAD_REQUEST")
        return JSONResponse(
            error_body(str(error.detail), code), status_code=error.status_code, headers=error.headers
        )

    @app.exception_handler(Exception)
    async def _unexpected(request: Request, error: Exception) -> JSONResponse:
        _log.error("request.crashed", path=request.url.path, exc_info=error)
        return JSONResponse(error_body("the server failed; see its log", "INTERNAL_ERROR"), status_code=500)


def _first(detail: list[dict[str, Any]]) -> str:
    return f"{detail[0]['field']}: {detail[0]['rule']}" if detail else "the request is not valid"
