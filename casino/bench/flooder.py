"""One hostile client, in a process of its own: `python -m casino.bench.flooder <kind>`, its work as JSON on standard
input.

It sends at full speed for a number of seconds, connects again whenever it is closed, and ends by itself. It uses the
given source address, so that limits affect no other client, and runs at low priority, since a real attacker has a
processor of its own.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from casino.bench.wire import BINARY, PING, TEXT, Wire, frame_bytes

CHUNK_BYTES: Final = 1 << 17
GIVES_WAY: Final = 19

_BALANCE: Final = {"eventType": "GetBalance", "eventId": "flood", "gameId": "og-blackjack", "data": {}}
_AUTHENTICATE: Final = frame_bytes(TEXT, json.dumps({"eventType": "Authenticate", "eventId": "hello"}).encode())
FRAMES: Final = {
    "messages": frame_bytes(TEXT, json.dumps(_BALANCE).encode()),
    "empty frames": frame_bytes(BINARY),
    "pings": frame_bytes(PING, b"x" * 125),
    "64 KiB messages": frame_bytes(TEXT, json.dumps(_BALANCE).encode().ljust(1 << 16)),
}


def flood(work: dict[str, Any], frame: bytes) -> dict[str, int]:
    """Authenticate and send one frame repeatedly; a slow machine goes on for up to `patience` seconds until it is cut
    off.
    """
    chunk = frame * max(1, CHUNK_BYTES // len(frame))
    until = time.monotonic() + work["seconds"]
    opened = refused = cut_off = 0
    while time.monotonic() < (end := until + (0 if refused or cut_off else work.get("patience", 0))):
        with Wire(work["port"], work["token"], source=work["source"]) as link:
            if link.status != 101:
                refused += 1
                continue
            opened += 1
            link.link.settimeout(max(0.01, end - time.monotonic()))
            try:
                link.link.sendall(_AUTHENTICATE)
                while time.monotonic() < end:
                    link.link.sendall(chunk)
            except TimeoutError:
                continue
            except OSError:
                cut_off += 1
    return {"opened": opened, "refused": refused}


def reconnect(work: dict[str, Any]) -> dict[str, int]:
    """Connect repeatedly without a session; a slow machine goes on for up to `patience` seconds until it is refused."""
    until = time.monotonic() + work["seconds"]
    opened = refused = 0
    while time.monotonic() < until + (0 if refused else work.get("patience", 0)):
        with Wire(work["port"], "no-such-session", source=work["source"]) as link:
            opened += link.status == 101
            refused += link.status != 101
    return {"opened": opened, "refused": refused}


KINDS: Final[dict[str, Callable[[dict[str, Any]], dict[str, int]]]] = {
    **{name: partial(flood, frame=frame) for name, frame in FRAMES.items()},
    "reconnects": reconnect,
}

if __name__ == "__main__":
    os.nice(GIVES_WAY)
    work = json.loads(sys.stdin.readline())
    print(json.dumps(KINDS[sys.argv[1]](work)), flush=True)
