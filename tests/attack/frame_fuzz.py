"""Frames: odd messages, and frames that no client library would send.

Each connection stays open, or is closed with a code that docs/protocol.md has. A refused message changes nothing.
"""

import json
import random
import secrets
from contextlib import ExitStack, closing
from typing import Any, Final, NamedTuple

from casino.bench.wire import BINARY, CLOSE, CONT, PING, PONG, TEXT, Wire, frame_bytes, head_bytes
from tests.attack.attack_clients import BLACKJACK, AttackClients
from tests.attack.client import address_new
from tests.attack.fingerprint import Fingerprint
from tests.attack.report import Part
from tests.attack.search import frame_faults
from tests.attack.seats import CLOSED, UNDOCUMENTED, Seat, name_of, seat_at, seated
from tests.attack.values import ECHO, ODD_JSON, mutated, written

SEATS: Final = 10
"""Several connections, since each may send 50 messages a second."""
MESSAGES: Final = 240
RANDOM_FRAMES: Final = 40
CLOSE_CODES: Final = frozenset({1000, 1002, 1007, 1008, 1009, 4000, 4001})
HANDSHAKES: Final = frozenset({101, 400, 401, 403, 404, 405, 426, 429})
ALIVE: Final = b"alive?"
AUTHENTICATE: Final = frame_bytes(TEXT, b'{"eventType":"Authenticate","eventId":"hello"}')
BALANCE: Final = json.dumps({"eventType": "GetBalance", "eventId": "b", "gameId": BLACKJACK, "data": {}}).encode()
KIB_64: Final = 1 << 16

MESSAGES_BASE: Final[tuple[dict[str, Any], ...]] = (
    {"eventType": "Authenticate", "data": {"clientSeed": "attack"}},
    {"eventType": "GetBalance", "gameId": BLACKJACK, "data": {"currency": "FUN"}},
    {"eventType": "RoundState", "gameId": BLACKJACK},
    {"eventType": "RoundAction", "gameId": BLACKJACK, "action": "Bet", "data": {
        "betAmount": 1, "perfecPairsBetAmount": 1, "pokerBetAmount": 1}},
    {"eventType": "RoundAction", "gameId": BLACKJACK, "action": "Peek", "data": {
        "acceptedInsurance": True, "insuranceAmount": 1}},
    *({"eventType": "RoundAction", "gameId": BLACKJACK, "action": name, "data": {}}
      for name in ("Hit", "Stand", "Double", "Split", "Surrender")),
)  # fmt: skip

