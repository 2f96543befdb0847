"""One hostile client of a table, in a process of its own: `python -m casino.bench.table_flooder <kind>`.

It reads its work as JSON from standard input. It reconnects whenever it is disconnected, ends by itself, and runs at
low priority, because a real attacker has a processor of its own.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from itertools import cycle
from typing import Any, Final
from uuid import uuid4

from casino.bench.flooder import GIVES_WAY
from casino.bench.wire import BINARY, TEXT, Wire, frame_bytes

PATH: Final = "/ws/tables"
FRAMES: Final = 500
A_SECOND: Final = 45
"""The rate of wrong messages, just below the limit, so that each is read and answered."""

Work = dict[str, Any]


def stakes(work: Work) -> list[bytes]:
    """Return valid stakes, each with an id of its own."""
    return [_frame(_stake(work)) for _ in range(FRAMES)]


def wrong_messages(work: Work) -> list[bytes]:
    """Return messages that are wrong in several ways."""
    changes: list[dict[str, Any]] = [
        {"messageId": "no id"},
        {"messageId": str(uuid4())},
        {"payload": []},
        {"payload": {"action": "dance"}},
        {"payload": {"action": "hit"}},
        {"payload": {"action": "place_bet", "betType": "player", "amount": "1"}},
        {"payload": {"action": "place_bet", "betType": "player", "amount": -1}},
        {"gameType": "poker"},
        {"tableId": str(uuid4())},
        {"protocolVersion": "9"},
        {"type": "unheard_of"},
    ]
    frames = [_frame(_stake(work) | change) for _ in range(40) for change in changes]
    return [*frames, frame_bytes(TEXT, b'{"type":'), frame_bytes(TEXT, b"[" * 30_000), frame_bytes(BINARY, b"\x00")]


def attack(work: Work, frames_of: Callable[[Work], list[bytes]], a_second: float | None) -> dict[str, int]:
    """Log in and send the frames again and again, at most `a_second` of them; None: as fast as the server reads."""
    until = time.monotonic() + work["seconds"]
    opened = sent = 0
    while time.monotonic() < until:
        with Wire(work["port"], path=PATH, source=work["source"]) as link:
            if link.status != 101:
                continue
            opened += 1
            link.link.settimeout(max(0.01, until - time.monotonic()))
            log_in = {"type": "authenticate", "token": work["token"], "messageId": str(uuid4()), "timestamp": 1}
            try:
                link.link.sendall(_frame(log_in))
                time.sleep(0.2)
                for frame in cycle(frames_of(work)):
                    if time.monotonic() >= until:
                        break
                    link.link.sendall(frame)
                    sent += 1
                    if a_second is not None:
                        time.sleep(1 / a_second)
            except OSError:  # closed, or the time is up
                continue
    return {"opened": opened, "sent": sent}


def _stake(work: Work) -> dict[str, Any]:
    return {
        "type": "submit_action",
        "messageId": str(uuid4()),
        "timestamp": 1,
        **work["table"],
        "payload": {"action": "place_bet", "betType": "player", "amount": 1},
    }


def _frame(message: dict[str, Any]) -> bytes:
    return frame_bytes(TEXT, json.dumps(message).encode())


KINDS: Final[dict[str, Callable[[Work], dict[str, int]]]] = {
    "stakes at full speed": partial(attack, frames_of=stakes, a_second=None),
    "wrong messages, 45 a second": partial(attack, frames_of=wrong_messages, a_second=A_SECOND),
}

if __name__ == "__main__":
    os.nice(GIVES_WAY)
    asked = json.loads(sys.stdin.readline())
    print(json.dumps(KINDS[sys.argv[1]](asked)), flush=True)
