"""The same two-turn run with one tool call, in the way of each framework; each runs in an environment of its own."""

from __future__ import annotations
