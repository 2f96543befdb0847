"""The visitor's address, by which limits are kept: behind proxies it is what these say, not what a client adds."""

from collections.abc import Mapping
from ipaddress import AddressValueError, IPv6Address, IPv6Network, ip_address
from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest

UNKNOWN: Final = "unknown"
"""Of a client without an address, as behind a Unix socket: all such clients share their limits."""
IPV6_PREFIX: Final = 64
"""One customer of a provider has a network of this size, and so as many addresses as he likes."""


def visitor_address(peer: str, forwarded: str, *, proxies: int) -> str:
    """Return the address that the outermost of our proxies was asked from.

    `peer` is the address of the connection, `forwarded` the value of `X-Forwarded-For`, to which each proxy adds whom
    it was asked by, after whatever the client had written there. A header with fewer entries than there are proxies
    did not come by all of them: then it is nobody's word, and the connection's address counts.
    """
    entries = [entry.strip() for entry in forwarded.split(",")] if forwarded else []
    told = entries[-proxies] if 0 < proxies <= len(entries) else peer
    return _normal(told) or _normal(peer) or UNKNOWN


def scope_address(scope: Mapping[str, Any]) -> str:
    """Return the visitor's address of an ASGI scope, of HTTP or of a socket."""
    client = scope.get("client")
    forwarded = ",".join(str(value, "latin-1") for name, value in scope["headers"] if name == b"x-forwarded-for")
    return visitor_address(client[0] if client else "", forwarded, proxies=settings.PUNTO_PROXIES)


def request_address(request: HttpRequest) -> str:
    """Return the visitor's address of a request."""
    peer, forwarded = request.META.get("REMOTE_ADDR", ""), request.META.get("HTTP_X_FORWARDED_FOR", "")
    return visitor_address(peer, forwarded, proxies=settings.PUNTO_PROXIES)


def network_of(address: str) -> str:
    """Return what shares a limit: an address of IPv4, a customer's network of IPv6."""
    if ":" not in address:
        return address
    return str(IPv6Network((IPv6Address(address), IPV6_PREFIX), strict=False))


def _normal(text: str) -> str:
    """Return an address in its one form, without a port; empty for what is none."""
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
