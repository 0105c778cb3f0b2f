"""One rule for doors that are called from plain and from asynchronous code (DESIGN, conflicts settled)."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run_sync(coroutine: Coroutine[Any, Any, T]) -> T | Coroutine[Any, Any, T]:
    """Outside an event loop run to the end and return the result; inside one return the coroutine."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    return coroutine
