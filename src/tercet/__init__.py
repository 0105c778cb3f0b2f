"""Tercet runs work that is shared by agents, humans and code."""

from __future__ import annotations

__version__ = "0.1.0"
__all__ = ["__version__"]
