"""Which models answer: real ones when a key is set, else the mock, which says so."""

from __future__ import annotations

from dataclasses import dataclass, field

from tercet.domain.models import ALIASES
from tercet.domain.prices import Price
from tercet.executors.llm_models import LlmConfig, free_local_price
from tercet.settings import Settings
from tercet.testing.mock_claude import MockClaude, load_script

MOCK_NOTE = (
    "No model is configured, so the mock Claude answers: no real model is called, texts are made up, "
    "and dollars are what the calls would have cost."
)
_OPENAI = {
    "haiku": "openai:gpt-6-luna",
    "sonnet": "openai:gpt-6.1-terra",
    "opus": "openai:gpt-6.1-sol",
}


@dataclass(kw_only=True)
class ModelSource:
    """The chosen provider."""

    kind: str
    """anthropic, openai, local or mock."""
    config: LlmConfig
    aliases: dict[str, str]
    overrides: dict[str, Price] = field(default_factory=dict)
    mock: MockClaude | None = None

    @property
    def note(self) -> str | None:
        """What every place that shows the output has to say, or None for real models."""
        return MOCK_NOTE if self.kind == "mock" else None

    def resolve(self, model: str) -> str:
        """Return the model that a name means here."""
        return self.aliases.get(model, model)

    def close(self) -> None:
        """Stop the mock."""
        if self.mock is not None:
            self.mock.stop()


def choose_source(settings: Settings, *, calls: bool = True) -> ModelSource:
    """Choose by what is configured: Anthropic, OpenAI, a local server, the mock.

    Without `calls` no server is started: the node makes no calls.
    """
    anthropic = settings.anthropic_api_key.get_secret_value() if settings.anthropic_api_key else None
    openai = settings.openai_api_key.get_secret_value() if settings.openai_api_key else None
    local_name = f"local:{settings.local_model}"
    overrides = {local_name: free_local_price()} if settings.local_base_url else {}

    def config(key: str | None, base_url: str | None, default: str) -> LlmConfig:
        return LlmConfig(
            anthropic_api_key=key,
            anthropic_base_url=base_url,
            openai_api_key=openai,
            openai_base_url=settings.openai_base_url,
            local_base_url=settings.local_base_url,
            default_model=default,
            price_overrides=overrides,
        )

    if anthropic:
        config_ = config(anthropic, settings.anthropic_base_url, ALIASES["sonnet"])
        return ModelSource(kind="anthropic", config=config_, aliases=dict(ALIASES), overrides=overrides)
    if openai:
        return ModelSource(
            kind="openai",
            config=config(None, None, _OPENAI["sonnet"]),
            aliases=_OPENAI,
            overrides=overrides,
        )
    if settings.local_base_url:
        aliases = dict.fromkeys(ALIASES, local_name)
        return ModelSource(
            kind="local",
            config=config(None, None, local_name),
            aliases=aliases,
            overrides=overrides,
        )
    if not calls:
        return ModelSource(
            kind="mock",
            config=config(None, None, ALIASES["sonnet"]),
            aliases=dict(ALIASES),
        )
    script = load_script(settings.mock_script) if settings.mock_script else None
    mock = MockClaude(script).start()
    mock_config = config("mock", mock.base_url, ALIASES["sonnet"])
    return ModelSource(kind="mock", config=mock_config, aliases=dict(ALIASES), mock=mock)
