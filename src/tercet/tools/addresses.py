"""Which addresses of the outside a tool may reach: URL, host and resolved address, each by its own rule.

Sources: OWASP "Server-Side Request Forgery Prevention"; IANA special-purpose address registries (RFC 6890).
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from urllib.parse import urlsplit

LONGEST_URL = 2_000
_SCHEMES = {"http": 80, "https": 443}
_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_ODD_NUMBER = re.compile(r"(?:0x[0-9a-f]*|\d+)(?:\.(?:0x[0-9a-f]*|\d+))*\.?")
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_METADATA = frozenset(
    ipaddress.ip_address(text)
    for text in ("169.254.169.254", "169.254.170.2", "100.100.100.200", "fd00:ec2::254")
)
Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


class RefusedAddress(Exception):
    """The URL, host or address is not allowed; the message says which rule refused it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Target:
    """A URL whose form is allowed."""

    scheme: str
    host: str
    """Lower case, without a final dot; an IPv6 address without brackets."""
    port: int


def check_url(url: str, *, allowed_domains: Collection[str] = ()) -> Target:
    """Return where the URL leads, if its form and its host are allowed. Raises RefusedAddress."""
    if len(url) > LONGEST_URL:
        raise RefusedAddress(f"the URL is longer than {LONGEST_URL} characters")
    if any(ord(character) <= 0x20 or character in "\\\x7f" for character in url):
        raise RefusedAddress("the URL contains a space, a backslash or a control character")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise RefusedAddress("the URL cannot be read") from error
    if parts.scheme not in _SCHEMES:
        raise RefusedAddress("only http and https are allowed")
    if "@" in parts.netloc:
        raise RefusedAddress("the URL carries user information before its host")
    host = _host(parts.hostname or "")
    if allowed_domains and not is_allowed(host, allowed_domains):
        raise RefusedAddress(f"the host {host!r} is not on the list of allowed domains")
    if port == 0:
        raise RefusedAddress("port 0 is no port")
    return Target(scheme=parts.scheme, host=host, port=port or _SCHEMES[parts.scheme])


def _host(raw: str) -> str:
    host = raw.rstrip(".").lower() if not raw.endswith("..") else raw
    if not host or "%" in host:
        raise RefusedAddress("the URL has no host, or one with a zone or an encoded character")
    if ":" in host:
        try:
            return str(IPv6Address(host))
        except ValueError as error:
            raise RefusedAddress("the host is no IPv6 address") from error
    try:
        host = host.encode("idna").decode("ascii") if not host.isascii() else host
    except UnicodeError as error:
        raise RefusedAddress("the host is no name") from error
    try:
        return str(IPv4Address(host))
    except ValueError:
        pass
    # 2130706433, 0x7f.1, 017700000001: resolvers read these as addresses, people as something else.
    if _ODD_NUMBER.fullmatch(host):
        raise RefusedAddress("the host is an address in an unusual notation")
    if len(host) > 253 or not all(_LABEL.fullmatch(label) for label in host.split(".")):
        raise RefusedAddress("the host is no name")
    return host


def is_allowed(host: str, allowed_domains: Collection[str]) -> bool:
    """Return whether a rule names the host: exactly (`api.example.com`), or as a subdomain (`*.example.com`)."""
    return any(
        host.endswith(rule[1:]) and len(host) > len(rule[1:]) if rule.startswith("*.") else host == rule
        for rule in allowed_domains
    )


def check_rule(rule: str) -> str:
    """Return an allow-list rule in its normal form. Raises ValueError."""
    text = rule.strip().lower().rstrip(".")
    name = text.removeprefix("*.")
    try:
        normal = _host(name)
    except RefusedAddress as error:
        raise ValueError(f"{rule!r} is no domain: write api.example.com or *.example.com") from error
    return f"*.{normal}" if text.startswith("*.") else normal


def check_address(text: str, *, allowed_networks: Sequence[Network] = ()) -> str:
    """Return the address if it is public or explicitly allowed. Raises RefusedAddress."""
    address = _plain(ipaddress.ip_address(text.partition("%")[0]))
    if any(address in network for network in allowed_networks if network.version == address.version):
        return text
    if address in _METADATA:
        raise RefusedAddress("the host leads to a cloud's metadata service")
    if not address.is_global or address.is_multicast or address.is_reserved or address.is_unspecified:
        raise RefusedAddress("the host leads to an address that is not public")
    return text


def _plain(address: Address) -> Address:
    """Return the IPv4 address inside an IPv6 one: mapped, 6to4, Teredo, NAT64, compatible."""
    if isinstance(address, IPv4Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address.teredo is not None:
        return address.teredo[1]
    if address in _NAT64 or (int(address) >> 32 == 0 and int(address) > 1):
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address
