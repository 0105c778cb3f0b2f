"""ToolBase: what a tool inherits, so that its author writes the work alone (spec 3, Creating Custom Tools)."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, ClassVar
from uuid import uuid4

from tercet.domain.running import run_sync
from tercet.domain.schema_check import schema_violation
from tercet.domain.tool import DEFAULT_MAX_OUTPUT_BYTES, DEFAULT_TIMEOUT_SECONDS, ToolFailed

_OWN_PACKAGE = "tercet."
_ANY_OBJECT: dict[str, Any] = {"type": "object"}


class ToolBase:
    """Subclass it, call `super().__init__(name=…, description=…)`, write `_execute_impl(arguments)`.

    `_execute_impl` may be plain (it then runs in a thread) or `async`. Its result is JSON-ready. Raise
    `ToolFailed` for a failure whose text the model may read.
    """

    _classes: ClassVar[dict[str, type[ToolBase]]] = {}

    def __init__(
        self,
        *,
        name: str,
        description: str,
        version: str = "1",
        input_schema: Mapping[str, Any] | None = None,
        side_effects: bool = True,
        idempotent: bool = False,
        requires_approval: bool = False,
        fatal: bool = False,
        timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS,
        max_output_bytes: int = DEFAULT_MAX_OUTPUT_BYTES,
        cache_ttl_seconds: float = 0.0,
        prose_fields: frozenset[str] = frozenset(),
    ) -> None:
        self.name = name
        self.description = description
        self.version = version
        self.input_schema = dict(input_schema or _ANY_OBJECT)
        self.side_effects = side_effects
        self.idempotent = idempotent
        self.requires_approval = requires_approval
        self.fatal = fatal
        self.timeout_seconds = timeout_seconds
        self.max_output_bytes = max_output_bytes
        self.cache_ttl_seconds = cache_ttl_seconds
        self.prose_fields = prose_fields

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        # The built-in tools have their names and their set-up; a class name must not lead around that.
        if not cls.__module__.startswith(_OWN_PACKAGE):
            ToolBase._classes[cls.__name__] = cls

    @property
    def permission(self) -> str:
        """The permission that a caller needs."""
        return f"tool:{self.name}"

    def changes_world(self, arguments: dict[str, Any]) -> bool:
        """Return whether this very call has side effects."""
        return self.side_effects

    @staticmethod
    def class_named(name: str) -> type[ToolBase] | None:
        """Return the subclass of this name that the process has defined; nothing is imported for it."""
        return ToolBase._classes.get(name)

    def _execute_impl(self, arguments: dict[str, Any]) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no _execute_impl")

    async def call(self, arguments: dict[str, Any], *, idempotency_key: str) -> Any:
        """Do the work; a plain `_execute_impl` runs in a thread. Tools with a use for the key override this."""
        if inspect.iscoroutinefunction(self._execute_impl):
            return await self._execute_impl(arguments)
        value = await asyncio.to_thread(self._execute_impl, arguments)
        return await value if inspect.isawaitable(value) else value

    def execute(self, arguments: Any) -> Any:
        """Call the tool without a guard: {success, result} or {success, error}.

        Outside an event loop it returns the dict, inside a running one a coroutine for it.
        """
        return run_sync(self._execute(arguments))

    async def _execute(self, arguments: Any) -> dict[str, Any]:
        if not isinstance(arguments, dict):
            return {"success": False, "error": "the arguments must be an object"}
        violation = schema_violation(self.input_schema, to_plain(arguments))
        if violation is not None:
            return {"success": False, "error": self.explain(violation, arguments)}
        try:
            result = await self.call(arguments, idempotency_key=f"direct:{uuid4()}")
        except ToolFailed as error:
            return {"success": False, "error": str(error)}
        return {"success": True, "result": result}

    def explain(self, violation: str, arguments: dict[str, Any]) -> str:
        """Return the words for arguments that break the schema."""
        return f"the arguments of {self.name!r} are wrong at {violation}"


def to_plain(value: Any) -> Any:
    """Return the JSON form of a value that Python code may have made: decimals as numbers, tuples as lists."""
    return json.loads(json.dumps(value, default=_number))


def _number(value: Any) -> Any:
    if isinstance(value, Decimal):
        return float(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")
