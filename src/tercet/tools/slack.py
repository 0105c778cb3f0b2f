"""The `slack` tool: posts a message to a channel, or into a thread."""

from __future__ import annotations

import asyncio
import os
from typing import Any

from tercet.domain.tool import ToolFailed
from tercet.tools.base import ToolBase

_INPUT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "channel": {
            "type": "string", "pattern": r"^(#[^\s#]{1,80}|@[^\s@]{1,80}|[CDGU][A-Z0-9]{2,20})$",
            "description": "#name, @user or an id",
        },
        "text": {"type": "string", "minLength": 1, "maxLength": 40_000},
        "thread_ts": {"type": "string", "maxLength": 50, "description": "the message to answer in its thread"},
    },
    "required": ["channel", "text"],
    "additionalProperties": False,
}  # fmt: skip


class SlackTool(ToolBase):
    """Posts with a bot token (`chat:write`), from the argument or TERCET_SLACK_TOKEN."""

    def __init__(
        self,
        *,
        token: str | None = None,
        base_url: str = "https://slack.com/api/",
        timeout_seconds: float = 20.0,
    ) -> None:
        super().__init__(
            name="slack",
            description="Posts a message to a Slack channel.",
            input_schema=_INPUT_SCHEMA,
            timeout_seconds=timeout_seconds + 5,
            prose_fields=frozenset({"text"}),
        )
        self._token = token or os.environ.get("TERCET_SLACK_TOKEN")
        self._base_url = base_url
        self._limit_seconds = timeout_seconds

    async def call(self, arguments: dict[str, Any], *, idempotency_key: str) -> dict[str, Any]:
        """Post; return {channel, ts}."""
        if self._token is None:
            raise ToolFailed("No Slack token is set (TERCET_SLACK_TOKEN)")
        return await asyncio.to_thread(self._post, self._token, arguments)

    def _post(self, token: str, arguments: dict[str, Any]) -> dict[str, Any]:
        from slack_sdk import WebClient
        from slack_sdk.errors import SlackApiError

        client = WebClient(token=token, base_url=self._base_url, timeout=int(self._limit_seconds))
        try:
            answer = client.chat_postMessage(
                channel=arguments["channel"], text=arguments["text"], thread_ts=arguments.get("thread_ts")
            )
        except SlackApiError as error:
            raise ToolFailed(
                f"Slack refused the message: {error.response.get('error', 'unknown')}"
            ) from error
        except OSError as error:
            raise ToolFailed("Slack cannot be reached") from error
        return {"channel": answer.get("channel"), "ts": answer.get("ts")}
