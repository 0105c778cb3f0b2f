"""LLMModel: the models by name (spec 3). Any other `provider:model` string works in its place."""

from __future__ import annotations

from enum import StrEnum

from tercet.domain.models import RETIRED, current_name, parse_model


class LLMModel(StrEnum):
    """Models of today, the lines of Claude, and retired ids that old configurations still name."""

    CLAUDE_HAIKU = "haiku"
    CLAUDE_SONNET = "sonnet"
    CLAUDE_OPUS = "opus"
    CLAUDE_FABLE = "fable"

    CLAUDE_HAIKU_5_5 = "claude-haiku-5-5"
    CLAUDE_SONNET_5_5 = "claude-sonnet-5-5"
    CLAUDE_OPUS_5_5 = "claude-opus-5-5"
    CLAUDE_FABLE_5_2 = "claude-fable-5-2"
    CLAUDE_FABLE_5_1 = "claude-fable-5-1"
    CLAUDE_FABLE_5 = "claude-fable-5"
    CLAUDE_OPUS_5 = "claude-opus-5"
    CLAUDE_SONNET_5 = "claude-sonnet-5"
    CLAUDE_OPUS_4_8 = "claude-opus-4-8"
    CLAUDE_OPUS_4_7 = "claude-opus-4-7"
    CLAUDE_OPUS_4_6 = "claude-opus-4-6"
    CLAUDE_SONNET_4_6 = "claude-sonnet-4-6"
    CLAUDE_OPUS_4_5 = "claude-opus-4-5"
    CLAUDE_SONNET_4_5 = "claude-sonnet-4-5"
    CLAUDE_HAIKU_4_5 = "claude-haiku-4-5"

    GPT_6_ASTRA = "gpt-6-astra"
    GPT_6_1_SOL = "gpt-6.1-sol"
    GPT_6_1_TERRA = "gpt-6.1-terra"
    GPT_6_LUNA = "gpt-6-luna"
    GPT_5_MINI = "gpt-5-mini"
    GPT_4_1_MINI = "gpt-4.1-mini"

    LOCAL = "local:default"

    CLAUDE_SONNET_4 = "claude-sonnet-4-20250514"
    CLAUDE_OPUS_4 = "claude-opus-4-20250514"
    CLAUDE_3_5_SONNET = "claude-3-5-sonnet-20241022"
    CLAUDE_3_5_HAIKU = "claude-3-5-haiku-20241022"
    CLAUDE_3_OPUS = "claude-3-opus-20240229"
    CLAUDE_3_HAIKU = "claude-3-haiku-20240307"

    @property
    def retired(self) -> bool:
        """Whether the provider has switched the model off."""
        return self.value in RETIRED

    @property
    def replacement(self) -> str:
        """The id that requests carry: the replacement of a retired model, the newest of a line."""
        return current_name(self.value)


def to_model(name: str) -> LLMModel | str:
    """Return the member of a name, or the name itself when it is another provider's. Raises ValueError."""
    try:
        return LLMModel(name)
    except ValueError:
        parse_model(name)
        return str(name)
