"""The one error tree, split by who acts next.

TercetError
├── CallerError                 the caller changes the request
│   ├── InvalidInput            a field breaks a rule (`detail` lists every field)
│   │   └── InvalidManifest     the manifest has problems (`detail` lists file, line, column, rule, hint)
│   ├── NotFound                no such thing, or not the caller's
│   ├── Conflict                the thing has moved on
│   │   ├── InvalidStateTransition
│   │   └── AlreadyDecided      an approval has its decision; says who and when
│   ├── NotAuthenticated
│   └── NotAllowed
├── LimitReached                a person raises the limit, or waits
│   ├── CostLimitReached
│   │   └── CostLimitExceededError    an agent's run
│   ├── RateLimitExceededError  a provider's or a tool's; wait and try again
│   └── TooLarge
├── AgentFailed                 an agent's run ended without an answer
│   ├── ToolNotFoundError       the configuration names a tool that there is not
│   ├── ToolExecutionError      a tool whose failure ends the run
│   └── ContextLengthExceededError    shorten the conversation
├── HandlerFailed               the handler's author, or a person who retries or skips
│   ├── HandlerTimedOut
│   └── NonRetryable            the handler says that another attempt is pointless
├── StaleClaim                  nobody: another runner owns the task
└── OperatorError               the operator repairs set-up or environment
    ├── InvalidSettings
    ├── StoreUnavailable
    ├── ArchiveDamaged          an archive file or the chain of archives is not as it was written
    └── AlreadyRunning

Each class has a stable `code` that clients may branch on, and an HTTP status that the web door uses.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar


class TercetError(Exception):
    """The root: everything that Tercet raises on purpose."""

    code: ClassVar[str] = "INTERNAL_ERROR"
    http_status: ClassVar[int] = 500

    def __init__(
        self, message: str, *, hint: str | None = None, detail: Sequence[dict[str, Any]] = ()
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        """What the reader can do about it."""
        self.detail = list(detail)
        """One entry a field or problem, JSON-ready."""

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class CallerError(TercetError):
    """The request cannot be done as it stands."""

    code = "BAD_REQUEST"
    http_status = 400


class InvalidInput(CallerError):
    """A value breaks a rule; `detail` names each field and rule."""

    code = "INVALID_INPUT"
    http_status = 422


class InvalidManifest(InvalidInput):
    """The manifest has errors; `detail` holds all of them with file, line, column, rule and hint."""

    code = "INVALID_MANIFEST"


class NotFound(CallerError):
    """There is no such thing, or it belongs to somebody else."""

    code = "NOT_FOUND"
    http_status = 404


class Conflict(CallerError):
    """The thing has moved on since the caller looked."""

    code = "CONFLICT"
    http_status = 409


class InvalidStateTransition(Conflict):
    """The status does not lead to the wanted one (spec 5 §5)."""

    code = "INVALID_STATE_TRANSITION"


class AlreadyDecided(Conflict):
    """The approval has its decision; the message says who decided and when."""

    code = "ALREADY_DECIDED"


class NotAuthenticated(CallerError):
    """No token, or one that is not known."""

    code = "NOT_AUTHENTICATED"
    http_status = 401


class NotAllowed(CallerError):
    """The caller is known but may not do this."""

    code = "NOT_ALLOWED"
    http_status = 403


class LimitReached(TercetError):
    """A limit stops the work until somebody raises it or time passes."""

    code = "LIMIT_REACHED"
    http_status = 429


class CostLimitReached(LimitReached):
    """The estimate does not fit into what the budget has left."""

    code = "COST_LIMIT_REACHED"


class CostLimitExceededError(CostLimitReached):
    """The next model call of an agent's run does not fit into a limit (spec 3, Cost Management)."""

    code = "COST_LIMIT_EXCEEDED"
    http_status = 402


class RateLimitExceededError(LimitReached):
    """The provider's rate limit holds on (spec 3, Common Errors)."""

    code = "RATE_LIMIT_EXCEEDED"


class TooLarge(LimitReached):
    """The input is larger than the configured cap."""

    code = "TOO_LARGE"
    http_status = 413


class AgentFailed(TercetError):
    """An agent's run ended without an answer; `code` may be the contract's (docs/reference/error-codes.md)."""

    code = "AGENT_FAILED"
    http_status = 502

    def __init__(
        self, message: str, *, code: str | None = None, tool_name: str | None = None, **rest: Any
    ) -> None:
        super().__init__(message, **rest)
        if code is not None:
            self.code = code  # type: ignore[misc]
        self.tool_name = tool_name


class ToolNotFoundError(AgentFailed):
    """The agent's configuration names a tool that is not registered (spec 3, Common Errors)."""

    code = "TOOL_NOT_FOUND"
    http_status = 422


class ToolExecutionError(AgentFailed):
    """A tool that is marked fatal failed (spec 3, Common Errors)."""

    code = "TOOL_EXECUTION_FAILED"


class ContextLengthExceededError(AgentFailed):
    """The conversation is too long for the model, even after it was compacted (spec 3, Common Errors)."""

    code = "CONTEXT_LENGTH_EXCEEDED"
    http_status = 422


class HandlerFailed(TercetError):
    """A handler ended without a result; the engine may retry it."""

    code = "HANDLER_FAILED"


class HandlerTimedOut(HandlerFailed):
    """An attempt ran longer than its timeout."""

    code = "HANDLER_TIMED_OUT"


class NonRetryable(HandlerFailed):
    """Raise this from a handler when another attempt cannot help: the task fails at once."""

    code = "NON_RETRYABLE"


class StaleClaim(TercetError):
    """This runner's claim has ended: another attempt owns the task, so the write was refused."""

    code = "STALE_CLAIM"
    http_status = 409


class OperatorError(TercetError):
    """Set-up or environment stops the program."""

    code = "OPERATOR_ERROR"
    http_status = 503


class InvalidSettings(OperatorError):
    """A setting has a value that cannot work; the message names value and source."""

    code = "INVALID_SETTINGS"


class StoreUnavailable(OperatorError):
    """The database refused or lost a commit; nothing of it was kept."""

    code = "STORE_UNAVAILABLE"


class ArchiveDamaged(OperatorError):
    """An archive was changed or is missing; nothing of it was put back."""

    code = "ARCHIVE_DAMAGED"


class AlreadyRunning(OperatorError):
    """Another process owns the data folder."""

    code = "ALREADY_RUNNING"
