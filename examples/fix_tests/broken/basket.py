"""What a basket costs. Two things are wrong here; the tests say which."""

from __future__ import annotations

from decimal import Decimal


def total(prices: list[str], *, discount_percent: int = 0) -> Decimal:
    """Return the sum of prices, less the discount, in full cents."""
    whole = sum((Decimal(price) for price in prices), Decimal(0))
    return whole - whole * discount_percent


def count(items: dict[str, int]) -> int:
    """Return how many pieces are in the basket."""
    return len(items)
