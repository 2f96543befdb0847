"""Floods: one address sends all it can to a process. The server cuts it off and still answers the other clients."""

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
from casino.settings.waits import WAIT_S
from tests.attack.attack_clients import BLACKJACK, AttackClients
from tests.attack.client import Caller, NoAnswer, address_new
from tests.attack.report import Part
from tests.support.server import ROOT, Server

PLAYERS: Final = 6
SECONDS: Final = 2
EVERY_S: Final = 0.1
MAX_GROWTH_BYTES: Final = 64 * 2**20
MAX_OPENED: Final = 60
"""The most connections that a flooder gets: twenty without a session, and a few a second."""
UNAUTHENTICATED: Final = 150
MAX_UNAUTHENTICATED: Final = 100
HALF_HEADS: Final = 80
LONG_BODIES: Final = 12


def run(clients: AttackClients, part: Part, _chance: random.Random, scale: float) -> None:
    """Flood one process in each way while other clients call the same process."""
    server = clients.deployment.sockets[0]
    guests = [clients.guest("5") for _ in range(PLAYERS + 1)]
    tokens = [clients.session(guest, BLACKJACK) for guest in guests]
    for number, kind in enumerate(KINDS):
        with grows_little(part, server, kind):
            flood(part, server, kind, tokens, source=f"127.77.{number}.1", seconds=SECONDS * max(0.5, scale))
    with grows_little(part, server, "unfinished frames"):
        unfinished_frames(part, server)
    for each in (server, clients.deployment.web[0]):
        with grows_little(part, each, "long bodies and heads"):
            half_heads(clients, part, each)
            long_bodies(clients, part, each)


def flood(
    part: Part,
    server: Server,
    kind: str,
    tokens: list[str],
    *,
    source: str,
    seconds: float,
    patience_s: float = WAIT_S,
) -> None:
    """Flood with one client while the others ask for their balances. It goes on for up to `patience_s` seconds more
    until it is cut off."""
    work = {"port": server.port, "token": tokens[-1], "source": source, "seconds": seconds, "patience": patience_s}
    command = [sys.executable, "-m", "casino.bench.flooder", kind]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as flooder:  # it ends within seconds
        assert flooder.stdin is not None
        flooder.stdin.write(json.dumps(work) + "\n")
        flooder.stdin.flush()
        try:
            figures = load_run("balances", port=server.port, tokens=tokens[:-1], seconds=seconds, every_s=EVERY_S)
        except (SystemExit, subprocess.SubprocessError) as error:
            figures = {"count": 0}
            part.fault(f"{kind}: other clients are not answered: {error}")
        said, _ = flooder.communicate(timeout=seconds + 2 * WAIT_S)
    counts: dict[str, Any] = json.loads(said)
    for _ in range(figures["count"]):
        part.attempt_add("balance answered beside a flood")
    part.attempt_add(f"flood of {kind}")
    part.expect(counts["opened"] >= 1, f"{kind}: no message was taken")
    part.expect(counts["opened"] <= MAX_OPENED, f"{kind}: {counts['opened']} connections were accepted")
    is_cut_off = counts["refused"] >= 1 or f'"address": "{source}"' in server.log_text
    part.expect(is_cut_off, f"{kind}: it was not cut off")


def unfinished_frames(part: Part, server: Server) -> None:
    """Open sockets without a session from one address, each with an unfinished long frame."""
    headers = {"X-Forwarded-For": address_new()}
    with ExitStack() as links:
        opened = 0
        for _ in range(UNAUTHENTICATED):
            try:
                wire = links.enter_context(Wire(server.port, "no-such-session", headers=headers))
            except OSError:
                part.attempt_add("unfinished frame: not connected")
                continue
            part.attempt_add(f"unfinished frame: {wire.status}")
            if wire.status == 101:
                opened += 1
                wire.send(head_bytes(TEXT, 60_000, compressed=True) + b"\0" * 16_000)
            elif wire.status == 429:
                break
    part.expect(1 <= opened <= MAX_UNAUTHENTICATED, f"unfinished frames: {opened} connections were accepted")


def half_heads(clients: AttackClients, part: Part, server: Server) -> None:
    """Open connections whose request head never ends; the server still answers others."""
    with ExitStack() as links:
        for _ in range(HALF_HEADS):
            link = links.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=WAIT_S))
            link.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
        answer = Caller(clients.recorder, "anybody", [server.port]).get("/healthz")
        part.attempt_add(f"beside unfinished heads: {answer.status}")
        part.expect(answer.status == 200, f"beside {HALF_HEADS} half heads: {answer.status}")


def long_bodies(clients: AttackClients, part: Part, server: Server) -> None:
    """Send bodies far beyond the limit; the server refuses them."""
    for _ in range(LONG_BODIES):
        caller = Caller(clients.recorder, "anybody", [server.port])
        try:
            status = caller.call("POST", "/v1/games/og-baccarat/verify", b" " * 8_000_000).status
        except NoAnswer:
            status = 0  # the server answered and stopped reading before all was sent
        part.attempt_add(f"long body: {status or 'cut off'}")
        part.expect(status in (0, 400, 413), f"a body of 8 MB is answered {status}")


@contextmanager
def grows_little(part: Part, server: Server, what: str) -> Iterator[None]:
    """Report a fault if the server's process takes far more memory after the block than before."""
    before = memory_bytes(server.pid)
    yield
    grown = memory_bytes(server.pid) - before
    part.expect(grown <= MAX_GROWTH_BYTES, f"{what}: the process has grown by {grown >> 20} MiB")
