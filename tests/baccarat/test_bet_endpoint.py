"""The bet RPC over a real connection, with a game session's token and with a browser's cookie.

`test_bet_api.py` tests the answers; `test_bet_faults.py` tests a server that dies or loses its database.
"""

import socket
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
import pytest
from django.test import Client

from apps.accounts.models import PlayerStatus
from apps.baccarat.engine import Winner
from apps.baccarat.models import BaccaratConfig
from apps.blackjack.apps import GAME_ID as BLACKJACK
from apps.core import json
from apps.core.api import MAX_BODY_BYTES
from apps.idempotency.models import StoredAnswer
from apps.one_deal.models import ConfigStatus
from apps.rounds.models import Round
from apps.wallet.models import WalletTransaction
from casino.settings.waits import WAIT_S
from tests.support.baccarat import BET_PATH, Seat, seat_make, seeds_choose
from tests.support.factories import user_make
from tests.support.postgres_proxy import proxy_run
from tests.support.server import Server, app_url, server_run
from tests.support.waiting import and_close

pytestmark = pytest.mark.usefixtures("committed")

TEN_ON_PLAYER = b'{"game_type": 1, "bet_amount": 10}'
COMPARED_HEADERS = {
    "content-type", "content-length", "x-content-type-options", "allow", "www-authenticate", "retry-after"
}  # fmt: skip


class BetAnswer(NamedTuple):
    """An answer, with the headers that every answer must have."""

    status: int
    headers: dict[str, str]
    text: bytes

    @property
    def body(self) -> Any:
        return json.decode(self.text)


class Request(NamedTuple):
    """A request to the bet RPC. `authorization` is the token of the player's session unless given."""

    body: bytes = TEN_ON_PLAYER
    method: str = "POST"
    authorization: str | None = None
    key: str | None = None

    def headers(self, seat: Seat) -> dict[str, str]:
        authorization = f"Bearer {seat.token}" if self.authorization is None else self.authorization
        headers = {"Authorization": authorization, "Content-Type": "application/json"}
        return headers if self.key is None else headers | {"Idempotency-Key": self.key}


Send = Callable[[Seat, Request], BetAnswer]


@pytest.fixture
def by_token(shared_server: Server) -> Send:
    """Bets with the session's token."""
    return lambda seat, asked: bet_send(shared_server, seat, asked)


@pytest.fixture
def by_browser(shared_server: Server) -> Send:
    """Bets with the cookies of the player's logged-in browser."""
    return lambda seat, asked: browser_send(shared_server, seat, asked)


def bet_send(server: Server, seat: Seat, asked: Request) -> BetAnswer:
    with link_to(server) as link:
        return link_ask(link, asked.method, asked.body, asked.headers(seat))


def browser_send(server: Server, seat: Seat, asked: Request) -> BetAnswer:
    headers = asked.headers(seat) | cookies_of(seat)
    del headers["Authorization"]
    with link_to(server) as link:
        return link_ask(link, asked.method, asked.body, headers)


def cookies_of(seat: Seat) -> dict[str, str]:
    """Return the headers of the player's logged-in browser."""
    if seat.player.user is None:
        seat.player.user = user_make()
        seat.player.save()
    browser, csrf = Client(), "a" * 32
    browser.force_login(seat.player.user, backend="django.contrib.auth.backends.ModelBackend")
    return {"Cookie": f"sessionid={browser.cookies['sessionid'].value}; csrftoken={csrf}", "X-CSRFToken": csrf}


def link_to(server: Server) -> closing[HTTPConnection]:
    """Return an HTTP connection for a block."""
    return closing(HTTPConnection("127.0.0.1", server.port, timeout=WAIT_S))


def link_ask(
    link: HTTPConnection,
    method: str,
    body: bytes | Iterable[bytes],
    headers: dict[str, str],
    *,
    address: str = BET_PATH,
    chunked: bool = False,
) -> BetAnswer:
    """Send one request on an open connection and read the answer."""
    link.request(method, address, body, headers, encode_chunked=chunked)
    with link.getresponse() as response:
        return BetAnswer(response.status, compared(response.getheaders()), response.read())


def compared(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers if name.lower() in COMPARED_HEADERS}


