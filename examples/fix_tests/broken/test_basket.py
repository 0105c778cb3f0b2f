"""How a basket has to behave."""

from __future__ import annotations

import unittest
from decimal import Decimal

from basket import count, total


class BasketTest(unittest.TestCase):
    """Totals, discounts, pieces."""

    def test_total_adds_up(self) -> None:
        assert total(["0.10", "0.20"]) == Decimal("0.30")

    def test_discount_is_in_percent_and_rounded_to_cents(self) -> None:
        assert total(["9.99"], discount_percent=15) == Decimal("8.49")

    def test_count_counts_pieces(self) -> None:
        assert count({"apple": 3, "pear": 2}) == 5


if __name__ == "__main__":
    unittest.main()
