"""The IP addresses and networks that an API key may be used from, such as 192.0.2.7 and 192.0.2.0/24."""

from collections.abc import Iterable, Sequence
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Final

from apps.core.errors import BadRequest, shortened

MAX_ADDRESSES: Final = 20
FIELD: Final = "allowed_addresses"


def allowed_addresses_read(texts: Iterable[str]) -> list[str]:
    """Return the networks in normal form, sorted, each once. Raises BadRequest."""
    networks = sorted({_network(text.strip()) for text in texts}, key=lambda each: (each.version, each.network_address))
    if len(networks) > MAX_ADDRESSES:
        raise BadRequest(f"{FIELD}: at most {MAX_ADDRESSES} addresses and networks", field=FIELD)
    return [str(each) for each in networks]


def is_allowed(address: str, networks: Sequence[str]) -> bool:
    """Return whether a key with these networks may be used from the address; without networks, from everywhere."""
    if not networks:
        return True
    try:
        asked = ip_address(address)
    except ValueError:
        return False
    return any(asked in ip_network(each) for each in networks)


def address_shown(network: str) -> str:
    """Return a network as people write it: a single address without its length."""
    parsed = ip_network(network)
    return str(parsed.network_address) if parsed.num_addresses == 1 else network


def _network(text: str) -> IPv4Network | IPv6Network:
    try:
        return ip_network(text)
    except ValueError as error:
        raise BadRequest(f"{FIELD}: {_why(text)}", field=FIELD) from error


def _why(text: str) -> str:
    try:
        wider = ip_network(text, strict=False)
    except ValueError:
        return f"{shortened(text)!r} is no IP address or network; write one as 192.0.2.7 or 192.0.2.0/24"
    return f"{shortened(text)!r} has bits behind the length of its network; write {wider}"
