"""Budgets: what is spent and reserved in each scope, and whether an estimate still fits.

One book a process; it learns a scope's sum from the ledger once and keeps it in step afterwards, so a check
and the reservation that follows it happen without an await in between.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from tercet.domain.prices import from_pico, to_pico
from tercet.engine.definition import BudgetRule

_MOST_SCOPES = 10_000
Spent = Callable[..., Awaitable[tuple[int, int]]]
"""(owner_id, execution_id, agent, day) → (picodollars, tokens) that were spent or reserved so far."""
Scope = tuple[str, str, str]
"""(kind, owner, key)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Spender:
    """Who spends."""

    owner_id: str
    execution_id: str
    agent: str
    day: str
    fresh: bool = False
    """The execution began in this process, so what the book knows of it is all there is."""

    def scope(self, rule: BudgetRule) -> Scope:
        """Return the scope that the rule counts for this spender."""
        key = {"execution": self.execution_id, "agent": self.agent, "owner": "", "day": self.day}[rule.scope]
        return (rule.scope, self.owner_id, key)


@dataclass(frozen=True, kw_only=True, slots=True)
class Refusal:
    """Which rule an estimate breaks, in words for people."""

    rule: BudgetRule
    message: str


class BudgetBook:
    """Sums by scope."""

    def __init__(self, spent: Spent) -> None:
        self._spent = spent
        self._sums: OrderedDict[Scope, list[int]] = OrderedDict()

    async def learn(self, spender: Spender, rules: Sequence[BudgetRule]) -> None:
        """Make sure that the sums of all scopes are known."""
        for rule in rules:
            if rule.scope == "call" or (scope := spender.scope(rule)) in self._sums:
                continue
            if rule.scope == "execution" and spender.fresh:
                self._sums[scope] = [0, 0]
                continue
            pico, tokens = await self._spent(
                owner_id=spender.owner_id,
                execution_id=spender.execution_id if rule.scope == "execution" else None,
                agent=spender.agent if rule.scope == "agent" else None,
                day=spender.day if rule.scope == "day" else None,
            )
            self._sums.setdefault(scope, [pico, tokens])
        while len(self._sums) > _MOST_SCOPES:
            self._sums.popitem(last=False)

    def refusal(
        self,
        spender: Spender,
        rules: Sequence[BudgetRule],
        *,
        estimate_usd: Decimal | None,
        tokens: int,
        allow_unpriced: bool,
    ) -> Refusal | None:
        """Return the first rule that the estimate does not fit into, or None."""
        for rule in rules:
            if rule.name is not None and rule.name != spender.agent:
                continue
            used_pico, used_tokens = (
                (0, 0) if rule.scope == "call" else self._sums.get(spender.scope(rule), (0, 0))
            )
            if rule.limit_usd is not None:
                if estimate_usd is None:
                    if not allow_unpriced:
                        return Refusal(
                            rule=rule,
                            message=f"the {rule.scope} budget is in dollars, and the model has no known price",
                        )
                elif used_pico + to_pico(estimate_usd) > to_pico(rule.limit_usd):
                    return Refusal(
                        rule=rule,
                        message=f"the {rule.scope} budget of ${rule.limit_usd:.4f} has ${from_pico(used_pico):.4f} spent or "
                        f"reserved; the call may cost ${estimate_usd:.4f}",
                    )
            if rule.limit_tokens is not None and used_tokens + tokens > rule.limit_tokens:
                return Refusal(
                    rule=rule,
                    message=f"the {rule.scope} budget of {rule.limit_tokens:,} tokens has {used_tokens:,} spent or reserved; "
                    f"the call may use {tokens:,}",
                )
        return None

    def add(self, spender: Spender, rules: Sequence[BudgetRule], *, pico: int, tokens: int) -> None:
        """Count a reservation, or the difference when one is settled."""
        for scope in {spender.scope(rule) for rule in rules if rule.scope != "call"}:
            sums = self._sums.get(scope)
            if sums is not None:
                sums[0] += pico
                sums[1] += tokens