FRAMES: Final[dict[str, bytes]] = {
    "a binary message": frame_bytes(BINARY, BALANCE),
    "an empty text": frame_bytes(TEXT),
    "an empty binary": frame_bytes(BINARY),
    "a ping": frame_bytes(PING, b"x" * 125),
    "an unsolicited pong": frame_bytes(PONG, b"x"),
    "a long ping": frame_bytes(PING, b"x" * 126),
    "a ping in two parts": frame_bytes(PING, b"x", final=False),
    "a close": frame_bytes(CLOSE, (1000).to_bytes(2, "big")),
    "a close without a code": frame_bytes(CLOSE),
    "a close with half a code": frame_bytes(CLOSE, b"\x03"),
    "a close with a reserved code": frame_bytes(CLOSE, (1005).to_bytes(2, "big")),
    "a close with an invalid code": frame_bytes(CLOSE, (0).to_bytes(2, "big")),
    "a close whose reason is not UTF-8": frame_bytes(CLOSE, (1000).to_bytes(2, "big") + b"\xff\xfe"),
    **{f"opcode {number}": frame_bytes(number, b"x") for number in (3, 4, 5, 6, 7, 11, 12, 13, 14, 15)},
    "a compressed message": frame_bytes(TEXT, BALANCE, compressed=True),
    "the second reserved bit": bytes([0xA1]) + frame_bytes(TEXT, BALANCE)[1:],
    "the third reserved bit": bytes([0x91]) + frame_bytes(TEXT, BALANCE)[1:],
    "a frame without a mask": bytes([0x81, 2]) + b"{}",
    "a text that is not UTF-8": frame_bytes(TEXT, b'{"eventType":"\xff"}'),
    "half a character at the end": frame_bytes(TEXT, b'{"a":"\xf0\x9f\x82'),
    "a surrogate": frame_bytes(TEXT, b'"\xed\xa0\x80"'),
    "a character in two fragments": frame_bytes(TEXT, b'{"a":"\xc3', final=False) + frame_bytes(CONT, b'\xa9"}'),
    "a message in two fragments": frame_bytes(TEXT, BALANCE[:9], final=False) + frame_bytes(CONT, BALANCE[9:]),
    "a ping between fragments": frame_bytes(TEXT, BALANCE[:9], final=False) + frame_bytes(PING, b"p")
    + frame_bytes(CONT, BALANCE[9:]),
    "a continuation without a beginning": frame_bytes(CONT, b"x"),
    "a message between fragments": frame_bytes(TEXT, b"{", final=False) + frame_bytes(TEXT, BALANCE),
    "very many fragments": frame_bytes(TEXT, b"", final=False) + frame_bytes(CONT, b"", final=False) * 1100,
    "64 KiB and a byte": frame_bytes(TEXT, b" " * (KIB_64 + 1)),
    "64 KiB": frame_bytes(TEXT, BALANCE.ljust(KIB_64)),
    "64 KiB and a byte in fragments": frame_bytes(TEXT, b" " * KIB_64, final=False) + frame_bytes(CONT, b" "),
    "2 GiB announced": head_bytes(TEXT, 1 << 31) + b"x",
    "8 EiB announced": head_bytes(TEXT, (1 << 63) - 1) + b"x",
    "16 EiB announced": head_bytes(TEXT, (1 << 64) - 1) + b"x",
    "a small length in eight bytes": bytes([0x81, 0xFF]) + len(BALANCE).to_bytes(8, "big") + bytes(4) + BALANCE,
    "bytes that are not a frame": b"GET / HTTP/1.1\r\n\r\n",
}  # fmt: skip


class Frame(NamedTuple):
    """Bytes for a connection of their own. The number chooses the process."""

    name: str
    data: bytes
    number: int
    after_authentication: bool


def run(clients: AttackClients, part: Part, chance: random.Random, scale: float) -> None:
    """Send odd messages, odd frames and odd handshakes to both processes."""
    with clients.deployment.without_schedule(), closing(Fingerprint(clients.deployment)) as tables:
        messages_send(clients, part, chance, tables, round(MESSAGES * scale))
        frames = FRAMES | {
            f"a random frame {number}": frame_by_chance(chance)
            for number in range(max(5, round(RANDOM_FRAMES * scale)))
        }
        _, token = seated(clients)
        for number, (name, data) in enumerate(frames.items()):
            for says_who in (True, False):
                frame_send(clients, part, tables, token, Frame(name, data, number, says_who))
        handshakes_send(clients, part, token)


def messages_send(clients: AttackClients, part: Part, chance: random.Random, tables: Fingerprint, count: int) -> None:
    """Send mutations of every message over authenticated connections; each gets one answer."""
    with ExitStack() as stack:
        seats = [
            stack.enter_context(seat_at(clients, clients.deployment.sockets[number % 2], seated(clients)[1]))
            for number in range(SEATS)
        ]
        for number in range(count):
            message = chance.choice(MESSAGES_BASE) | {"eventId": secrets.token_hex(4)}
            data = chance.choice(ODD_JSON) if chance.random() < 0.1 else written(mutated(message, chance))
            _message_send(seats[number % SEATS], part, tables, data.decode(errors="replace"))


