"""Who wants to hear of what: webhooks, e-mail addresses, Slack channels of an owner."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, EmailStr, Field

from tercet.domain.codec import from_json, to_json
from tercet.domain.errors import InvalidInput, NotFound
from tercet.domain.sealing import Keyring
from tercet.domain.webhooks import check_secret, new_secret
from tercet.engine.engine import Engine
from tercet.humans.person import Person
from tercet.store import statements as sql
from tercet.store.notices import all_subscriptions, list_deliveries
from tercet.store.reader import Record
from tercet.store.unit import Unit
