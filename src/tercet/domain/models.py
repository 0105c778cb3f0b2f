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


def parse_model(text: str) -> ModelRef:
    """Read `provider:model`, an alias or a bare name. Raises ValueError for a name that says no provider."""
    text = ALIASES.get(text, text)
    provider, separator, name = text.partition(":")
    if separator:
        if not provider or not name:
            raise ValueError(f"{text!r} is not of the form provider:model")
        return ModelRef(provider, ALIASES.get(name, name))
    guessed = guess_provider(text)
    if guessed is None:
        raise ValueError(f"{text!r} names no known provider; write provider:model, e.g. local:{text}")
    return ModelRef(guessed, text)
