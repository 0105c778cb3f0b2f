"""The API's error envelope, headers and statuses."""

from __future__ import annotations

from typing import Any

from starlette.responses import JSONResponse

TYPES = {
    400: "invalid_request_error", 401: "authentication_error", 402: "billing_error", 403: "permission_error",
    404: "not_found_error", 409: "conflict_error", 413: "request_too_large", 429: "rate_limit_error", 500: "api_error",
    504: "timeout_error", 529: "overloaded_error",
}  # fmt: skip


class ApiError(Exception):
    """An error that the API answers with."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        error_type: str | None = None,
        code: str | None = None,
        retry_after_seconds: float | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        fallback = "invalid_request_error" if status < 500 else "api_error"
        self.error_type = error_type or TYPES.get(status, fallback)
        self.code = code
        self.retry_after_seconds = retry_after_seconds

    def envelope(self, request_id: str) -> dict[str, Any]:
        """Return the body."""
        error: dict[str, Any] = {"type": self.error_type, "message": self.message}
        if self.code is not None:
            error["details"] = {"error_code": self.code}
        return {"type": "error", "error": error, "request_id": request_id}

    def response(self, request_id: str, headers: dict[str, str] | None = None) -> JSONResponse:
        """Return the answer with its headers."""
        headers = {**(headers or {}), "request-id": request_id}
        if self.retry_after_seconds is not None:
            headers["retry-after"] = f"{self.retry_after_seconds:g}"
        return JSONResponse(self.envelope(request_id), status_code=self.status, headers=headers)
