"""The suite finds faults in answers: each part runs against a broken server."""

import os
import random
import socket
from collections.abc import Callable
from contextlib import closing
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest
from websockets.sync.server import ServerConnection, serve

from apps.accounts.models import Player
from tests.attack import races
from tests.attack.cards import cards_in, round_secret, shows_hole, shows_shoe
from tests.attack.client import Browser, Caller, Recorder
from tests.attack.field_oracles import Listing, filter_try
from tests.attack.fingerprint import Fingerprint
from tests.attack.floods import flood, grows_little
from tests.attack.frame_fuzz import Frame, frame_send
from tests.attack.http_fuzz import Request, raw_request, request_send
from tests.attack.kills import Bettor, Work
from tests.attack.logs import log_faults
from tests.attack.report import Part, Report
from tests.attack.values import ECHO
from tests.blackjack_socket.conftest import offered_player
from tests.support.blackjack import session_token
from tests.support.played import act, blackjack_session
from tests.support.server import server_run

pytestmark = pytest.mark.soak

Application = Callable[[Callable[[str, str], tuple[int, bytes]]], int]

REFUSED = b'{"code": "REFUSED", "message": "no"}'


def asked(part: Part, deployment: Any, port: int, method: str = "POST", path: str = "/api/game/baccarat/bet") -> None:
    """Send one request to a stub, as the part `http` does."""
    caller = Caller(Recorder(), "anybody", [port])
    with closing(Fingerprint(deployment)) as tables:
        request_send(part, tables, caller, Request("stub", method, path, b"{}", {}))


def test_a_documented_refusal_is_no_fault(application: Application, deployment: Any, part: Part) -> None:
    asked(part, deployment, application(lambda *_: (403, REFUSED)))
    assert (part.faults, part.outcomes) == ([], {"403": 1})


@pytest.mark.parametrize(
    ("status", "body", "fault"),
    [
        (500, REFUSED, "500, which is undocumented"),
        (503, REFUSED, "503, which is undocumented"),
        (418, REFUSED, "418, which is undocumented"),
        (403, b"no", "403 is not JSON"),
        (403, b'{"detail": "no"}', "403 has the members ['detail']"),
        (403, b'{"code": "no", "message": "no"}', "403 has the code 'no'"),
        (403, b'{"code": "REFUSED", "message": "' + ECHO.encode() + b'"}', "it repeats more than 100 characters"),
        (200, b"Traceback (most recent call last)", "it tells Traceback"),
    ],
)
def test_an_answer_that_is_not_documented_is_found(
    status: int, body: bytes, fault: str, application: Application, deployment: Any, part: Part
) -> None:
    asked(part, deployment, application(lambda *_: (status, body)))
    assert [found for found in part.faults if fault in found] != []


@pytest.mark.parametrize(("method", "status"), [("POST", 403), ("GET", 200)])
def test_a_change_by_a_refused_or_read_only_request_is_found(
    method: str, status: int, application: Application, deployment: Any, part: Part
) -> None:
    def answer(*_: str) -> tuple[int, bytes]:
        with deployment.database() as link:
            link.execute(
                "INSERT INTO partner (slug, name, is_house, active, mtime, frame_origins)"
                " VALUES ('x', 'X', false, true, now(), '{}')"
            )
        return status, REFUSED

    asked(part, deployment, application(answer), method)
    assert [found for found in part.faults if "it changed partner" in found] != []


def test_a_server_that_fails_on_raw_bytes_or_afterwards_is_found(application: Application, part: Part) -> None:
    port = application(lambda *_: (500, b""))
    raw_request(SimpleNamespace(recorder=Recorder()), part, "x", b"GET / HTTP/1.1\r\n\r\n", port)  # type: ignore[arg-type]
    assert len(part.faults) == 2


def test_a_race_that_pays_twice_is_found(application: Application, part: Part) -> None:
    wallets = b'{"player": "rv-1", "wallets": [{"currency": "FUN", "balance": "0"}]}'
    port = application(lambda method, _: (200, wallets if method == "GET" else b"{}"))
    guest = SimpleNamespace(partner="riviera", reference="rv-1", currency="FUN")
    clients: Any = SimpleNamespace(
        deployment=SimpleNamespace(ports=[port]),
        systems={"riviera": Caller(Recorder(), "riviera", [port])},
        guest=lambda _: guest,
        balance=lambda _: 0,
    )
    races.more_withdrawals_than_money(clients, part, random.Random(1))
    assert part.faults == ["withdrawals: 2 of all the money were made"]


def test_an_undocumented_answer_in_a_race_is_found(application: Application, part: Part) -> None:
    caller = Caller(Recorder(), "anybody", [application(lambda *_: (500, b"broken"))])
    races.at_once(part, "x", [lambda: caller.get("/")] * 2)
    assert part.faults == ["x: 500 broken"] * 2


