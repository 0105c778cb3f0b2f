"""An agent's money limits as the engine's budget rules."""

from __future__ import annotations

from tercet.agent.config import Limits
from tercet.engine.definition import BudgetRule


def budget_rules(limits: Limits) -> list[BudgetRule]:
    """Return a rule for each limit that is set: per call, run, agent, day, owner."""
    pairs = (
        ("call", limits.max_call_usd),
        ("execution", limits.max_cost_usd),
        ("agent", limits.max_agent_usd),
        ("day", limits.max_day_usd),
        ("owner", limits.max_owner_usd),
    )
    rules = [
        BudgetRule(scope=scope, limit_usd=limit, on_limit=limits.on_limit)
        for scope, limit in pairs
        if limit is not None
    ]
    if limits.max_run_tokens is not None:
        rules.append(
            BudgetRule(scope="execution", limit_tokens=limits.max_run_tokens, on_limit=limits.on_limit)
        )
    return rules
