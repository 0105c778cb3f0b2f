"""A manifest to start from, with the banner comments of spec 2."""

from __future__ import annotations

import re
from pathlib import Path

from tercet.domain.errors import Conflict, InvalidInput
from tercet.manifest.handlers import NAME_PATTERN

_RULE = "─" * 57
_MANIFEST = """\
name: {name}
description: Drafts a reply to every message, lets a person decide, and sends what was approved.

events:
  - name: message.received
    description: A message came in; emitted from outside.
    schema:
      type: object
      properties:
        from: {{type: string}}
        text: {{type: string}}
      required: [from, text]
  - name: reply.drafted
    description: The agent wrote a reply.
  - name: reply.approved
    description: A person approved the reply.
  - name: reply.dropped
    description: Nobody wants this reply (final).
  - name: reply.sent
    description: The reply is out (final).

agents:
  # {rule}
  # REPLY WRITER AGENT
  # Executor: 🤖 Agent
  # {rule}
  - name: reply-writer
    triggers:
      - event: message.received
    emits:
      - event: reply.drafted
        carry: [from, text]
    contract:
      output_schema: output_schema.yaml
    config:
      model: haiku
    limits:
      max_cost_usd: 0.05

humans:
  # {rule}
  # APPROVAL (Single Human Touchpoint)
  # Triggered by: 👤 Human
  # {rule}
  - name: approve-reply
    trigger:
      event: reply.drafted
    title: "Reply to {{{{ from }}}}"
    summary: [from, text]
    editable: [reply]
    timeout: 72h
    emits:
      - event: reply.approved
        on: approve
      - event: reply.dropped
        on: reject
      - event: reply.dropped
        on: timeout

functions:
  # {rule}
  # SENDING
  # Executor: ⚙️ Automated
  # {rule}
  - name: send-reply
    trigger:
      event: reply.approved
    requires_approval: approve-reply
    handler: handlers:send_reply
    emits:
      - reply.sent
"""
_HANDLERS = '''\
"""The functions of this manifest. A step runs once, however often the task is retried."""

from __future__ import annotations

from typing import Any


async def send_reply(event: dict[str, Any], ctx: Any) -> dict[str, Any]:
    """Send what a person approved: here into the log; put your mail client into `deliver`."""
    data = event["data"]
    return await ctx.step("deliver", deliver, ctx, data["from"], data["reply"])


async def deliver(ctx: Any, to: str, text: str) -> dict[str, Any]:
    """Hand the message over. `ctx.idempotency_key` is the same on every attempt."""
    ctx.log.info("reply.sent", to=to, characters=len(text), key=ctx.idempotency_key)
    return {"to": to, "characters": len(text)}
'''
_INSTRUCTIONS = """\
# Reply writer

You write short, friendly replies to messages.

- Answer in the language of the message.
- At most 80 words. No promises about money or dates.
- If the message is not something one replies to, answer with `success: false` and say why in `error`.
"""
_SCHEMA = """\
type: object
properties:
  success: {type: boolean}
  error: {type: string}
  reply: {type: string, maxLength: 1000}
required: [success, reply]
"""
_README = """\
# {name}

    tercet manifest check .
    tercet manifest graph . --format svg --out graph.svg
    tercet run . --event message.received --data '{{"from": "ada@example.org", "text": "Are you open on Monday?"}}'
"""


def new_manifest(directory: Path, name: str) -> list[Path]:
    """Write the files and return them. Raises Conflict when one exists, InvalidInput for a name that is none."""
    if not re.fullmatch(NAME_PATTERN, name):
        raise InvalidInput(
            f"{name!r} is no name for a manifest", hint="letters, digits, - and _; begin with a letter"
        )
    files = {
        "manifest.yaml": _MANIFEST.format(name=name, rule=_RULE),
        "handlers.py": _HANDLERS,
        "agents/reply-writer/CLAUDE.md": _INSTRUCTIONS,
        "agents/reply-writer/output_schema.yaml": _SCHEMA,
        "README.md": _README.format(name=name),
    }
    taken = [path for path in files if (directory / path).exists()]
    if taken:
        raise Conflict(f"{directory / taken[0]} exists", hint="choose an empty folder; nothing was written")
    written = []
    for path, text in files.items():
        target = directory / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
        written.append(target)
    return written