def lines_of(server: Server, start: int) -> list[dict[str, Any]]:
    """Return the lines that the server's log has after its first `start` characters."""
    return [json.decode_object(line.encode()) for line in server.log_text[start:].splitlines()]


# Placed bets


def test_a_bet_by_token_continues_from_the_bet_by_browser(by_token: Send, by_browser: Send) -> None:
    seat, before = seat_make(), 1000
    for nonce, send in enumerate([by_token, by_browser, by_token]):
        said = send(seat, Request())
        assert said.status == 200, said.text
        assert said.headers == {
            "content-type": "application/json",
            "content-length": str(len(said.text)),
            "x-content-type-options": "nosniff",
        }
        assert list(said.body) == [
            "player", "banker", "reward_amount", "game_type", "bet_amount", "round_id", "result_type", "balance",
            "server_seed_hash", "client_seed", "nonce",
        ]  # fmt: skip
        assert said.body["nonce"] == nonce
        assert said.body["balance"] == before - 10 + said.body["reward_amount"] == seat.balance
        before = said.body["balance"]
    sessions = list(Round.objects.order_by("nonce").values_list("session", flat=True))
    assert sessions == [seat.session.pk, None, seat.session.pk]


def test_a_field_that_is_named_twice_counts_as_it_stands_last(by_token: Send, by_browser: Send) -> None:
    twice = Request(b'{"game_type": 1, "bet_amount": 500, "bet_amount": 10}', key="k1")
    for send in (by_token, by_browser):
        seat = seat_make()
        answer = send(seat, twice)
        assert answer.status == 200, answer.text
        assert answer.body["bet_amount"] == 10
        assert send(seat, Request(key="k1")) == answer, "the key's body is read in the same way"


def test_a_key_gets_the_same_bytes_by_token_and_by_browser(by_token: Send, by_browser: Send) -> None:
    for first in (by_token, by_browser):
        seat = seat_make()
        answer = first(seat, Request(key="k1"))
        assert answer.status == 200, answer.text
        again = Request(b'{"bet_amount":10.00,"game_type":1}', key="k1")
        assert by_token(seat, again) == by_token(seat, again) == by_browser(seat, again) == answer
        assert Round.objects.filter(player=seat.player).count() == 1


def test_a_browser_s_bet_without_the_csrf_token_is_refused(shared_server: Server) -> None:
    seat = seat_make("500")
    headers = cookies_of(seat) | {"Content-Type": "application/json"}
    del headers["X-CSRFToken"]
    with link_to(shared_server) as link:
        said = link_ask(link, "POST", TEN_ON_PLAYER, headers)
    assert (said.status, said.body["code"]) == (403, "CSRF_FAILED")
    nothing_happened(seat)


@pytest.mark.parametrize(("origin", "status"), [("http://127.0.0.1:{port}", 200), ("https://elsewhere.example", 403)])
def test_a_browser_s_bet_from_another_site_is_refused(shared_server: Server, origin: str, status: int) -> None:
    seat = seat_make("500")
    headers = cookies_of(seat) | {"Content-Type": "application/json", "Origin": origin.format(port=shared_server.port)}
    with link_to(shared_server) as link:
        assert link_ask(link, "POST", TEN_ON_PLAYER, headers).status == status


def test_a_browser_s_bet_to_an_unknown_host_is_refused(shared_server: Server) -> None:
    seat = seat_make("500")
    with link_to(shared_server) as link:
        said = link_ask(link, "POST", TEN_ON_PLAYER, cookies_of(seat) | {"Host": "elsewhere.example"})
    assert (said.status, said.body["code"]) == (400, "BAD_REQUEST")
    nothing_happened(seat)


def test_concurrent_bets_under_one_key_by_token_and_by_browser_are_one_bet(by_token: Send, by_browser: Send) -> None:
    seat = seat_make()
    cookies_of(seat)
    with ThreadPoolExecutor(12) as pool:
        bets = [
            pool.submit(and_close(lambda send=send: send(seat, Request(key="k1"))))
            for send in [by_token, by_browser] * 6
        ]
        said = [bet.result(timeout=WAIT_S) for bet in bets]
    assert {answer.status for answer in said} == {200}, said
    assert len({answer.text for answer in said}) == 1
    assert Round.objects.count() == StoredAnswer.objects.count() == 1


