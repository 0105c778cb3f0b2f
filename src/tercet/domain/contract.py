"""The executor contract: request in, result out (spec 1, field by field).

An executor is stateless and single-shot. It never raises, never retries, never talks to the store or to a
front end, and never decides whether it should run; the engine does all of that.
"""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field, field_serializer


class _Wire(BaseModel):
    model_config = ConfigDict(extra="forbid")

    def to_wire(self) -> dict[str, Any]:
        """Return the JSON form, without fields that nobody set."""
        return self.model_dump(mode="json", exclude_unset=True)


class TaskSpec(_Wire):
    """What to do, not how. Executors read their own further fields (see docs/reference/executors.md)."""

    model_config = ConfigDict(extra="allow")

    task_type: str | None = None
    prompt: str | None = None
    input_variables: dict[str, Any] = Field(default_factory=dict)

    def field(self, name: str, default: Any = None) -> Any:
        """Return an executor-specific field."""
        return (self.model_extra or {}).get(name, default)


class Message(_Wire):
    """One line of a conversation."""

    role: Literal["user", "assistant", "system"]
    content: str


class RetrievedDocument(_Wire):
    """A snippet that the backend chose to show."""

    model_config = ConfigDict(extra="allow")

    title: str
    snippet: str


class ExecutionContext(_Wire):
    """What the executor may know; it fetches nothing itself."""

    model_config = ConfigDict(extra="allow")

    project_id: int | str | None = None
    conversation_snippet: list[Message] = Field(default_factory=list)
    retrieved_documents: list[RetrievedDocument] = Field(default_factory=list)


class Constraints(_Wire):
    """Limits of one call. `max_cost_usd` is checked against an estimate before the call."""

    max_tokens: int | None = Field(default=None, ge=1)
    temperature: float | None = Field(default=None, ge=0, le=2)
    allowed_models: list[str] = Field(default_factory=list)
    timeout_ms: int | None = Field(default=None, ge=1, le=86_400_000)
    max_cost_usd: Decimal | None = Field(default=None, ge=0)


class ExecutorRequest(_Wire):
    """Backend → executor."""

    task_id: str = Field(min_length=1, max_length=200)
    executor_type: str = Field(min_length=1, max_length=100)
    task: TaskSpec
    execution_context: ExecutionContext = Field(default_factory=ExecutionContext)
    constraints: Constraints = Field(default_factory=Constraints)


class ErrorCode(StrEnum):
    """Why an executor failed; docs/reference/error-codes.md says who acts next."""

    MODEL_TIMEOUT = "MODEL_TIMEOUT"
    MODEL_RATE_LIMITED = "MODEL_RATE_LIMITED"
    MODEL_QUOTA_EXCEEDED = "MODEL_QUOTA_EXCEEDED"
    MODEL_OVERLOADED = "MODEL_OVERLOADED"
    MODEL_UNAVAILABLE = "MODEL_UNAVAILABLE"
    MODEL_AUTHENTICATION = "MODEL_AUTHENTICATION"
    MODEL_NOT_FOUND = "MODEL_NOT_FOUND"
    MODEL_NOT_ALLOWED = "MODEL_NOT_ALLOWED"
    MODEL_REFUSED = "MODEL_REFUSED"
    MODEL_ERROR = "MODEL_ERROR"
    CONTEXT_LENGTH_EXCEEDED = "CONTEXT_LENGTH_EXCEEDED"
    OUTPUT_INVALID = "OUTPUT_INVALID"
    OUTPUT_TRUNCATED = "OUTPUT_TRUNCATED"
    INVALID_INPUT = "INVALID_INPUT"
    TEMPLATE_ERROR = "TEMPLATE_ERROR"
    MISSING_VARIABLE = "MISSING_VARIABLE"
    DOCUMENT_UNSUPPORTED = "DOCUMENT_UNSUPPORTED"
    DOCUMENT_TOO_LARGE = "DOCUMENT_TOO_LARGE"
    DOCUMENT_ERROR = "DOCUMENT_ERROR"
    TOOL_NOT_FOUND = "TOOL_NOT_FOUND"
    TOOL_ERROR = "TOOL_ERROR"
    COST_LIMIT_EXCEEDED = "COST_LIMIT_EXCEEDED"
    EXECUTOR_NOT_FOUND = "EXECUTOR_NOT_FOUND"
    EXECUTOR_ERROR = "EXECUTOR_ERROR"


