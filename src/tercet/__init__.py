"""Tercet runs work that is shared by agents, humans and code.

The names in `__all__` are the public interface; everything else may move. A name is imported from its home
when it is first used, so `import tercet` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__version__ = "0.1.0"

__all__ = ["__version__"]

# Hidden from type checkers, which would take every misspelt name for a known one.
if not TYPE_CHECKING:
    _HOMES: dict[str, str] = {}

    def __getattr__(name: str) -> object:
        """Import a public name from the module that owns it. Raises AttributeError for any other name."""
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module 'tercet' has no public name {name!r}")
        from importlib import import_module

        value = getattr(import_module(home), name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
