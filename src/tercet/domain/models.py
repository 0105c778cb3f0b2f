"""Model names: `provider:model` strings, aliases, and which provider a bare name means."""

from __future__ import annotations

from dataclasses import dataclass

ALIASES = {
    "haiku": "claude-haiku-5-5",
    "sonnet": "claude-sonnet-5-5",
    "opus": "claude-opus-5-5",
    "fable": "claude-fable-5-2",
}
"""Lines of Claude and the model that each means."""
RETIRED = {
    "claude-sonnet-4-20250514": "claude-sonnet-5-5",
    "claude-opus-4-20250514": "claude-opus-5-5",
    "claude-opus-4-1-20250805": "claude-opus-5-5",
    "claude-3-7-sonnet-20250219": "claude-sonnet-5-5",
    "claude-3-5-sonnet-20241022": "claude-sonnet-5-5",
    "claude-3-5-haiku-20241022": "claude-haiku-5-5",
    "claude-3-opus-20240229": "claude-opus-5-5",
    "claude-3-haiku-20240307": "claude-haiku-5-5",
}
"""Models that their provider has switched off, and which one answers in their place."""
_PREFIXES = (
    ("claude", "anthropic"),
    ("gpt-", "openai"),
    ("o1", "openai"),
    ("o3", "openai"),
    ("o4", "openai"),
)


@dataclass(frozen=True, slots=True)
class ModelRef:
    """A provider and its name for the model. `local` is any OpenAI-compatible server of one's own."""

    provider: str
    name: str

    def __str__(self) -> str:
        return self.name if guess_provider(self.name) == self.provider else f"{self.provider}:{self.name}"


def guess_provider(name: str) -> str | None:
    """Return the provider that a bare model name belongs to."""
    return next((provider for prefix, provider in _PREFIXES if name.startswith(prefix)), None)


def current_name(name: str) -> str:
    """Return the model that an alias or a retired id stands for; any other name is itself."""
    return ALIASES.get(name) or RETIRED.get(name, name)


def parse_model(text: str) -> ModelRef:
    """Read `provider:model`, an alias or a bare name. Raises ValueError for a name that says no provider."""
    text = current_name(text)
    provider, separator, name = text.partition(":")
    if separator:
        if not provider or not name:
            raise ValueError(f"{text!r} is not of the form provider:model")
        return ModelRef(provider, current_name(name))
    guessed = guess_provider(text)
    if guessed is None:
        raise ValueError(f"{text!r} names no known provider; write provider:model, e.g. local:{text}")
    return ModelRef(guessed, text)
