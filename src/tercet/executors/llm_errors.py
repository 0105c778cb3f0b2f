"""From providers' errors to the contract's codes. Messages say what happened, never what a provider leaked."""

from __future__ import annotations

from tercet.domain.contract import ErrorCode, ExecutorResult
from tercet.executors.llm_models import NoCredentials


def to_failure(error: Exception, model: str) -> ExecutorResult:
    """Return the failed result for what the model layer raised."""
    from pydantic_ai import exceptions as pai

    if isinstance(error, NoCredentials):
        return ExecutorResult.failure(ErrorCode.MODEL_AUTHENTICATION, str(error), model_used=model)
    table: tuple[tuple[type[BaseException], ErrorCode, str], ...] = (
        (
            pai.ModelContextWindowExceededError,
            ErrorCode.CONTEXT_LENGTH_EXCEEDED,
            "The prompt is longer than {model} can read",
        ),
        (
            pai.ModelRateLimitError,
            ErrorCode.MODEL_RATE_LIMITED,
            "The provider's rate limit for {model} is reached",
        ),
        (
            pai.ModelQuotaExceededError,
            ErrorCode.MODEL_RATE_LIMITED,
            "The provider's quota for {model} is used up",
        ),
        (pai.ModelOverloadedError, ErrorCode.MODEL_OVERLOADED, "{model} is overloaded"),
        (
            pai.ModelAuthenticationError,
            ErrorCode.MODEL_AUTHENTICATION,
            "The provider refused the credentials for {model}",
        ),
        (
            pai.ModelNotFoundError,
            ErrorCode.MODEL_NOT_FOUND,
            "The provider has no model {model}",
        ),
        (
            pai.ModelTimeoutError,
            ErrorCode.MODEL_TIMEOUT,
            "{model} did not answer in time",
        ),
        (
            pai.ModelRequestTimeout,
            ErrorCode.MODEL_TIMEOUT,
            "{model} did not answer in time",
        ),
        (
            pai.ModelConnectionError,
            ErrorCode.MODEL_UNAVAILABLE,
            "{model} cannot be reached",
        ),
        (
            pai.ModelUnavailableError,
            ErrorCode.MODEL_UNAVAILABLE,
            "{model} is not available",
        ),
        (
            pai.ModelServerError,
            ErrorCode.MODEL_UNAVAILABLE,
            "The provider of {model} has an error",
        ),
        (pai.ContentFilterError, ErrorCode.MODEL_REFUSED, "{model} refused to answer"),
        (
            pai.OutputTokenLimitExceeded,
            ErrorCode.OUTPUT_TRUNCATED,
            "{model}'s answer was cut off by max_tokens",
        ),
        (
            pai.ModelRequestRejectedError,
            ErrorCode.INVALID_INPUT,
            "The provider of {model} rejected the request",
        ),
        (
            pai.UserError,
            ErrorCode.INVALID_INPUT,
            "The request cannot be sent to {model}",
        ),
    )
    for kind, code, message in table:
        if isinstance(error, kind):
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
