"""What is told to the outside: who wants to hear of what, each delivery, messages taken in, masked data shown."""

from __future__ import annotations

import sqlalchemy as sa

from tercet.store.tables.columns import Id, Ms, id_column, metadata
from tercet.store.tables.sealed import Sealed

subscriptions = sa.Table(
    "subscriptions",
    metadata,
    id_column(),
    sa.Column("owner_id", sa.String(200), nullable=False),
    sa.Column("channel", sa.String(20), nullable=False),
    sa.Column("target", sa.Text, nullable=False),
    sa.Column("events", sa.Text, nullable=False),
    sa.Column("secret_sealed", sa.Text),
    sa.Column("created_by", sa.String(200), nullable=False),
    sa.Column("created_at_ms", Ms, nullable=False),
    sa.Column("deleted_at_ms", Ms),
    sa.Index(None, "owner_id", "id"),
    sqlite_with_rowid=False,
)
"""`target` is what people may see: a webhook's URL, an e-mail address, Slack's host. `secret_sealed` is the
signing key of a webhook, or the whole URL of a Slack hook."""

deliveries = sa.Table(
    "deliveries",
    metadata,
    id_column(),
    sa.Column("subscription_id", Id, nullable=False),
    sa.Column("owner_id", sa.String(200), nullable=False),
    sa.Column("event", sa.String(50), nullable=False),
    sa.Column("execution_id", Id),
    sa.Column("body", Sealed("deliveries.body"), nullable=False),
    sa.Column("status", sa.String(20), nullable=False),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("answer_status", sa.Integer),
    sa.Column("error", Sealed("deliveries.error")),
    sa.Column("created_at_ms", Ms, nullable=False),
    sa.Column("next_at_ms", Ms),
    sa.Column("ended_at_ms", Ms),
    sa.Index(None, "subscription_id", "id"),
    sqlite_with_rowid=False,
)
"""The id is the message's `webhook-id`, the same in every attempt; `body` is the exact text that is signed."""

received_messages = sa.Table(
    "received_messages",
    metadata,
    sa.Column("sender", sa.String(200), primary_key=True),
    sa.Column("message_id", sa.String(200), primary_key=True),
    sa.Column("at_ms", Ms, nullable=False),
    sa.Index(None, "at_ms"),
    sqlite_with_rowid=False,
)
"""Signed messages that were taken, for as long as their timestamp would still be accepted."""

reveals = sa.Table(
    "reveals",
    metadata,
    id_column(),
    sa.Column("owner_id", sa.String(200), nullable=False),
    sa.Column("user", sa.String(200), nullable=False),
    sa.Column("role", sa.String(20), nullable=False),
    sa.Column("execution_id", Id, nullable=False),
    sa.Column("what", sa.String(200), nullable=False),
    sa.Column("at_ms", Ms, nullable=False),
    sa.Index(None, "owner_id", "id"),
    sqlite_with_rowid=False,
)
"""Who looked at an execution's data unmasked, and when."""
