"""The composition root: the one place that names concrete adapters. Reading it shows the whole machine."""

from __future__ import annotations

from tercet.wiring.node import Tercet
from tercet.wiring.opening import open_tercet, settle_memory
from tercet.wiring.parts import installed_tools

__all__ = ["Tercet", "installed_tools", "open_tercet", "settle_memory"]
