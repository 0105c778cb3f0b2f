"""Clients of model providers, one a model, built when first used. They hold connections, no requests."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING

from tercet.domain.models import ModelRef
from tercet.domain.prices import Overrides, Price

if TYPE_CHECKING:
    from pydantic_ai.models import Model

_CONNECT_SECONDS = 10.0
_READ_SECONDS = 600.0


@dataclass(frozen=True, kw_only=True)
class LlmConfig:
    """How to reach the providers."""

    anthropic_api_key: str | None = None
    anthropic_base_url: str | Callable[[], str] | None = None
    """A function is called when the first client is built: what it names may start then."""
    openai_api_key: str | None = None
    openai_base_url: str | None = None
    local_base_url: str | None = None
    """An OpenAI-compatible server for `local:` models."""
    default_model: str = "sonnet"
    price_overrides: dict[str, Price] = field(default_factory=dict)
    allow_unpriced: bool = False
    """Whether a call without a known price may run under a money limit."""


class NoCredentials(Exception):
    """The provider's key is missing; the message names the setting."""


class ModelClients:
    """Builds and keeps the models of `LlmConfig`'s providers."""

    def __init__(self, config: LlmConfig) -> None:
        self._config = config
        self._models: dict[ModelRef, Model] = {}
        self._building = asyncio.Lock()
        self._close: list[Callable[[], Awaitable[None]]] = []

    @property
    def overrides(self) -> Overrides:
        """Prices that go before genai-prices; `local:` models cost nothing only when listed here."""
        return self._config.price_overrides

    async def get(self, ref: ModelRef) -> Model:
        """Return the model's client. Raises NoCredentials, ValueError for an unknown provider."""
        model = self._models.get(ref)
        if model is None:
            async with self._building:
                model = self._models.get(ref)
                if model is None:
                    model = self._models[ref] = await asyncio.to_thread(self._build, ref)
        return model

    async def warm(self) -> None:
        """Import the client libraries beside, before the first call needs them."""
        await asyncio.to_thread(_import_clients)

    async def aclose(self) -> None:
        """Close the connections."""
        closers, self._close = self._close, []
        self._models.clear()
        for close in closers:
            await close()

    def _build(self, ref: ModelRef) -> Model:
        if ref.provider == "anthropic":
            return self._anthropic(ref.name)
        if ref.provider == "openai":
            if self._config.openai_api_key is None:
                raise NoCredentials("set OPENAI_API_KEY to use OpenAI models")
            return self._openai(ref.name, self._config.openai_api_key, self._config.openai_base_url)
        if ref.provider == "local":
            if self._config.local_base_url is None:
                raise NoCredentials("set TERCET_LOCAL_BASE_URL to use local models")
            return self._openai(ref.name, "local", self._config.local_base_url)
        from pydantic_ai.models import infer_model

        return infer_model(f"{ref.provider}:{ref.name}")

    def _anthropic(self, name: str) -> Model:
        from anthropic import DefaultAioHttpClient, Timeout
        from pydantic_ai.providers.anthropic import AnthropicProvider

        from tercet.executors.claude_client import ClaudeClient
        from tercet.executors.claude_model import ClaudeModel

        if self._config.anthropic_api_key is None:
            raise NoCredentials("set ANTHROPIC_API_KEY to use Claude models")
        base_url = self._config.anthropic_base_url
        client = ClaudeClient(
            api_key=self._config.anthropic_api_key,
            base_url=base_url() if callable(base_url) else base_url,
            max_retries=0,
            timeout=Timeout(_READ_SECONDS, connect=_CONNECT_SECONDS),
            http_client=DefaultAioHttpClient(),
            open_telemetry=False,
        )
        self._close.append(client.close)
        return ClaudeModel(name, provider=AnthropicProvider(anthropic_client=client))

    def _openai(self, name: str, api_key: str, base_url: str | None) -> Model:
        from openai import AsyncOpenAI
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.providers.openai import OpenAIProvider

        client = AsyncOpenAI(api_key=api_key, base_url=base_url, max_retries=0, timeout=_READ_SECONDS)
        self._close.append(client.close)
        return OpenAIChatModel(name, provider=OpenAIProvider(openai_client=client))


def free_local_price() -> Price:
    """Return the price of a model that runs on one's own machine."""
    return Price(input_usd=Decimal(0), output_usd=Decimal(0))


def _import_clients() -> None:
    import genai_prices  # noqa: F401
    import pydantic_ai.direct
    import pydantic_ai.models.anthropic  # noqa: F401