def _message_send(seat: Seat, part: Part, tables: Fingerprint, text: str) -> None:
    tables.remember()
    try:
        seat.link.send(text)
        answer = seat.receive()
    except CLOSED as error:
        part.attempt_add("message: closed")
        part.fault(f"the connection ended at {text[:200]!r}: {error}")
        return
    except UNDOCUMENTED as error:
        part.attempt_add("message: undocumented")
        part.fault(f"{text[:200]!r} has an undocumented answer: {str(error)[:200]}")
        return
    part.attempt_add(f"message: {name_of(answer)}")
    part.expect(ECHO not in json.dumps(answer), f"{text[:200]!r}: more than 100 characters are repeated")
    for fault in frame_faults(answer):
        part.fault(fault)
    if "code" not in answer and answer["eventType"] not in ("BalanceUpdate", "RoundState"):
        tables.forget()
        return
    changed = tables.changed()
    part.expect(not changed, f"{text[:200]!r} was answered {name_of(answer)} and changed {', '.join(changed)}")


def frame_send(clients: AttackClients, part: Part, tables: Fingerprint, token: str, frame: Frame) -> None:
    """Send bytes over a connection of its own, and check whether the connection stays open."""
    name, data = frame.name, frame.data
    server = clients.deployment.sockets[frame.number % 2]
    with Wire(server.port, token, headers={"X-Forwarded-For": address_new()}) as wire:
        if wire.status != 101:
            part.fault(f"{name}: the handshake is answered {wire.status}")
            return
        if frame.after_authentication:
            wire.send(AUTHENTICATE)
            next(wire.frames())
        tables.forget()
        tables.remember()
        wire.send(data + frame_bytes(PING, ALIVE))
        outcome = "closed without a code"
        try:
            for came in wire.frames():
                clients.recorder.add(token, data[:1000], came.payload)
                if came.opcode == PONG and came.payload == ALIVE:
                    outcome = "lives"
                    break
                if came.opcode == CLOSE:
                    outcome = f"closed with {came.close_code or 1000}"
                    known = came.close_code in CLOSE_CODES or not came.payload
                    part.expect(known, f"{name}: closed with {came.close_code}")
                    break
        except TimeoutError:
            part.fault(f"{name}: the connection neither answers nor ends")
    part.attempt_add(f"frame: {outcome}")
    part.expect(outcome != "closed without a code", f"{name}: the connection ended without a code")
    part.expect(not (changed := tables.changed()), f"{name}: it changed {', '.join(changed)}")


def frame_by_chance(chance: random.Random) -> bytes:
    """Return a frame with a random head and payload of the length that the head states."""
    payload = chance.randbytes(chance.choice([0, 1, 2, 125, 126, 300]))
    first = chance.randrange(256)
    return bytes([first]) + frame_bytes(TEXT, payload)[1:]


def handshakes_send(clients: AttackClients, part: Part, token: str) -> None:
    """Send malformed handshakes; the server never agrees on compression."""
    odd: list[tuple[str, str, dict[str, str]]] = [
        ("/v1/ws", "", {}),
        ("/v1/ws", "no-such-session", {"Origin": "https://evil.example"}),
        ("/v1/ws", token, {"Sec-WebSocket-Extensions": "permessage-deflate; client_max_window_bits"}),
        ("/v1/ws", token, {"Sec-WebSocket-Protocol": "x, y"}),
        ("/v1/ws", token, {"Sec-WebSocket-Version": "99"}),
        ("/v1/ws", token, {"Sec-WebSocket-Key": "x"}),
        ("/v1/ws", "%ff%00", {}),
        ("/v1/ws/", token, {}),
        ("/v1/ws/portal", token, {}),
        ("/v1/wsx", token, {}),
        ("/", token, {}),
    ]
    for path, credential, headers in odd:
        for server in clients.deployment.sockets:
            sent = headers | {"X-Forwarded-For": address_new()}
            with Wire(server.port, credential, path=path, headers=sent) as wire:
                part.attempt_add(f"handshake: {wire.status}")
                part.expect(wire.status in HANDSHAKES, f"the handshake at {path} with {headers}: {wire.status}")
                agreed = wire.headers.get("sec-websocket-extensions", "")
                part.expect(not agreed, f"{agreed} was agreed on")
