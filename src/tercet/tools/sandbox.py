"""ToolSandbox: how often tools may be called, where they may reach, which input they may see (spec 3, Security)."""

from __future__ import annotations

import ipaddress
from typing import Any

from limits import RateLimitItemPerSecond
from limits.storage import MemoryStorage, Storage
from limits.strategies import MovingWindowRateLimiter

from tercet.tools.addresses import Network, RefusedAddress, check_rule, check_url
from tercet.tools.safe_http import Reach
from tercet.tools.suspicious import Finding, suspicious_arguments


class ToolSandbox:
    """One object may serve many executors: they then share its limits. Limits count calls in a moving window."""

    def __init__(self, *, storage: Storage | None = None) -> None:
        self._limits: dict[str, RateLimitItemPerSecond] = {}
        self._limiter = MovingWindowRateLimiter(storage or MemoryStorage())
        self._domains: set[str] = set()
        self._networks: list[Network] = []

    @property
    def allowed_domains(self) -> frozenset[str]:
        """The allow-list; empty means every public host."""
        return frozenset(self._domains)

    @property
    def reach(self) -> Reach:
        """What requests may reach."""
        return Reach(allowed_domains=self.allowed_domains, allowed_networks=tuple(self._networks))

    def set_rate_limit(self, tool_name: str, max_calls: int, window_seconds: int) -> None:
        """Allow `max_calls` in any `window_seconds`. Raises ValueError for values that are not positive."""
        if max_calls < 1 or window_seconds < 1:
            raise ValueError("max_calls and window_seconds have to be at least 1")
        self._limits[tool_name] = RateLimitItemPerSecond(max_calls, window_seconds)

    def add_allowed_domain(self, domain: str) -> None:
        """Allow `api.example.com`, or with `*.example.com` its subdomains. Raises ValueError for anything else."""
        self._domains.add(check_rule(domain))

    def allow_network(self, network: str) -> None:
        """Allow addresses that are not public, for example `10.1.2.0/24`. Raises ValueError."""
        self._networks.append(ipaddress.ip_network(network))

    def check_rate_limit(self, tool_name: str, caller: str = "") -> bool:
        """Count a call; return whether it is within the limit. Each caller has its own window."""
        limit = self._limits.get(tool_name)
        return limit is None or self._limiter.hit(limit, tool_name, caller)

    def limit_of(self, tool_name: str) -> tuple[int, int] | None:
        """Return (max_calls, window_seconds), or None."""
        limit = self._limits.get(tool_name)
        return None if limit is None else (limit.amount, limit.multiples)

    def validate_input(self, tool_name: str, arguments: Any) -> bool:
        """Return whether the arguments are an object without suspicious text and with an allowed `url`."""
        return isinstance(arguments, dict) and self.finding(tool_name, arguments) is None

    def finding(
        self, tool_name: str, arguments: dict[str, Any], *, except_fields: frozenset[str] = frozenset()
    ) -> Finding | None:
        """Return what is wrong with the arguments, or None."""
        url = arguments.get("url")
        if isinstance(url, str) and tool_name == "http_request":
            try:
                check_url(url, allowed_domains=self._domains)
            except RefusedAddress as error:
                return Finding(place="/url", rule=str(error))
        return suspicious_arguments(arguments, except_fields=except_fields)
