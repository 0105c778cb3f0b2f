"""What agent workers report (spec 5 §2): the events, and what they may carry."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from tercet.domain.codec import to_json

EventType = Literal[
    "heartbeat",
    "task_started",
    "task_progress",
    "subtask_in_progress",
    "task_complete",
    "subtask_complete",
    "task_error",
    "task_blocked",
]
MOST_IN_A_BATCH = 1_000
Ref = Annotated[str, Field(min_length=1, max_length=200)]


class AgentEvent(BaseModel):
    """An event of `POST /executions/{id}/events`. `task_id` is the one that the work was handed out with."""

    model_config = ConfigDict(extra="forbid")

    agent_id: Ref
    event_type: EventType
    agent_timestamp: AwareDatetime | None = None
    task_id: Ref | None = None
    subtask_id: Ref | None = None
    status: Literal["running", "success", "error", "blocked", "paused"] | None = None
    message: str | None = Field(default=None, max_length=20_000)
    output_data: dict[str, Any] | None = None
    error_type: str | None = Field(default=None, max_length=100)
    error_message: str | None = Field(default=None, max_length=20_000)
    human_review_required: bool = False
    suggestions: list[Annotated[str, Field(max_length=2_000)]] = Field(default_factory=list, max_length=50)
    blocking: bool = False

    @property
    def ref(self) -> str | None:
        """What the event is about."""
        return self.subtask_id or self.task_id

    @property
    def agent_at_ms(self) -> int | None:
        """When it happened by the agent's clock."""
        return None if self.agent_timestamp is None else _ms(self.agent_timestamp)

    @property
    def output(self) -> str | None:
        """The output as JSON text."""
        return None if self.output_data is None else to_json(self.output_data)


def _ms(at: datetime) -> int:
    return round(at.timestamp() * 1000)
