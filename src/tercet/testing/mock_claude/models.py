"""The models that the mock offers, with their limits (vendor's models overview, November 2026)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

_FULL_CONTEXT = 1_000_000
_FULL_OUTPUT = 128_000


@dataclass(frozen=True, kw_only=True)
class MockModel:
    """A model's facts; sizes in tokens."""

    id: str
    context: int = _FULL_CONTEXT
    max_output: int = _FULL_OUTPUT
    thinks: Literal["always", "by_default", "on_request"] = "on_request"
    """`by_default` can be switched off (`between_tools`), `on_request` must be switched on."""
    takes_sampling: bool = False
    """Under API versions before 2026-10-21."""
    takes_forced_tools: bool = True
    retires_at: str | None = None

    @property
    def line(self) -> str:
        """The family: haiku, sonnet, opus, fable, mythos."""
        return self.id.split("-")[1]


MODELS = {
    model.id: model
    for model in (
        MockModel(id="claude-haiku-5-5"),
        MockModel(id="claude-sonnet-5-5", thinks="by_default", takes_forced_tools=False),
        MockModel(id="claude-opus-5-5", thinks="always", takes_forced_tools=False),
        MockModel(id="claude-fable-5-2", thinks="always", takes_forced_tools=False),
        MockModel(id="claude-mythos-5-2", thinks="always", takes_forced_tools=False),
        MockModel(id="claude-fable-5-1", thinks="always", takes_forced_tools=False),
        MockModel(id="claude-fable-5", thinks="always"),
        MockModel(id="claude-opus-5"),
        MockModel(id="claude-sonnet-5"),
        MockModel(id="claude-opus-4-8"),
        MockModel(id="claude-opus-4-7"),
        MockModel(id="claude-opus-4-6", takes_sampling=True),
        MockModel(id="claude-sonnet-4-6", takes_sampling=True),
        MockModel(id="claude-opus-4-5", context=200_000, max_output=64_000, takes_sampling=True),
        MockModel(id="claude-haiku-4-5", context=200_000, max_output=64_000, takes_sampling=True),
        MockModel(
            id="claude-sonnet-4-5", context=200_000, max_output=64_000, takes_sampling=True,
            retires_at="2026-11-30T00:00:00Z",
        ),
    )
}  # fmt: skip


def to_wire(model: MockModel) -> dict[str, Any]:
    """Return the ModelInfo of `GET /v1/models`."""
    _, family, *numbers = model.id.split("-")
    return {
        "id": model.id,
        "type": "model",
        "display_name": f"Claude {family.title()} {'.'.join(numbers)}",
        "created_at": "2026-01-01T00:00:00Z",
        "lifecycle": "active" if model.retires_at is None else "deprecated",
        "line": model.line,
        "max_input_tokens": model.context,
        "max_tokens": model.max_output,
        "capabilities": None,
        "deprecated_at": None,
        "retires_at": model.retires_at,
    }


def page_of_models(*, limit: int, after_id: str | None, before_id: str | None) -> dict[str, Any]:
    """Return one page of the list. Ids that do not exist start at the beginning or end at the end."""
    ids = list(MODELS)
    if after_id in MODELS:
        ids = ids[ids.index(after_id) + 1 :]
    if before_id in MODELS and before_id in ids:
        ids = ids[: ids.index(before_id)]
    shown = ids[-limit:] if before_id in MODELS else ids[:limit]
    return {
        "data": [to_wire(MODELS[model_id]) for model_id in shown],
        "has_more": len(ids) > len(shown),
        "first_id": shown[0] if shown else None,
        "last_id": shown[-1] if shown else None,
    }