def test_concurrent_bets_of_one_player_are_all_placed(by_token: Send) -> None:
    """The first is written at once. The others are stale and are placed again with locks."""
    seat = seat_make("100")
    seeds_choose(seat.player, lambda outcome: outcome.winner is not Winner.TIE, rounds=10)
    on_tie = Request(b'{"game_type": 3, "bet_amount": 10}')
    with ThreadPoolExecutor(20) as pool:
        said = list(pool.map(lambda _: by_token(seat, on_tie), range(20)))
    assert sorted(answer.status for answer in said) == [200] * 10 + [403] * 10
    assert {answer.body["code"] for answer in said if answer.status == 403} == {"INSUFFICIENT_FUNDS"}
    assert sorted(answer.body["nonce"] for answer in said if answer.status == 200) == list(range(10))
    rows = list(WalletTransaction.objects.filter(wallet__player=seat.player).order_by("number"))
    assert [row.balance_after for row in rows] == list(range(100, -10, -10))


def test_more_players_than_connections_can_bet_at_the_same_moment(by_token: Send) -> None:
    seats = [seat_make() for _ in range(24)]
    with ThreadPoolExecutor(len(seats)) as pool:
        said = list(pool.map(lambda seat: [by_token(seat, Request()) for _ in range(3)], seats))
    for seat, answers in zip(seats, said, strict=True):
        assert [answer.body.get("nonce") for answer in answers] == [0, 1, 2], answers
        assert answers[-1].body["balance"] == seat.balance


# Refused bets


@pytest.mark.parametrize(
    ("asked", "status", "code"),
    [
        pytest.param(Request(method="GET", body=b""), 405, "METHOD_NOT_ALLOWED", id="get"),
        pytest.param(Request(method="PUT"), 405, "METHOD_NOT_ALLOWED", id="put"),
        pytest.param(Request(method="OPTIONS", body=b""), 405, "METHOD_NOT_ALLOWED", id="options"),
        pytest.param(Request(b""), 400, "MALFORMED_BODY", id="no-body"),
        pytest.param(Request(b"{"), 400, "MALFORMED_BODY", id="half-a-body"),
        pytest.param(Request(b"[]"), 400, "MALFORMED_BODY", id="a-list"),
        pytest.param(Request(b"\xff"), 400, "MALFORMED_BODY", id="not-utf-8"),
        pytest.param(Request(b" " * 1_500_000), 400, "MALFORMED_BODY", id="too-long"),
        pytest.param(Request(b'{"game_type": 1}'), 400, "BAD_REQUEST", id="no-amount"),
        pytest.param(Request(b'{"game_type": "1", "bet_amount": 1}'), 400, "BAD_REQUEST", id="a-text"),
        pytest.param(Request(key=""), 400, "BAD_REQUEST", id="empty-key"),
        pytest.param(Request(key="a b"), 400, "BAD_REQUEST", id="key-with-a-space"),
        pytest.param(Request(key="\u00e9"), 400, "BAD_REQUEST", id="key-beyond-ascii"),
        pytest.param(Request(key="x" * 129), 400, "BAD_REQUEST", id="long-key"),
        pytest.param(Request(b'{"game_type": 4, "bet_amount": 1}'), 403, "INVALID_GAME_TYPE", id="bet-not-offered"),
        pytest.param(
            Request(b'{"game_type": 1, "bet_amount": 0.5}'), 403, "INVALID_BET_AMOUNT", id="below-the-minimum"
        ),
        pytest.param(Request(b'{"game_type": 1, "bet_amount": 600}'), 403, "INSUFFICIENT_FUNDS", id="funds"),
        pytest.param(Request(b'{"bets": []}'), 403, "INVALID_BET_COUNT", id="no-bets"),
        pytest.param(
            Request(b'{"game_type": 1, "bet_amount": 1, "currency": "EUR"}'), 403, "INVALID_CURRENCY", id="currency"
        ),
        pytest.param(
            Request(b'{"game_type": 1, "bet_amount": 1, "currency": "F\\u0000N"}'), 403, "INVALID_CURRENCY", id="nul"
        ),
    ],
)
def test_a_refusal_has_the_same_message_by_token_and_by_browser(
    by_token: Send, by_browser: Send, asked: Request, status: int, code: str
) -> None:
    seat = seat_make("500")
    said = by_token(seat, asked)
    assert (said.status, said.body["code"]) == (status, code)
    assert said == by_browser(seat, asked)
    nothing_happened(seat)


