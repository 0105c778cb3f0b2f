"""What a decider says about a message: answer it, ask back, or have an executor do something (spec 1 §1)."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from tercet.domain.codec import from_json
from tercet.domain.contract import Constraints

Action = Literal["respond", "clarify", "execute"]
EXECUTOR_TYPES = ("llm", "template_engine", "classifier", "tool_call")
"""What a decider may suggest. `document_processor` is the backend's own: it reads what is uploaded."""
_LONGEST_TEXT = 100_000


class SuggestedTask(BaseModel):
    """What the decider wants done. Fields that an executor does not know stay behind."""

    model_config = ConfigDict(extra="ignore")

    task_type: str | None = Field(default=None, max_length=100)
    prompt: str | None = Field(default=None, max_length=_LONGEST_TEXT)
    template: str | None = Field(default=None, max_length=100)
    input_variables: dict[str, Any] = Field(default_factory=dict)
    tool: str | None = Field(default=None, max_length=200)
    arguments: dict[str, Any] = Field(default_factory=dict)
    labels: list[str] = Field(default_factory=list, max_length=200)
    text: str | None = Field(default=None, max_length=_LONGEST_TEXT)

    @model_validator(mode="before")
    @classmethod
    def _from_closed_schema(cls, value: Any) -> Any:
        """Models answer with closed objects: variables as a list of pairs, arguments as JSON text."""
        if not isinstance(value, dict):
            return value
        out = dict(value)
        pairs = out.pop("variables", None)
        if isinstance(pairs, list):
            named = {
                pair["name"]: pair["value"] for pair in pairs if isinstance(pair, dict) and "name" in pair
            }
            out["input_variables"] = {**named, **(out.get("input_variables") or {})}
        text = out.pop("arguments_json", None)
        if isinstance(text, str) and text.strip():
            parsed = from_json(text)
            if not isinstance(parsed, dict):
                raise ValueError("arguments_json must be an object")
            out["arguments"] = parsed
        return out


class Suggestion(BaseModel):
    """A decider's answer. It is a suggestion: the policy has the last word."""

    model_config = ConfigDict(extra="ignore")

    action: Action
    message: str | None = Field(default=None, max_length=_LONGEST_TEXT)
    executor_type: str | None = Field(default=None, max_length=100)
    task: SuggestedTask = Field(default_factory=SuggestedTask)
    constraints: Constraints = Field(default_factory=Constraints)
    confidence: float = Field(default=1.0, ge=0, le=1)
    pending: dict[str, Any] | None = None
    """With `clarify`: the template and the variables known so far, for the next message."""
    source: Literal["model", "rules", "backend"] = "rules"

    @model_validator(mode="after")
    def _says_something(self) -> Suggestion:
        if self.action == "execute":
            if not self.executor_type:
                raise ValueError("execute needs an executor_type")
        elif not (self.message or "").strip():
            raise ValueError(f"{self.action} needs a message")
        return self


_STRING = {"type": "string"}
ANSWER_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["action", "confidence"],
    "properties": {
        "action": {"type": "string", "enum": ["respond", "clarify", "execute"]},
        "message": {**_STRING, "description": "For respond and clarify: what the user reads (Markdown)."},
        "executor_type": {"type": "string", "enum": list(EXECUTOR_TYPES)},
        "task": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "task_type": _STRING,
                "prompt": {**_STRING, "description": "For llm: what to write or work out."},
                "template": {**_STRING, "description": "For template_engine: the template's name."},
                "variables": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "additionalProperties": False,
                        "required": ["name", "value"],
                        "properties": {"name": _STRING, "value": _STRING},
                    },
                },
                "tool": {**_STRING, "description": "For tool_call: the tool's name."},
                "arguments_json": {**_STRING, "description": "For tool_call: the arguments, a JSON object."},
                "labels": {"type": "array", "items": _STRING},
                "text": {**_STRING, "description": "For classifier: the text to label."},
            },
        },
        "constraints": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "max_tokens": {"type": "integer"},
                "timeout_ms": {"type": "integer"},
                "allowed_models": {"type": "array", "items": _STRING},
            },
        },
        "confidence": {"type": "number"},
    },
}
"""The schema that binds the model's answer."""