def test_an_answered_bet_that_was_never_dealt_is_found(deployment: Any, application: Application, part: Part) -> None:
    told = b'{"round_id": "0b8ca0cc-6b7c-4c4f-9a3f-0d2f8c3a5a11"}'
    port = application(lambda *_: (200, told))
    clients: Any = SimpleNamespace(
        deployment=deployment,
        guest=lambda _: SimpleNamespace(reference="rv-1"),
        session=lambda *_: "token",
        player=lambda _: Caller(Recorder(), "player", [port]),
    )
    bettor = Bettor(Work(clients, part))
    bettor.answers = {"a": told, "b": b'{"round_id": "another"}'}
    bettor.check()
    assert part.faults == [
        "2 bets answered, 0 dealt",
        "a repeated bet has another answer",
    ]


@pytest.mark.parametrize(("closes_with", "fault"), [(3000, "closed with 3000"), (None, "ended without a code")])
def test_a_connection_that_ends_with_an_undocumented_code_is_found(
    closes_with: int | None, fault: str, deployment: Any, part: Part
) -> None:
    def talk(link: ServerConnection) -> None:
        if closes_with is None:
            link.socket.shutdown(socket.SHUT_RDWR)
        else:
            link.close(closes_with)

    with serve(talk, "127.0.0.1", 0) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        target = SimpleNamespace(port=server.socket.getsockname()[1])
        clients: Any = SimpleNamespace(deployment=SimpleNamespace(sockets=[target, target]), recorder=Recorder())
        with closing(Fingerprint(deployment)) as tables:
            frame_send(clients, part, tables, "token", Frame("x", b"\x81\x80\x00\x00\x00\x00", 0, False))
        server.shutdown()
        thread.join()
    assert [found for found in part.faults if fault in found] != []


def test_a_flood_that_the_server_does_not_cut_off_is_found(deployment: Any, part: Part) -> None:
    tokens = [session_token(offered_player()) for _ in range(2)]
    with server_run("sockets", PUNTO_RATE_LIMITS="0") as server:
        flood(part, server, "empty frames", tokens, source="127.78.1.1", seconds=1, patience_s=0)
    assert part.faults == ["empty frames: it was not cut off"]


def test_a_process_that_takes_far_more_memory_is_found(part: Part) -> None:
    with grows_little(part, SimpleNamespace(pid=os.getpid()), "x"):  # type: ignore[arg-type]
        kept = b"x" * (200 * 2**20)
    assert len(kept) == 200 * 2**20
    assert [fault for fault in part.faults if fault.startswith("x: the process has grown by ")] != []


def test_a_list_that_filters_by_a_column_is_found(application: Application, part: Part) -> None:
    path = "/admin/accounts/player/"
    page = f'<a href="{path}1/change/">1</a>'.encode()
    port = application(lambda _, asked_for: (200, b"" if "=" in asked_for else page))
    listing = Listing(Player, path, 200, frozenset({"1"}), frozenset(), frozenset())
    filter_try(part, random.Random(1), "operator", Browser(Recorder(), "operator", [port]), listing)
    assert [fault for fault in part.faults if fault.endswith("filters the list")] != []


def test_cards_of_an_open_round_are_found_in_any_notation(deployment: Any) -> None:
    token = blackjack_session(values=(5, 6, 4, 10))[1]
    secret = round_secret(act(token, "Bet", betAmount=10)["roundId"])
    hole = secret.hidden[0]
    assert cards_in('["H1", {"value": 10, "suit": 2, "index": 11}] <b>ace of spades</b> #S3 H11') == ["H1", "CQ", "S1"]
    assert shows_hole(f'<span title="{hole}">', secret)
    assert shows_shoe(" ".join(reversed(secret.hidden)), secret)
    assert not shows_hole(" ".join(secret.seen), secret)
    assert not shows_shoe(" ".join(secret.hidden[:-1]), secret)


def test_an_error_and_a_traceback_in_a_log_are_found() -> None:
    lines = [
        '{"event": "request_finished", "code": 200, "level": "info"}',
        '{"event": "request_finished", "code": 503, "level": "error"}',
        '{"event": "lost", "logger": "celery.worker", "level": "error"}',
        '{"event": "failed", "logger": "apps.core", "level": "error"}',
        "Traceback (most recent call last):",
    ]
    found = list(log_faults({"web-1": "\n".join(lines)}, ("celery.",)))
    assert found == [f"the log of web-1: {line}" for line in lines[3:]]


def test_a_report_has_its_faults_as_text_and_as_json() -> None:
    part = Part("races")
    part.attempt_add("200")
    part.fault("money was made")
    report = Report(7, 1, (part, Part("kills")))
    assert report.fault_count == 1
    assert "FAULT in races: money was made\n1 faults were found." in report.as_text()
    assert '"seed": 7' in report.as_json()