@pytest.mark.parametrize(
    ("asked", "status", "code"),
    [
        pytest.param(Request(method="DELETE", authorization=""), 405, "METHOD_NOT_ALLOWED", id="method-before-token"),
        pytest.param(Request(authorization=""), 401, "AUTHENTICATION_FAILED", id="empty-header"),
        pytest.param(Request(authorization="Bearer"), 401, "AUTHENTICATION_FAILED", id="no-token"),
        pytest.param(Request(authorization="Basic YTpi"), 401, "AUTHENTICATION_FAILED", id="basic"),
        pytest.param(Request(authorization="Bearer \u00e9"), 401, "AUTHENTICATION_FAILED", id="token-beyond-ascii"),
        pytest.param(
            Request(authorization="Bearer 00000000-0000-4000-8000-000000000000"),
            401,
            "AUTHENTICATION_FAILED",
            id="forged",
        ),
        pytest.param(Request(b"{", authorization="Bearer"), 401, "AUTHENTICATION_FAILED", id="token-before-body"),
    ],
)
def test_an_authorization_header_without_a_token_is_refused(
    by_token: Send, asked: Request, status: int, code: str
) -> None:
    seat = seat_make("500")
    said = by_token(seat, asked)
    assert (said.status, said.body["code"]) == (status, code)
    nothing_happened(seat)


def nothing_happened(seat: Seat) -> None:
    assert seat.balance == 500
    assert not Round.objects.exists()
    assert not StoredAnswer.objects.exists()


def _other_game(seat: Seat) -> None:
    seat.token = Seat(seat.player, game=BLACKJACK).token


def _block(seat: Seat) -> None:
    seat.player.status = PlayerStatus.BLOCKED
    seat.player.save()


def _leave(seat: Seat) -> None:
    seat.player.partner.active = False
    seat.player.partner.save()


def _take_off(seat: Seat) -> None:
    BaccaratConfig.objects.filter(partner=seat.player.partner).update(status=ConfigStatus.INACTIVE)


@pytest.mark.parametrize("spoil", [Seat.expire, Seat.end, _other_game])
def test_an_invalid_session_is_refused(by_token: Send, spoil: Callable[[Seat], None]) -> None:
    seat = seat_make("500")
    spoil(seat)
    assert by_token(seat, Request()).status == 401
    nothing_happened(seat)


@pytest.mark.parametrize("spoil", [_block, _leave, _take_off])
def test_a_refusal_that_needs_the_database_is_the_same_by_token_and_by_browser(
    by_token: Send, by_browser: Send, spoil: Callable[[Seat], None]
) -> None:
    seat = seat_make("500")
    spoil(seat)
    said = by_token(seat, Request())
    assert said.status == 403, said.text
    assert said == by_browser(seat, Request())
    nothing_happened(seat)


def test_405_names_the_allowed_method_and_401_the_authentication_scheme(by_token: Send) -> None:
    seat = seat_make()
    assert by_token(seat, Request(method="PATCH")).headers["allow"] == "POST"
    assert by_token(seat, Request(authorization="Bearer x")).headers["www-authenticate"] == "Bearer"


def test_head_is_refused_without_a_body(by_token: Send) -> None:
    seat = seat_make()
    said = by_token(seat, Request(method="HEAD", body=b""))
    assert (said.status, said.text, said.headers["allow"]) == (405, b"", "POST")


def test_a_key_with_another_body_is_409_by_token_and_by_browser(by_token: Send, by_browser: Send) -> None:
    other = Request(b'{"game_type": 1, "bet_amount": 11}', key="k1")
    for first, second in ((by_token, by_browser), (by_browser, by_token)):
        seat = seat_make()
        assert first(seat, Request(key="k1")).status == 200
        said = second(seat, other)
        assert (said.status, said.body["code"]) == (409, "IDEMPOTENCY_KEY_REUSED")
        assert said == first(seat, other)
        assert Round.objects.filter(player=seat.player).count() == 1


