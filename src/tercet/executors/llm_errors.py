"""From providers' errors to the contract's codes. Messages say what happened, never what a provider leaked."""

from __future__ import annotations

from tercet.domain.contract import ErrorCode, ExecutorResult
from tercet.executors.llm_models import NoCredentials

# The first class that fits counts, so special cases come before what they specialise.
_TABLE: tuple[tuple[str, ErrorCode, str], ...] = (
    (
        "ModelContextWindowExceededError",
        ErrorCode.CONTEXT_LENGTH_EXCEEDED,
        "The prompt is longer than {model} can read",
    ),
    ("ModelRateLimitError", ErrorCode.MODEL_RATE_LIMITED, "The provider's rate limit for {model} is reached"),
    (
        "ModelQuotaExceededError",
        ErrorCode.MODEL_QUOTA_EXCEEDED,
        "The provider's quota for {model} is used up",
    ),
    ("ModelOverloadedError", ErrorCode.MODEL_OVERLOADED, "{model} is overloaded"),
    (
        "ModelAuthenticationError",
        ErrorCode.MODEL_AUTHENTICATION,
        "The provider refused the credentials for {model}",
    ),
    ("ModelNotFoundError", ErrorCode.MODEL_NOT_FOUND, "The provider has no model {model}"),
    ("ModelTimeoutError", ErrorCode.MODEL_TIMEOUT, "{model} did not answer in time"),
    ("ModelRequestTimeout", ErrorCode.MODEL_TIMEOUT, "{model} did not answer in time"),
    ("ModelConnectionError", ErrorCode.MODEL_UNAVAILABLE, "{model} cannot be reached"),
    ("ModelUnavailableError", ErrorCode.MODEL_UNAVAILABLE, "{model} is not available"),
    ("ModelServerError", ErrorCode.MODEL_UNAVAILABLE, "The provider of {model} has an error"),
    ("ContentFilterError", ErrorCode.MODEL_REFUSED, "{model} refused to answer"),
    ("OutputTokenLimitExceeded", ErrorCode.OUTPUT_TRUNCATED, "{model}'s answer was cut off by max_tokens"),
    ("ModelRequestRejectedError", ErrorCode.INVALID_INPUT, "The provider of {model} rejected the request"),
    ("UserError", ErrorCode.INVALID_INPUT, "The request cannot be sent to {model}"),
)


def to_failure(error: Exception, model: str) -> ExecutorResult:
    """Return the failed result for what the model layer raised."""
    from pydantic_ai import exceptions

    if isinstance(error, NoCredentials):
        return ExecutorResult.failure(ErrorCode.MODEL_AUTHENTICATION, str(error), model_used=model)
    for name, code, message in _TABLE:
        if isinstance(error, getattr(exceptions, name)):
            return ExecutorResult.failure(
                code,
                message.format(model=model),
                model_used=model,
                retry_after_seconds=getattr(error, "retry_after", None),
            )
    status = getattr(error, "status_code", None)
    if isinstance(status, int) and 400 <= status < 500 and status not in (408, 409, 429):
        return ExecutorResult.failure(
            ErrorCode.INVALID_INPUT,
            f"The provider of {model} rejected the request ({status})",
            model_used=model,
        )
    return ExecutorResult.failure(ErrorCode.MODEL_ERROR, f"The call of {model} failed", model_used=model)
