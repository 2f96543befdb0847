"""The visitor's IP address, which limits are counted by. Behind proxies they state it; a client's additions are
ignored."""

from collections.abc import Mapping
from functools import lru_cache
from ipaddress import AddressValueError, IPv6Address, IPv6Network, ip_address
from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest

UNKNOWN: Final = "unknown"
"""Stands for clients without an address, as behind a Unix socket. They share their limits."""
MAX_ADDRESS_CHARS: Final = 100
"""More than any address with its port and zone has. A client may write longer texts, which are not kept."""
IPV6_PREFIX: Final = 64
"""The size of one customer's IPv6 network, which contains any number of addresses."""


def visitor_address(peer: str, forwarded: str, *, proxies: int) -> str:
    """Return the address of the outermost proxy's client.

    `peer` is the address of the connection. `forwarded` is the value of `X-Forwarded-For`, to which each proxy appends
    its client's address. A header with fewer entries than proxies did not pass all of them, so the connection's address
    counts.
    """
    entries = [entry.strip() for entry in forwarded.split(",")] if forwarded else []
    told = entries[-proxies] if 0 < proxies <= len(entries) else peer
    return _normal(told) or _normal(peer) or UNKNOWN


def scope_address(scope: Mapping[str, Any]) -> str:
    """Return the visitor's address of an ASGI scope of HTTP or of a socket."""
    client = scope.get("client")
    forwarded = ",".join(str(value, "latin-1") for name, value in scope["headers"] if name == b"x-forwarded-for")
    return visitor_address(client[0] if client else "", forwarded, proxies=settings.PUNTO_PROXIES)


def request_address(request: HttpRequest) -> str:
    """Return the visitor's address of a request."""
    peer, forwarded = request.META.get("REMOTE_ADDR", ""), request.META.get("HTTP_X_FORWARDED_FOR", "")
    return visitor_address(peer, forwarded, proxies=settings.PUNTO_PROXIES)


def network_of(address: str) -> str:
    """Return the network that shares a limit: one IPv4 address, or a customer's IPv6 network."""
    if ":" not in address:
        return address
    return str(IPv6Network((IPv6Address(address), IPV6_PREFIX), strict=False))


def _normal(text: str) -> str:
    """Return an address in canonical form without a port; empty for an invalid one."""
    return _parsed(text) if len(text) <= MAX_ADDRESS_CHARS else ""


@lru_cache(maxsize=4_096)
def _parsed(text: str) -> str:
    if text.startswith("["):  # [2001:db8::1]:443
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:  # 192.0.2.1:443
        text = text.partition(":")[0]
    try:
        address = ip_address(text.partition("%")[0])
    except (ValueError, AddressValueError):
        return ""
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(address)