RETRYABLE = frozenset(
    {
        ErrorCode.MODEL_TIMEOUT,
        ErrorCode.MODEL_RATE_LIMITED,
        ErrorCode.MODEL_OVERLOADED,
        ErrorCode.MODEL_UNAVAILABLE,
        ErrorCode.MODEL_ERROR,
        ErrorCode.OUTPUT_INVALID,
        ErrorCode.OUTPUT_TRUNCATED,
        ErrorCode.TOOL_ERROR,
        ErrorCode.EXECUTOR_ERROR,
    }
)
"""Codes after which the same request may succeed."""


FALLS_BACK = frozenset(
    {
        ErrorCode.MODEL_TIMEOUT,
        ErrorCode.MODEL_RATE_LIMITED,
        ErrorCode.MODEL_QUOTA_EXCEEDED,
        ErrorCode.MODEL_OVERLOADED,
        ErrorCode.MODEL_UNAVAILABLE,
        ErrorCode.MODEL_AUTHENTICATION,
        ErrorCode.MODEL_NOT_FOUND,
        ErrorCode.MODEL_ERROR,
    }
)
"""Codes after which another model may answer the same request."""


class ExecutorError(_Wire):
    """Why there is no result. The message is fit for users: no internals."""

    code: ErrorCode | str
    message: str
    retry_after_seconds: float | None = None

    @property
    def retryable(self) -> bool:
        """Whether the orchestrator may try the same request again."""
        return self.code in RETRYABLE


class Usage(_Wire):
    """What the call used; the engine trusts it but verifies (spec 1 §3)."""

    tokens_input: int = Field(default=0, ge=0)
    tokens_output: int = Field(default=0, ge=0)
    total_tokens: int = Field(default=0, ge=0)
    estimated_cost: Decimal = Field(default=Decimal(0), ge=0)
    """US dollars."""
    cache_read_tokens: int = Field(default=0, ge=0)
    """Part of tokens_input."""
    cache_write_tokens: int = Field(default=0, ge=0)
    """Part of tokens_input."""
    unpriced: bool = False
    """No price is known for the model: the cost is not 0, it is unknown."""
    ignored_constraints: list[str] = Field(default_factory=list)
    """Constraints that the model's API has no place for."""

    @field_serializer("estimated_cost", when_used="json")
    def _as_number(self, value: Decimal) -> float:
        return float(value)


class ExecutorResult(_Wire):
    """Executor → backend."""

    model_config = ConfigDict(extra="forbid", protected_namespaces=())

    status: Literal["success", "failed", "partial"]
    result: dict[str, Any] | None = None
    usage: Usage | None = None
    model_used: str | None = None
    error: ExecutorError | None = None

    @classmethod
    def failure(
        cls,
        code: ErrorCode | str,
        message: str,
        *,
        usage: Usage | None = None,
        model_used: str | None = None,
        retry_after_seconds: float | None = None,
    ) -> ExecutorResult:
        """Return a failed result."""
        error = ExecutorError(code=code, message=message)
        if retry_after_seconds is not None:
            error = ExecutorError(code=code, message=message, retry_after_seconds=retry_after_seconds)
        fields: dict[str, Any] = {"status": "failed", "error": error}
        if usage is not None:
            fields["usage"] = usage
        if model_used is not None:
            fields["model_used"] = model_used
        return cls(**fields)


class Executor(Protocol):
    """What every executor is."""

    @property
    def executor_type(self) -> str:
        """The name it is registered under."""
        ...

    async def run(self, request: ExecutorRequest) -> ExecutorResult:
        """Do the task once. Never raises, except for cancellation."""
        ...