@pytest.fixture
def with_a_fault(superuser: psycopg.Connection) -> Iterator[None]:
    """A database that raises an unexpected error for every round."""
    superuser.execute(
        "CREATE FUNCTION fault_raise() RETURNS trigger LANGUAGE plpgsql"
        " AS $$ BEGIN RAISE EXCEPTION 'a fault of the test'; END $$"
    )
    superuser.execute("CREATE TRIGGER fault BEFORE INSERT ON game_round FOR EACH ROW EXECUTE FUNCTION fault_raise()")
    yield
    superuser.execute("DROP FUNCTION fault_raise CASCADE")


@pytest.mark.usefixtures("with_a_fault")
def test_an_unexpected_error_is_500_and_is_logged(by_token: Send, shared_server: Server) -> None:
    seat, start = seat_make("500"), len(shared_server.log_text)
    said = by_token(seat, Request(key="k1"))
    assert (said.status, said.body["code"]) == (500, "INTERNAL_ERROR")
    nothing_happened(seat)
    (failed,) = [line for line in lines_of(shared_server, start) if line["event"] == "request_failed"]
    assert (failed["level"], failed["request"]) == ("error", BET_PATH)
    assert "a fault of the test" in failed["exception"]
    assert seat.token not in shared_server.log_text


# Logs


def test_a_refused_bet_is_one_log_line_and_a_placed_one_none(by_token: Send, shared_server: Server) -> None:
    seat, start = seat_make(), len(shared_server.log_text)
    assert by_token(seat, Request(key="a-key-of-mine")).status == 200
    assert lines_of(shared_server, start) == []
    refused = Request(b'{"game_type": 99, "bet_amount": 4711}', key="a-key-of-mine")
    assert by_token(seat, refused).status == 409
    (line,) = lines_of(shared_server, start)
    assert (line["event"], line["code"], line["request"]) == ("request_finished", 409, f"POST {BET_PATH}")
    assert line["request_id"]
    written = shared_server.log_text[start:]
    assert not [secret for secret in (seat.token, "a-key-of-mine", "4711") if secret in written]


def test_a_refused_token_is_not_logged(by_token: Send, shared_server: Server) -> None:
    seat, start = seat_make(), len(shared_server.log_text)
    assert by_token(seat, Request(authorization="Bearer not-a-session-of-yours")).status == 401
    (line,) = lines_of(shared_server, start)
    assert (line["event"], line["code"]) == ("request_finished", 401)
    assert "not-a-session" not in shared_server.log_text[start:]


# Requests


@pytest.mark.parametrize("names", [("AUTHORIZATION", "IDEMPOTENCY-KEY"), ("authorization", "idempotency-key")])
def test_header_names_are_case_insensitive(shared_server: Server, names: tuple[str, str]) -> None:
    seat = seat_make()
    authorization, key = names
    with link_to(shared_server) as link:
        said = [
            link_ask(link, "POST", TEN_ON_PLAYER, {authorization: f"{scheme} {seat.token}", key: "k1"})
            for scheme in ("Bearer", "bearer", "BEARER")
        ]
    assert [answer.status for answer in said] == [200] * 3
    assert len({answer.text for answer in said}) == Round.objects.count() == 1


@pytest.mark.parametrize("address", [f"{BET_PATH}?a=b", BET_PATH.replace("bet", "%62et")])
def test_other_spellings_of_the_path_are_served(shared_server: Server, by_token: Send, address: str) -> None:
    seat = seat_make()
    with link_to(shared_server) as link:
        said = link_ask(link, "POST", TEN_ON_PLAYER, Request(key="k1").headers(seat), address=address)
    assert said == by_token(seat, Request(key="k1"))


