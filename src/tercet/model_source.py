"""Which models answer: real ones when a key is set, else the mock, which says so."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from tercet.domain.models import ALIASES
from tercet.domain.prices import Price
from tercet.executors.llm_models import LlmConfig, free_local_price
from tercet.settings import Settings
from tercet.testing.mock_claude import MockClaude, Script, load_script

MOCK_NOTE = (
    "No model is configured, so the mock Claude answers: no real model is called, texts are made up, "
    "and dollars are what the calls would have cost."
)
_OPENAI = {"haiku": "openai:gpt-6-luna", "sonnet": "openai:gpt-6.1-terra", "opus": "openai:gpt-6.1-sol"}


class LazyMock:
    """A mock Claude that starts with the first call."""

    def __init__(self, script: Script | None) -> None:
        self._script = script
        self._server: MockClaude | None = None
        self._lock = threading.Lock()

    def start(self) -> str:
        """Return the mock's address."""
        with self._lock:
            if self._server is None:
                self._server = MockClaude(self._script).start()
            return self._server.base_url

    def stop(self) -> None:
        """Stop it if it runs."""
        if self._server is not None:
            self._server.stop()


@dataclass(kw_only=True)
class ModelSource:
    """The chosen provider."""

    kind: str
    """anthropic, openai, local or mock."""
    config: LlmConfig
    aliases: dict[str, str]
    overrides: dict[str, Price] = field(default_factory=dict)
    mock: LazyMock | None = None

    @property
    def note(self) -> str | None:
        """What every place that shows the output has to say, or None for real models."""
        return MOCK_NOTE if self.kind == "mock" else None

    def resolve(self, model: str) -> str:
        """Return the model that a name means here."""
        return self.aliases.get(model, model)

    def config_with_key(self, api_key: str) -> LlmConfig | None:
        """Return the configuration for an agent with a key of its own; None leaves the node's in force.

        While the mock answers, only a key that has a provider's form (`sk-…`) leads to a real service.
        """
        if api_key.startswith("sk-ant-") or self.kind == "anthropic":
            base_url = self.config.anthropic_base_url if self.kind == "anthropic" else None
            return replace(self.config, anthropic_api_key=api_key, anthropic_base_url=base_url)
        if api_key.startswith("sk-") or self.kind == "openai":
            return replace(self.config, openai_api_key=api_key)
        return None

    def close(self) -> None:
        """Stop the mock."""
        if self.mock is not None:
            self.mock.stop()


def choose_source(settings: Settings) -> ModelSource:
    """Choose by what is configured: Anthropic, OpenAI, a local server, the mock."""
    anthropic = settings.anthropic_api_key.get_secret_value() if settings.anthropic_api_key else None
    openai = settings.openai_api_key.get_secret_value() if settings.openai_api_key else None
    local_name = f"local:{settings.local_model}"
    overrides = {local_name: free_local_price()} if settings.local_base_url else {}

    def config(key: str | None, base_url: str | Callable[[], str] | None, default: str) -> LlmConfig:
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
            kind="openai", config=config(None, None, _OPENAI["sonnet"]), aliases=_OPENAI, overrides=overrides
        )
    if settings.local_base_url:
        aliases = dict.fromkeys(ALIASES, local_name)
        return ModelSource(
            kind="local", config=config(None, None, local_name), aliases=aliases, overrides=overrides
        )
    script = load_script(settings.mock_script) if settings.mock_script else None
    mock = LazyMock(script)
    mock_config = config("mock", mock.start, ALIASES["sonnet"])
    return ModelSource(kind="mock", config=mock_config, aliases=dict(ALIASES), mock=mock)
