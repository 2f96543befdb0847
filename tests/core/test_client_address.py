"""A visitor's IP address comes from the configured proxies, and never from what a client adds."""

from typing import Any

import pytest
from django.test import RequestFactory

from apps.core import client_address
from apps.core.client_address import UNKNOWN, network_of, request_address, scope_address, visitor_address

PEER = "10.0.0.2"
VISITOR = "198.51.100.7"
INNER = "10.0.0.9"


@pytest.mark.parametrize(
    ("proxies", "forwarded", "address"),
    [
        pytest.param(0, "", PEER, id="no proxy"),
        pytest.param(0, "203.0.113.1", PEER, id="no proxy, and a client with a forged header"),
        pytest.param(1, VISITOR, VISITOR, id="one proxy"),
        pytest.param(1, f"203.0.113.1, {VISITOR}", VISITOR, id="one proxy, and a client with a forged header"),
        pytest.param(
            1, f"203.0.113.1,203.0.113.2,{VISITOR}", VISITOR, id="one proxy, and a client with a long forged header"
        ),
        pytest.param(1, "", PEER, id="past the one proxy"),
        pytest.param(2, f"{VISITOR}, {INNER}", VISITOR, id="two proxies"),
        pytest.param(
            2, f"203.0.113.1, {VISITOR}, {INNER}", VISITOR, id="two proxies, and a client with a forged header"
        ),
        pytest.param(2, "203.0.113.1", PEER, id="past the outer of two proxies"),
        pytest.param(1, "nonsense", PEER, id="no address at all"),
        pytest.param(1, "", PEER, id="an empty header"),
        pytest.param(1, f"{'0' * 100}{VISITOR}", PEER, id="a text that is too long for an address"),
        pytest.param(1, f"{VISITOR}:4711", VISITOR, id="with a port"),
        pytest.param(1, "[2001:db8::1]:443", "2001:db8::1", id="IPv6 with a port"),
        pytest.param(1, "2001:DB8:0:0::1", "2001:db8::1", id="IPv6 in another form"),
        pytest.param(1, "::ffff:198.51.100.7", VISITOR, id="IPv4 within IPv6"),
    ],
)
def test_the_visitor_is_the_client_of_the_outermost_proxy(
    settings: Any, proxies: int, forwarded: str, address: str
) -> None:
    settings.PUNTO_PROXIES = proxies
    assert visitor_address(PEER, forwarded, proxies=proxies) == address
    request = RequestFactory().get("/", REMOTE_ADDR=PEER, headers={"X-Forwarded-For": forwarded})
    assert request_address(request) == address
    headers = [(b"host", b"x"), *((b"x-forwarded-for", part.encode()) for part in forwarded.split(",") if part)]
    assert scope_address({"client": [PEER, 4711], "headers": headers}) == address


def test_a_long_text_of_a_client_is_not_kept() -> None:
    before = client_address._parsed.cache_info().currsize
    assert visitor_address(PEER, f"{VISITOR}%{'x' * 60_000}", proxies=1) == PEER
    assert client_address._parsed.cache_info().currsize <= before + 1  # the peer


def test_clients_without_an_address_share_one_limit(settings: Any) -> None:
    assert scope_address({"client": None, "headers": []}) == UNKNOWN
    assert scope_address({"client": ("", 0), "headers": []}) == UNKNOWN
    assert network_of(UNKNOWN) == UNKNOWN


def test_an_ipv6_network_of_a_customer_shares_limits_and_an_ipv4_address_does_not() -> None:
    assert network_of("2001:db8:1:2::3") == network_of("2001:db8:1:2:ffff::4") != network_of("2001:db8:1:3::3")
    assert network_of("198.51.100.7") != network_of("198.51.100.8")