@pytest.mark.parametrize("address", [f"{BET_PATH}/", f"{BET_PATH}s", f"/{BET_PATH}"])
def test_similar_paths_are_not_served(shared_server: Server, address: str) -> None:
    seat = seat_make("500")
    with link_to(shared_server) as link:
        said = link_ask(link, "POST", TEN_ON_PLAYER, Request().headers(seat), address=address)
    assert said.status in {403, 404}, said.text  # Django checks the CSRF token before it answers 404
    nothing_happened(seat)


def test_without_token_and_cookie_a_bet_is_401(shared_server: Server) -> None:
    start = len(shared_server.log_text)
    with link_to(shared_server) as link:
        said = link_ask(link, "POST", TEN_ON_PLAYER, {"Content-Type": "application/json"})
    assert (said.status, said.body["code"], said.headers["www-authenticate"]) == (
        401, "AUTHENTICATION_FAILED", "Bearer",
    )  # fmt: skip
    (line,) = lines_of(shared_server, start)
    assert (line["event"], line["code"], line["request"]) == ("request_finished", 401, f"POST {BET_PATH}")


def test_a_chunked_body_is_read(shared_server: Server) -> None:
    seat = seat_make()
    headers = Request(key="k1").headers(seat)
    parts = [TEN_ON_PLAYER[at : at + 5] for at in range(0, len(TEN_ON_PLAYER), 5)]
    with link_to(shared_server) as link:
        said = link_ask(link, "POST", parts, headers | {"Transfer-Encoding": "chunked"}, chunked=True)
        assert said.status == 200, said.text
        assert said == link_ask(link, "POST", TEN_ON_PLAYER, headers)
    assert Round.objects.count() == 1


@pytest.mark.parametrize("chunked", [False, True], ids=["one body", "chunks"])
def test_a_connection_works_after_a_body_that_is_too_long(shared_server: Server, chunked: bool) -> None:
    seat = seat_make("500")
    long = TEN_ON_PLAYER + b" " * MAX_BODY_BYTES
    headers = Request().headers(seat) | ({"Transfer-Encoding": "chunked"} if chunked else {})
    with link_to(shared_server) as link:
        said = link_ask(link, "POST", [long] if chunked else long, headers, chunked=chunked)
        assert (said.status, said.body["code"]) == (400, "MALFORMED_BODY")
        nothing_happened(seat)
        assert link_ask(link, "POST", TEN_ON_PLAYER, Request().headers(seat)).status == 200


def test_a_body_of_the_maximum_length_is_read(by_token: Send, by_browser: Send) -> None:
    seat = seat_make()
    body = TEN_ON_PLAYER.ljust(MAX_BODY_BYTES)
    for send in (by_token, by_browser):
        assert send(seat, Request(body)).status == 200
        assert send(seat, Request(body + b" ")).body["code"] == "MALFORMED_BODY"


@pytest.mark.parametrize(
    "rest",
    [
        b"Content-Length: 34\r\n\r\n" + TEN_ON_PLAYER[:-1],
        b"Content-Length: 34\r\n\r\n",
        b"Transfer-Encoding: chunked\r\n\r\n22\r\n" + TEN_ON_PLAYER + b"\r\n",
    ],
    ids=["in the middle", "before it begins", "before the last chunk"],
)
def test_an_incomplete_body_places_no_bet(shared_server: Server, by_token: Send, rest: bytes) -> None:
    seat, start = seat_make("500"), len(shared_server.log_text)
    head = f"POST {BET_PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {seat.token}\r\n"
    with socket.create_connection(("127.0.0.1", shared_server.port), timeout=WAIT_S) as link:
        link.sendall(head.encode() + rest)
        # The server waits for the rest and serves other clients meanwhile.
        assert by_token(seat_make(), Request()).status == 200
    assert by_token(seat_make(), Request()).status == 200
    assert seat.balance == 500
    assert not Round.objects.filter(player=seat.player).exists()
    assert lines_of(shared_server, start) == []
    assert by_token(seat, Request()).status == 200


def test_a_client_that_disconnects_finds_its_answer_under_its_key(shared_server: Server, by_token: Send) -> None:
    seat = seat_make()
    head = (
        f"POST {BET_PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {seat.token}\r\n"
        f"Idempotency-Key: k1\r\nContent-Length: {len(TEN_ON_PLAYER)}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", shared_server.port), timeout=WAIT_S) as link:
        link.sendall(head.encode() + TEN_ON_PLAYER)
    said = by_token(seat, Request(key="k1"))
    assert (said.status, said.body["nonce"]) == (200, 0)
    assert Round.objects.count() == 1


