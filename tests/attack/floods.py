"""Floods: one address sends all it can to a process that others play at. They are answered, it is cut off."""

import json
import random
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Final

from casino.bench.bench_environment import memory_bytes
from casino.bench.clients import load_run
from casino.bench.flooder import KINDS
from casino.bench.wire import TEXT, Wire, head_bytes
from tests.attack.cast import BLACKJACK, Cast
from tests.attack.client import Caller, NoAnswer, address_new
from tests.attack.report import Part
from tests.support.server import ROOT, Server

PLAYERS: Final = 6
SECONDS: Final = 2
EVERY_S: Final = 0.1
MOST_GROWTH_BYTES: Final = 64 * 2**20
MOST_OPENED: Final = 60
"""Connections of a flooder that are let in: twenty without a session, and a few a second."""
UNAUTHENTICATED: Final = 150
MOST_UNAUTHENTICATED: Final = 100
HALF_HEADS: Final = 80
LONG_BODIES: Final = 12


def run(cast: Cast, part: Part, _chance: random.Random, scale: float) -> None:
    """Flood one process in each of the ways, others at the same process asking on."""
    server = cast.stage.sockets[0]
    guests = [cast.guest("5") for _ in range(PLAYERS + 1)]
    tokens = [cast.session(guest, BLACKJACK) for guest in guests]
    for number, kind in enumerate(KINDS):
        with grows_little(part, server, kind):
            flood(part, server, kind, tokens, source=f"127.77.{number}.1", seconds=SECONDS * max(1, scale))
    with grows_little(part, server, "unfinished frames"):
        unfinished_frames(part, server)
    for each in (server, cast.stage.web[0]):
        with grows_little(part, each, "long bodies and heads"):
            half_heads(cast, part, each)
            long_bodies(cast, part, each)


def flood(part: Part, server: Server, kind: str, tokens: list[str], *, source: str, seconds: float) -> None:
    """Have one client flood, and the others ask for their balance."""
    work = {"port": server.port, "token": tokens[-1], "source": source, "seconds": seconds}
    command = [sys.executable, "-m", "casino.bench.flooder", kind]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as flooder:  # it ends by itself
        assert flooder.stdin is not None
        flooder.stdin.write(json.dumps(work) + "\n")
        flooder.stdin.flush()
        try:
            figures = load_run("balances", port=server.port, tokens=tokens[:-1], seconds=seconds, every_s=EVERY_S)
        except (SystemExit, subprocess.SubprocessError) as error:
            figures = {"count": 0}
            part.fault(f"{kind}: others are not answered: {error}")
        said, _ = flooder.communicate(timeout=seconds + 120)
    counts: dict[str, Any] = json.loads(said)
    for _ in range(figures["count"]):
        part.saw("balance told beside a flood")
    part.saw(f"flood of {kind}")
    part.expect(counts["opened"] >= 1, f"{kind}: it never came through")
    part.expect(counts["opened"] <= MOST_OPENED, f"{kind}: {counts['opened']} connections were let in")
    is_cut_off = counts["refused"] >= 1 or f'"address": "{source}"' in server.log_text
    part.expect(is_cut_off, f"{kind}: it was not cut off")


def unfinished_frames(part: Part, server: Server) -> None:
    """Hold sockets without a session, each with a long frame begun and not finished, from one address."""
    headers = {"X-Forwarded-For": address_new()}
    with ExitStack() as links:
        opened = 0
        for _ in range(UNAUTHENTICATED):
            try:
                wire = links.enter_context(Wire(server.port, "no-such-session", headers=headers))
            except OSError:
                part.saw("unfinished frame: not connected")
                continue
            part.saw(f"unfinished frame: {wire.status}")
            if wire.status == 101:
                opened += 1
                wire.send(head_bytes(TEXT, 60_000, compressed=True) + b"\0" * 16_000)
            elif wire.status == 429:
                break
    part.expect(1 <= opened <= MOST_UNAUTHENTICATED, f"unfinished frames: {opened} connections were let in")


def half_heads(cast: Cast, part: Part, server: Server) -> None:
    """Hold connections that never end their head; others are answered."""
    with ExitStack() as links:
        for _ in range(HALF_HEADS):
            link = links.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=30))
            link.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
        answer = Caller(cast.recorder, "anybody", [server.port]).get("/healthz")
        part.saw(f"beside half heads: {answer.status}")
        part.expect(answer.status == 200, f"beside {HALF_HEADS} half heads: {answer.status}")


def long_bodies(cast: Cast, part: Part, server: Server) -> None:
    """Send bodies far beyond the limit; they are refused."""
    for _ in range(LONG_BODIES):
        caller = Caller(cast.recorder, "anybody", [server.port])
        try:
            status = caller.call("POST", "/v1/games/og-baccarat/verify", b" " * 8_000_000).status
        except NoAnswer:
            status = 0  # the server has stopped reading, and said so before we had sent all
        part.saw(f"long body: {status or 'cut off'}")
        part.expect(status in (0, 400, 413), f"a body of 8 MB is answered {status}")


@contextmanager
def grows_little(part: Part, server: Server, what: str) -> Iterator[None]:
    """Write it down where the server's process takes far more memory after the block than before."""
    before = memory_bytes(server.pid)
    yield
    grown = memory_bytes(server.pid) - before
    part.expect(grown <= MOST_GROWTH_BYTES, f"{what}: the process has grown by {grown >> 20} MiB")
