"""What Tercet tells the outside, by the names that subscribers use."""

from __future__ import annotations

from enum import StrEnum


class NoticeEvent(StrEnum):
    """The kinds of notices; docs/reference/notices.md says when each comes and what it carries."""

    APPROVAL_REQUESTED = "approval.requested"
    APPROVAL_ESCALATED = "approval.escalated"
    EXECUTION_BLOCKED = "execution.blocked"
    EXECUTION_FAILED = "execution.failed"
    EXECUTION_COMPLETED = "execution.completed"
    EXECUTION_CANCELLED = "execution.cancelled"
    TASK_FAILED = "task.failed"
    TASK_BLOCKED = "task.blocked"
    AGENT_SILENT = "agent.silent"


TEST_EVENT = "webhook.test"
"""What a test sends; nobody subscribes to it."""
_DELAYS_SECONDS = (5, 25, 125, 625, 3_125, 15_625, 78_125)
_LONGEST_SECONDS = 86_400
MOST_ATTEMPTS = len(_DELAYS_SECONDS) + 1


def retry_delay_seconds(
    attempts: int, *, random: float, retry_after_seconds: float | None = None
) -> float | None:
    """Return how long to wait after `attempts` failed ones, or None when there is no other.

    5 s, then five times as long each time, up to a day. `random` in [0, 1) adds up to a tenth, so that receivers
    that come back are not met by all at once. What the receiver asks for is a floor, also up to a day.
    """
    if attempts >= MOST_ATTEMPTS:
        return None
    delay = _DELAYS_SECONDS[max(attempts, 1) - 1] * (1 + random / 10)
    return min(max(delay, retry_after_seconds or 0.0), _LONGEST_SECONDS)