# Rate limits and unavailable services


def limited(ask: Callable[[], BetAnswer]) -> BetAnswer:
    """Send requests until one is limited."""
    for _ in range(2000):
        said = ask()
        if said.status == 429:
            return said
    raise AssertionError(said)


def test_too_many_bets_are_429_and_503_without_the_database() -> None:
    seat, other = seat_make(), seat_make()
    unreadable = Request(b"{")  # the request counts although it is refused
    with proxy_run(app_url()) as proxy:
        addresses = {"DATABASE_URL": proxy.url, "DATABASE_OWNER_URL": proxy.url}
        # Two a second: a slow machine reaches it too, and `other` needs no more.
        with server_run(PUNTO_BETS_PER_S="2", **addresses) as server:
            said = limited(lambda: bet_send(server, seat, unreadable))
            assert (said.body["code"], said.headers["retry-after"]) == ("RATE_LIMITED", "1")
            assert said == limited(lambda: browser_send(server, seat, unreadable))
            assert bet_send(server, other, Request()).status == 200  # each player has its own limit
            assert bet_send(server, other, Request(authorization="Bearer x")).status == 401
            proxy.shut()
            gone = bet_send(server, other, Request())
            assert (gone.status, gone.body["code"]) == (503, "SERVICE_UNAVAILABLE")
            assert int(gone.headers["retry-after"]) > 0
    assert Round.objects.count() == 1


def test_bets_at_one_server_count_at_the_other() -> None:
    seat, unreadable = seat_make(), Request(b"{")
    with server_run() as one, server_run() as other:
        deadline = time.monotonic() + WAIT_S
        # The other server's own budget is enough for this pace.
        while bet_send(other, seat, unreadable).status != 429:
            limited(lambda: bet_send(one, seat, unreadable))
            assert time.monotonic() < deadline


def test_without_redis_each_server_counts_its_own_requests(tmp_path: Path) -> None:
    seat = seat_make()
    with server_run(REDIS_URL=f"unix://{tmp_path}/nothing.sock") as server:
        assert bet_send(server, seat, Request()).status == 200
        limited(lambda: bet_send(server, seat, Request(b"{")))
        deadline = time.monotonic() + WAIT_S
        while "rate_limit_not_shared" not in server.log_text:
            assert time.monotonic() < deadline
            bet_send(server, seat, Request(b"{"))
        assert seat.token not in server.log_text


def test_an_ip_address_that_guesses_tokens_is_limited() -> None:
    guess = Request(authorization="Bearer no-such-session")
    seat = seat_make()
    with server_run() as server:
        said = limited(lambda: bet_send(server, seat, guess))
    assert (set(said.body), said.body["code"]) == ({"code", "message"}, "RATE_LIMITED")
    assert int(said.headers["retry-after"]) >= 1


@pytest.mark.parametrize("after", [False, True], ids=["before it is written", "before the answer"])
def test_a_connection_lost_before_or_after_the_write_leaves_one_bet(after: bool) -> None:
    seat = seat_make()
    with proxy_run(app_url()) as proxy, ThreadPoolExecutor(1) as pool:
        addresses = {"DATABASE_URL": proxy.url, "DATABASE_OWNER_URL": proxy.url}
        with server_run(PUNTO_RATE_LIMITS="0", **addresses) as server:
            hold = proxy.hold(b'"records"', after=after)  # of the parameter of the second statement
            lost = pool.submit(bet_send, server, seat, Request(key="k1"))
            assert hold.reached.wait(WAIT_S)
            proxy.drop()
            assert lost.result(timeout=WAIT_S).body["code"] == "SERVICE_UNAVAILABLE"
            assert Round.objects.count() == int(after)
            answer = bet_send(server, seat, Request(key="k1"))  # another connection is open already
            assert answer.status == 200, answer.text
            assert answer == bet_send(server, seat, Request(key="k1"))
    assert Round.objects.count() == 1
    assert answer.body["balance"] == seat.balance
