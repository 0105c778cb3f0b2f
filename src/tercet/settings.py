"""Settings, read once: defaults < .env file < environment (`TERCET_…`) < flags."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

from pydantic import AliasChoices, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from tercet.domain.errors import InvalidSettings


class Settings(BaseSettings):
    """Every setting; docs/reference/settings.md lists them."""

    model_config = SettingsConfigDict(
        env_prefix="TERCET_", env_file=".env", extra="ignore", frozen=True, populate_by_name=True
    )

    data_dir: Path = Path(".tercet")
    """The folder with the database and the admin token."""
    host: str = "127.0.0.1"
    port: int = Field(default=8700, ge=0, le=65535)
    public_url: str | None = Field(default=None, pattern="^https?://[^\\s]+$")
    """Where people reach the dashboard, for links in notices; by default the host and port above."""
    phone_region: str = Field(default="US", pattern="^[A-Z]{2}$")
    """Where phone numbers without a country code are taken to be from, when they are masked."""
    slots: int = Field(default=128, ge=1, le=10_000)
    """How many tasks run at once."""
    max_body_bytes: int = Field(default=5_000_000, ge=1_000)
    """The largest request body that is read."""
    encrypt_at_rest: bool = True
    """Whether what people and programs sent is sealed in the database; secrets are in any case."""
    archive_after_days: int | None = Field(default=None, ge=1, le=36_500)
    """With it, executions that ended that long ago are archived once a day."""
    log_level: str = Field(default="INFO", pattern="^(DEBUG|INFO|WARNING|ERROR)$")
    anthropic_api_key: SecretStr | None = Field(
        default=None, validation_alias=AliasChoices("ANTHROPIC_API_KEY", "TERCET_ANTHROPIC_API_KEY")
    )
    anthropic_base_url: str | None = Field(
        default=None, validation_alias=AliasChoices("ANTHROPIC_BASE_URL", "TERCET_ANTHROPIC_BASE_URL")
    )
    openai_api_key: SecretStr | None = Field(
        default=None, validation_alias=AliasChoices("OPENAI_API_KEY", "TERCET_OPENAI_API_KEY")
    )
    openai_base_url: str | None = Field(
        default=None, validation_alias=AliasChoices("OPENAI_BASE_URL", "TERCET_OPENAI_BASE_URL")
    )
    local_base_url: str | None = None
    """An OpenAI-compatible server of your own."""
    local_model: str = "default"
    """The model that haiku, sonnet and opus mean on that server."""
    mock_script: Path | None = None
    """Scripted answers for the mock Claude that runs when no model is configured."""
    smtp_host: str = "127.0.0.1"
    smtp_port: int = Field(default=1025, ge=1, le=65535)
    smtp_sender: str = "tercet@example.org"
    resend_api_key: SecretStr | None = None
    """With it the email tool sends through Resend instead of SMTP."""
    slack_token: SecretStr | None = None
    """The bot token of the slack tool."""
    mcp_servers_file: Path | None = None
    """JSON in the common `mcpServers` format: the servers whose tools agents may name."""
    tool_domains: Annotated[list[str], NoDecode] = Field(default_factory=list)
    """Hosts that http_request may reach; empty means every public one."""
    tool_networks: Annotated[list[str], NoDecode] = Field(default_factory=list)
    """Networks that are not public and that http_request may reach all the same, such as 10.1.2.0/24."""
    tool_insecure_tls: bool = False
    """Whether http_request may be told not to verify a server's certificate."""
    work_lease_seconds: float = Field(default=1_800.0, ge=1, le=604_800)
    """Without a sign for so long an agent worker loses its work."""
    work_escalate_hours: float = Field(default=24.0, gt=0, le=8_760)
    """So long after an agent worker's silence people are asked, when no other agent took the work."""
    external_wait_hours: float = Field(default=48.0, gt=0, le=8_760)
    """How long work may wait for something outside before people are asked."""
    plan_timeout_hours: float = Field(default=168.0, gt=0, le=87_600)
    """How long an execution of a plan may take."""
    decomposition_min_confidence: float = Field(default=0.7, ge=0, le=1)
    """A decomposition that is less sure is checked by a person before it runs."""
    agent_requests_per_minute: int = Field(default=100, ge=1, le=1_000_000)
    """How many requests an agent worker may send in a minute."""
    chat_models: Annotated[list[str], NoDecode] = Field(
        default_factory=lambda: ["sonnet", "haiku"], min_length=1
    )
    """The models that may answer in chats: the first one does, the others when it cannot."""
    chat_decider_model: str = "haiku"
    """The model that decides what a chat message needs."""
    chat_turn_usd: Decimal | None = Field(default=Decimal("0.50"), ge=0)
    """What one chat message may cost before a person is asked."""
    max_document_bytes: int = Field(default=4_000_000, ge=1_000)
    """The largest document that is taken into a project; max_body_bytes holds as well."""
    templates_dir: Path | None = None
    """A folder with templates of your own for chats, beside the shipped ones."""
    redis_url: str | None = None
    """A Redis for the results of side-effect-free tools; needs `tercet[redis]`."""

    @field_validator("tool_domains", "tool_networks", "chat_models", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        """Read `a, b` as two entries."""
        return (
            [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value
        )


def load_settings(**flags: Any) -> Settings:
    """Read the settings; flags that are None do not count. Raises InvalidSettings naming setting and value."""
    try:
        return Settings(**{name: value for name, value in flags.items() if value is not None})
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        raise InvalidSettings(
            f"the setting {name} has the value {str(first.get('input'))[:100]!r}: {first['msg']}",
            hint=f"set TERCET_{name.upper()} or the flag of that name",
        ) from error
