"""Where tools may reach: a matrix of hostile URLs, hosts and addresses."""

from __future__ import annotations

import asyncio
import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.tools.addresses import RefusedAddress, Target, check_address, check_rule, check_url, is_allowed
from tercet.tools.safe_http import Reach, checked_address

REFUSED_FORMS = (
    "ftp://example.com/", "file:///etc/passwd", "gopher://example.com/", "javascript:alert(1)", "//example.com/", "rm -rf /",
    "http://", "http:///path", "http://user@example.com/", "http://api.example.com@evil.tld/", "http://a:b@example.com/",
    "http://exa mple.com/", "http://example.com\\@evil.tld/", "http://example.com/\r\nHost: evil", "http://2130706433/",
    "http://017700000001/", "http://0x7f000001/", "http://0x7f.1/", "http://127.1/", "http://0177.0.0.1/", "http://[::1",
    "http://[fe80::1%25eth0]/", "http://example.com:0/", "http://example.com:99999/", "http://-bad-.com/", "http://a..b/",
    "http://" + "a" * 64 + ".com/", "http://example.com/" + "a" * 2_000, "http://ex\x00ample.com/",
)  # fmt: skip
PRIVATE = (
    "127.0.0.1", "127.8.9.10", "10.0.0.1", "172.16.5.4", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
    "255.255.255.255", "192.0.2.1", "198.18.0.1", "::1", "::", "fe80::1", "fc00::1", "fd00:ec2::254", "ff02::1",
    "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:db8::1", "100.100.100.200",
)  # fmt: skip


@pytest.mark.parametrize("url", REFUSED_FORMS)
def test_a_url_of_a_hostile_form_is_refused(url: str):
    with pytest.raises(RefusedAddress):
        check_url(url)


@pytest.mark.parametrize(
    "host",
    [
        "api.example.com.evil.tld",
        "evilapi.example.com",
        "example.com",
        "xapi.example.com",
        "api.example.com.",
        "API.EXAMPLE.COM",
    ],
)
def test_the_allow_list_names_exact_hosts(host: str):
    allowed = host.rstrip(".").lower() == "api.example.com"

    if allowed:
        assert check_url(f"https://{host}/x", allowed_domains=["api.example.com"]).host == "api.example.com"
    else:
        with pytest.raises(RefusedAddress, match="not on the list"):
            check_url(f"https://{host}/x", allowed_domains=["api.example.com"])


def test_a_subdomain_rule_means_subdomains_and_not_the_domain_itself():
    rule = check_rule("*.Example.com")

    assert is_allowed("a.example.com", [rule])
    assert is_allowed("a.b.example.com", [rule])
    assert not is_allowed("example.com", [rule])
    assert not is_allowed("badexample.com", [rule])


@pytest.mark.parametrize(
    "rule", ["", "http://example.com", "exa mple.com", "*", "*.", "a/b", "*.*.com", "user@host"]
)
def test_a_rule_that_is_no_domain_is_refused(rule: str):
    with pytest.raises(ValueError, match="is no domain"):
        check_rule(rule)


@pytest.mark.parametrize("address", PRIVATE)
def test_an_address_that_is_not_public_is_refused(address: str):
    with pytest.raises(RefusedAddress):
        check_address(address)


@pytest.mark.parametrize("address", ["93.184.216.34", "8.8.8.8", "2606:2800:220:1:248:1893:25c8:1946"])
def test_a_public_address_is_allowed(address: str):
    assert check_address(address) == address


def test_an_explicit_network_is_allowed_although_it_is_not_public():
    network = [ipaddress.ip_network("10.1.2.0/24")]

    assert check_address("10.1.2.3", allowed_networks=network) == "10.1.2.3"
    with pytest.raises(RefusedAddress):
        check_address("10.1.3.3", allowed_networks=network)


@given(st.ip_addresses(v=4))
def test_an_ipv4_address_inside_an_ipv6_one_is_judged_like_itself(address: ipaddress.IPv4Address):
    mapped = f"::ffff:{address}"

    assert _is_refused(str(address)) == _is_refused(mapped)


@given(st.text(max_size=80))
def test_no_text_makes_the_check_fail_otherwise_than_by_refusing(text: str):
    for url in (text, f"http://{text}/", f"https://{text}"):
        try:
            target = check_url(url)
        except RefusedAddress:
            continue
        assert target.scheme in ("http", "https")
        assert target.host


def test_one_private_address_among_public_ones_refuses_the_host():
    async def resolver(_host: str, _port: int) -> list[str]:
        return ["93.184.216.34", "127.0.0.1"]

    target = Target(scheme="http", host="two-faced.example", port=80)
    with pytest.raises(RefusedAddress):
        asyncio.run(checked_address(target, Reach(), resolver))


def _is_refused(address: str) -> bool:
    try:
        check_address(address)
    except RefusedAddress:
        return True
    return False
