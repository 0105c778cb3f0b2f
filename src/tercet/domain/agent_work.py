"""Words that agent workers and the server share."""

from __future__ import annotations

HANDED_BACK = "handed_back"
"""The `error_type` of an agent that ends and gives its work back: no failure, and open for others at once."""
