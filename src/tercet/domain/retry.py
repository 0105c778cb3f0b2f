"""When to try again: exponential backoff with jitter, as a pure rule.

Source: "Exponential Backoff And Jitter" (AWS Architecture Blog), the equal-jitter form, which keeps half
of the delay so that a retry never comes at once.
"""

from __future__ import annotations

from typing import Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, model_validator

from tercet.domain.duration import Seconds


class RetryPolicy(BaseModel):
    """How often and when a failed attempt is repeated.

    Accepts both forms of the specs: `{max_attempts: 3, backoff: exponential}` and
    `{max_attempts: 3, backoff_seconds: 300}` (a fixed delay), and a bare number of retries.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    max_attempts: int = Field(default=4, ge=1, le=100)
    """Attempts in all, the first included."""
    backoff: Literal["exponential", "fixed"] = "exponential"
    backoff_seconds: Seconds = Field(default=1.0, validation_alias=AliasChoices("backoff_seconds", "delay"))
    """The first delay, or every delay when `backoff` is fixed."""
    max_backoff_seconds: Seconds = 300.0
    jitter: bool = True

    @model_validator(mode="before")
    @classmethod
    def _short_forms(cls, value: object) -> object:
        if isinstance(value, int) and not isinstance(value, bool):
            return {"max_attempts": value + 1}
        if isinstance(value, dict) and "backoff_seconds" in value and "backoff" not in value:
            return {**value, "backoff": "fixed"}
        return value


def backoff_seconds(
    policy: RetryPolicy, *, attempt: int, random: float, retry_after_seconds: float | None = None
) -> float | None:
    """Return the delay before the attempt after `attempt` (1-based), or None when there is none left.

    `random` lies in [0, 1) and feeds the jitter. A provider's `retry_after_seconds` is a floor.
    """
    if attempt >= policy.max_attempts:
        return None
    delay = policy.backoff_seconds
    if policy.backoff == "exponential":
        delay = min(policy.max_backoff_seconds, delay * 2.0 ** min(attempt - 1, 60))
    if policy.jitter and policy.backoff == "exponential":
        delay = delay / 2 + delay / 2 * random
    return max(delay, retry_after_seconds or 0.0)
