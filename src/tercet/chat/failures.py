"""What the backend does when an executor fails (spec 1 §4): a pure rule, and words for the user without internals.

The engine has tried the other allowed models by then (`domain.contract.FALLS_BACK`): what arrives here is the
failure of the last of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from tercet.domain.contract import RETRYABLE, ErrorCode

MOST_ATTEMPTS = 3
_BUSY = "The assistant's model is busy or cannot be reached. Nothing was lost: send your message again later."
_SET_UP = "The assistant is not set up for this at the moment. Please tell whoever runs this service."
_WORDS: dict[str, str] = {
    ErrorCode.MODEL_TIMEOUT: "The answer took too long and was given up. A shorter question may work.",
    ErrorCode.MODEL_RATE_LIMITED: _BUSY,
    ErrorCode.MODEL_OVERLOADED: _BUSY,
    ErrorCode.MODEL_UNAVAILABLE: _BUSY,
    ErrorCode.MODEL_QUOTA_EXCEEDED: _SET_UP,
    ErrorCode.MODEL_AUTHENTICATION: _SET_UP,
    ErrorCode.MODEL_NOT_FOUND: _SET_UP,
    ErrorCode.MODEL_NOT_ALLOWED: _SET_UP,
    ErrorCode.MODEL_REFUSED: "The model refused to answer this.",
    ErrorCode.CONTEXT_LENGTH_EXCEEDED: "This is too long for the model. Shorten the message or start a new conversation.",
    ErrorCode.OUTPUT_INVALID: "The model's answer was not usable, several times. Say it in other words.",
    ErrorCode.OUTPUT_TRUNCATED: "The answer was cut off by the length limit. Ask for less at once.",
    ErrorCode.MISSING_VARIABLE: "The template needs more than was given.",
    ErrorCode.TEMPLATE_ERROR: "The template cannot be filled in with these values.",
    ErrorCode.TOOL_NOT_FOUND: "There is no such tool here.",
    ErrorCode.TOOL_ERROR: "The tool failed.",
    ErrorCode.INVALID_INPUT: "The request was not accepted: its details do not fit what was asked for.",
    ErrorCode.COST_LIMIT_EXCEEDED: "This would cost more than the limit allows, so it was not done.",
    "COST_LIMIT_REACHED": "The budget for this is used up, so it was not done.",
    "OUTCOME_UNKNOWN": "The server stopped while the tool was at work, so it is not known whether it was done. "
    "It was not repeated: look, and ask again if it is missing.",
}
_OTHERWISE = "Something went wrong while working on this. It has been noted in the log."


@dataclass(frozen=True, kw_only=True, slots=True)
class AfterFailure:
    """What follows: another attempt, or a message."""

    retry: bool
    message: str


def after_failure(code: str, *, failures: int, may_repeat: bool = True) -> AfterFailure:
    """Say what follows the failure `code` after `failures` earlier failed attempts.

    `may_repeat` is false for what may have had an effect outside.
    """
    retry = may_repeat and code in RETRYABLE and failures + 1 < MOST_ATTEMPTS
    return AfterFailure(retry=retry, message=_WORDS.get(code, _OTHERWISE))
