"""The lobby over HTTP: tokens, visible tables, conditions of a seat, rate limits."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings
from django.db import transaction
from django.test import Client
from django.utils import timezone

from apps.accounts.models import Player, PlayerStatus, Role
from apps.core import json
from apps.core.errors import PlayerBlocked
from apps.core.models import Currency
from apps.rounds.game_sessions import game_session_open
from apps.tables.errors import LimitExceeded
from apps.tables.models import GameTable, TableSession
from apps.tables.registry import table_games
from apps.tables.table_administration import table_open_by
from apps.tables.table_creation import RoomOptions, partner_table_create
from apps.wallet.models import WalletStatus
from casino.settings.waits import WAIT_S
from tests.support.factories import partner_make, player_make, staff_make, user_make, wallet_make
from tests.support.partners import PartnerClient
from tests.support.played import act, blackjack_session
from tests.support.table_play import PlayedTable
from tests.support.tables import CONTRIBUTION, players_make, session_make, sit, table_make
from tests.support.waiting import lock_wait_await, patiently

POINTS = {"gameType": "blackjack", "points": True}


class Caller:
    """Calls with one session's token, or without one."""

    def __init__(self, token: str = "") -> None:
        self.token = token
        self.client = Client(raise_request_exception=False)

    def get(self, path: str) -> "Reply":
        return Reply(self.client.get(path, headers=self._headers()))

    def post(self, path: str, body: object = None) -> "Reply":
        data = json.encode({} if body is None else body)
        return Reply(self.client.post(path, data, content_type="application/json", headers=self._headers()))

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}


class Reply:
    """An answer, its numbers exact."""

    def __init__(self, response: Any) -> None:
        self.status: int = response.status_code
        self.headers = response.headers
        self.text: str = response.content.decode()
        is_json = response.headers.get("Content-Type", "").startswith("application/json")
        self.body: Any = json.decode(response.content) if is_json else None

    @property
    def code(self) -> str:
        return str(self.body["code"])


def caller_of(player: Player, **more: Any) -> Caller:
    return Caller(session_make(player, **more)[1])


@pytest.fixture
def caller(committed: None) -> Caller:
    _, [player] = players_make(1)
    return caller_of(player)


# Tokens


def test_a_partners_session_gives_a_token_for_its_currency_and_game(committed: None) -> None:
    player = player_make(balance=Decimal(10))
    _, token = game_session_open(player=player, game="og-baccarat", currency_code="FUN")
    answer = Caller(token).post("/api/auth/token")
    assert (answer.status, set(answer.body)) == (200, {"token", "sessionId", "expiresAt"})
    session = TableSession.objects.get(session_id=answer.body["sessionId"])
    assert (session.allowed_games, session.currency_id) == (["baccarat"], "FUN")
    assert answer.body["expiresAt"] == int(session.expires_at.timestamp() * 1000)
    assert answer.body["token"] not in str(TableSession.objects.values())
    assert Caller(answer.body["token"]).get("/api/lobby").status == 200


def test_a_session_of_another_currency_is_refused(committed: None) -> None:
    player = player_make(balance=Decimal(10))
    _, token = game_session_open(player=player, game="og-baccarat", currency_code="FUN")
    refused = Caller(token).post("/api/auth/token", {"currency": "EUR"})
    assert (refused.status, refused.body) == (
        403, {"code": "INVALID_CURRENCY", "message": "currency: this session is for FUN"},
    )  # fmt: skip
    assert not TableSession.objects.exists()
    assert Caller(token).post("/api/auth/token", {"currency": "FUN"}).status == 200


def test_a_token_needs_a_log_in_or_a_session(committed: None) -> None:
    assert [Caller(token).post("/api/auth/token").code for token in ("", str(uuid4()))] == [
        "AUTH_REQUIRED", "AUTH_INVALID",
    ]  # fmt: skip


def test_a_logged_in_player_gets_a_token_with_the_pages_csrf_token_alone(committed: None) -> None:
    user = user_make()
    player = player_make(balance=Decimal(10), user=user)
    wallet_make(player=player, currency="EUR")
    client = Client(enforce_csrf_checks=True)
    client.force_login(user)
    refused = Reply(client.post("/api/auth/token", b"{}", content_type="application/json"))
    assert (refused.status, refused.code) == (403, "CSRF_FAILED")
    client.cookies["csrftoken"] = "a" * 32
    taken = client.post(
        "/api/auth/token", b'{"currency": "EUR"}', content_type="application/json", headers={"X-CSRFToken": "a" * 32}
    )
    assert taken.status_code == 200
    session = TableSession.objects.get(player=player)
    assert (session.currency_id, session.allowed_games) == ("EUR", list(table_games()))


def test_a_player_who_is_blocked_or_has_no_wallet_gets_no_token(committed: None) -> None:
    player = player_make(balance=Decimal(10))
    tokens = [game_session_open(player=player, game="og-baccarat", currency_code="FUN")[1] for _ in range(2)]
    user = user_make()
    other = player_make(user=user)
    client = Client()
    client.force_login(user)
    answer = Reply(client.post("/api/auth/token", b'{"currency": "BTC"}', content_type="application/json"))
    assert (answer.status, answer.code, other.currency_id) == (403, "INVALID_CURRENCY", "FUN")
    assert answer.body["message"] == "currency: the player has no wallet in 'BTC'"
    Player.objects.filter(pk=player.pk).update(status=PlayerStatus.BLOCKED)
    assert Caller(tokens[0]).post("/api/auth/token").status in {401, 403}
    assert not TableSession.objects.exists()


def test_an_open_round_alone_gives_a_blocked_player_no_token(committed: None) -> None:
    player, token = blackjack_session()
    act(token, "Bet", betAmount=10)
    Player.objects.filter(pk=player.pk).update(status=PlayerStatus.BLOCKED)
    refused = Caller(token).post("/api/auth/token")
    assert (refused.status, refused.code) == (403, "PLAYER_BLOCKED")


NOWHERE = "6f0b9a52-3f0e-4c1b-9a53-0d3f5d1f7c10"
"""No room has this id. It is fixed, because xdist needs the same parameters in every worker."""


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("get", "/api/games"),
        ("get", "/api/games/blackjack/spec"),
        ("get", "/api/lobby"),
        ("post", "/api/rooms"),
        ("get", f"/api/rooms/{NOWHERE}"),
        ("post", f"/api/rooms/{NOWHERE}/join"),
        ("post", f"/api/rooms/{NOWHERE}/leave"),
        ("post", f"/api/rooms/{NOWHERE}/watch"),
        ("get", f"/api/rooms/{NOWHERE}/rounds/{NOWHERE}"),
    ],
)
def test_every_call_needs_a_valid_session(caller: Caller, method: str, path: str) -> None:
    codes = [getattr(Caller(token), method)(path).code for token in ("", "x" * 43)]
    assert codes == ["AUTH_REQUIRED", "AUTH_INVALID"]
    TableSession.objects.update(ended_at=timezone.now())
    expired = getattr(caller, method)(path)
    assert (expired.status, expired.code) == (401, "AUTH_EXPIRED")
    assert expired.headers["WWW-Authenticate"] == "Bearer"


def test_a_session_that_had_no_socket_for_too_long_is_over_before_the_worker_has_ended_it(caller: Caller) -> None:
    for left_s, status in ((5, 200), (-1, 401)):
        dropped_at = timezone.now() - timedelta(seconds=settings.PUNTO_TABLE_DROP_S - left_s)
        TableSession.objects.update(dropped_at=dropped_at)
        assert caller.get("/api/games").status == status
    assert caller.get("/api/games").code == "AUTH_EXPIRED"


def test_a_session_whose_time_is_over_is_refused(caller: Caller) -> None:
    TableSession.objects.update(expires_at=timezone.now())
    assert caller.get("/api/games").code == "AUTH_EXPIRED"


# Games


def test_the_games_are_listed_with_the_versions_of_their_specifications(caller: Caller) -> None:
    games = {game["gameType"]: game for game in caller.get("/api/games").body["games"]}
    assert set(games) == set(table_games())
    assert games["baccarat"] == {
        "gameType": "baccarat",
        "name": "Baccarat",
        "category": "table",
        "gameModel": "phase_based",
        "players": {"min": 1, "max": 14},
        "specVersion": "1.1.0",
        "schemaFormat": "json-schema",
    }
    document = caller.get("/api/games/baccarat/spec")
    assert document.headers["Content-Type"].startswith("text/markdown")
    assert document.text.startswith("---\ngameType: baccarat\n")


# Rooms


def test_a_player_makes_a_table_for_points_alone(caller: Caller) -> None:
    made = caller.post("/api/rooms", POINTS | {"name": "Friday", "private": True, "rules": {"decks": 2}, "seats": 3})
    assert made.status == 201
    room = made.body
    assert (room["name"], room["currency"], room["maxPlayers"], room["private"]) == ("Friday", None, 3, True)
    assert (room["rules"]["decks"], room["gameStatus"], room["playerCount"]) == (2, "waiting", 0)
    assert (room["minBuyin"], room["maxBuyin"]) == (2, 200)
    assert (len(room["chainCommitment"]), room["chainFirstRound"]) == (64, 1)
    for body in ({"gameType": "blackjack", "currency": "FUN"}, {"gameType": "blackjack"}):
        assert caller.post("/api/rooms", body).status == 400


@pytest.mark.parametrize(
    ("wish", "field"),
    [
        ({"gameType": "roulette"}, "gameType: there is no table game 'roulette'; there is baccarat"),
        ({"seats": 9}, "seats"),
        ({"seats": "3"}, "seats"),
        ({"rules": {"jokers": True}}, "rules: there is no option 'jokers'; there is decks"),
        ({"rules": {"decks": 77}}, "rules.decks"),
        ({"limits": {"main": {"minAmount": 3, "maxAmount": 5}}}, "limits.main"),
        *(({"turnSeconds": span_s}, "turnSeconds: 5 to 60 are possible") for span_s in (-1, 0, 61, 10**9)),
        ({"name": "x" * 61}, "name: a string of 1 to 60 characters without control characters is expected"),
        ({"name": "\x00"}, "name: a string of 1 to 60 characters without control characters is expected"),
        ({"name": 5}, "name: a string of 1 to 60 characters without control characters is expected, not a number"),
        ({"points": "yes"}, "points: true or false is expected, not a string"),
        ({"gameType": "x" * 21}, "gameType: a string of at most 20 characters is expected"),
        ({"gameType": None}, "gameType: a string of at most 20 characters is expected, not null"),
        ({"seats": Decimal("2.5")}, "seats: a whole number is expected"),
        ({"seats": True}, "seats: a whole number is expected, not true or false"),
        ({"rules": []}, "rules: an object is expected, not a list"),
        ({"odds": {"a": 1, "b": "1"}}, "odds.b: a number is expected, not a string"),
        ({"odds": {"tie": 1}}, "odds: 'tie' is no outcome of a side bet; there is "),
        (
            {"gameType": "baccarat", "odds": {"no": 1}},
            "odds: 'no' is no bet of this game; there is player, banker, tie",
        ),
        (
            {"limits": {"main": {"minAmount": 0, "maxAmount": 5}}},
            "limits.main.minAmount: an amount above 0, up to 1000",
        ),
        ({"odds": {"x" * 300: "1"}}, "odds.xxx"),
        (
            {"limits": {"a": {"minAmount": 1, "maxAmount": 2}, "b": {"minAmount": 1}}},
            "limits.b.maxAmount: This field is",
        ),
        ({"limits": {"a": {"minAmount": None, "maxAmount": 2}}}, "limits.a.minAmount: a number is expected, not null"),
        ({"limits": {"a": 5}}, "limits.a: an object is expected, not a number"),
        ({"currency": "\u20ac"}, "currency: a string of 1 to 8 letters and digits is expected"),
    ],
)
def test_invalid_settings_are_refused_with_the_field(caller: Caller, wish: dict[str, Any], field: str) -> None:
    refused = caller.post("/api/rooms", POINTS | wish)
    assert refused.status in {400, 404}, refused.body
    assert field in refused.body["message"]
    assert len(refused.body["message"]) < 250
    assert not GameTable.objects.exists()


def test_the_number_of_a_players_own_tables_is_limited(caller: Caller, settings: Any) -> None:
    """A further table closes the oldest empty one. If players sit at all of them, it is refused."""
    settings.PUNTO_TABLES_A_PLAYER = 2
    first, second = (caller.post("/api/rooms", POINTS).body["id"] for _ in range(2))
    assert caller.post(f"/api/rooms/{first}/join").status == 200
    third = caller.post("/api/rooms", POINTS).body["id"]
    assert {room["id"] for room in caller.get("/api/lobby").body["rooms"]} == {first, third}
    assert caller.get(f"/api/rooms/{second}").body["gameStatus"] == "closed"
    assert caller.post(f"/api/rooms/{second}/join").status == 404
    assert caller.post(f"/api/rooms/{third}/join").status == 200
    refused = caller.post("/api/rooms", POINTS)
    assert (refused.status, refused.code) == (403, "LIMIT_EXCEEDED")


def test_the_number_of_a_partner_s_open_tables_is_limited(committed: None, settings: Any) -> None:
    settings.PUNTO_TABLES_A_PARTNER = 1
    partner, table = partner_make(), {"gameType": "baccarat", "currency": "FUN"}
    first = PartnerClient(partner, ["configure"]).post("/api/rooms", table)
    refused = PartnerClient(partner, ["configure"]).post("/api/rooms", table)
    assert (first.status, refused.status, refused.body["code"]) == (201, 403, "LIMIT_EXCEEDED")
    assert refused.body["message"] == "1 tables of this partner are open already: close one of them"
    assert PartnerClient(partner_make(), ["configure"]).post("/api/rooms", table).status == 201
    GameTable.objects.filter(partner=partner).update(is_open=False)
    assert PartnerClient(partner, ["configure"]).post("/api/rooms", table).status == 201
    with pytest.raises(LimitExceeded):
        table_open_by(table=GameTable.objects.get(pk=first.body["id"]), user=staff_make(Role.OPERATOR))


def test_two_tables_of_a_partner_that_are_made_at_once_count_for_each_other(committed: None, settings: Any) -> None:
    settings.PUNTO_TABLES_A_PARTNER = 1
    partner, options = partner_make(), RoomOptions(game_type="baccarat", currency_code="FUN")

    def make() -> GameTable:
        return partner_table_create(partner=partner, actor="test", options=options)

    with ThreadPoolExecutor(1) as others:
        with transaction.atomic():
            make()
            other = others.submit(patiently(make))
            lock_wait_await()
        with pytest.raises(LimitExceeded):
            other.result(timeout=WAIT_S)


def test_a_partner_makes_tables_with_a_key_that_may_configure(committed: None) -> None:
    partner = partner_make()
    limits = {"banker": {"minAmount": Decimal("0.5"), "maxAmount": 9}}
    made = PartnerClient(partner, ["configure"]).post(
        "/api/rooms", {"gameType": "baccarat", "currency": "FUN", "limits": limits}
    )
    assert made.status == 201, made.body
    assert made.body["limits"] == limits
    assert made.body["odds"]["banker"] == Decimal("0.95")
    refused = PartnerClient(partner, ["read"]).post("/api/rooms", {"gameType": "baccarat", "currency": "FUN"})
    assert (refused.status, refused.body["code"]) == (403, "SCOPE_MISSING")
    unknown = PartnerClient(partner, ["configure"]).post("/api/rooms", {"gameType": "baccarat", "currency": "XXX"})
    assert (unknown.status, unknown.body["code"]) == (403, "INVALID_CURRENCY")


def test_the_lobby_lists_tables_with_players_first(committed: None) -> None:
    partner, [player] = players_make(1)
    empty, played_at = table_make(partner), table_make(partner)
    caller = caller_of(player)
    assert [room["id"] for room in caller.get("/api/lobby").body["rooms"]] == [str(empty.pk), str(played_at.pk)]
    assert caller.post(f"/api/rooms/{played_at.pk}/join").status == 200
    assert [room["id"] for room in caller.get("/api/lobby").body["rooms"]] == [str(played_at.pk), str(empty.pk)]


def test_tables_of_other_partners_and_currencies_are_not_found(committed: None) -> None:
    """A private table is found by its id, and listed for its creator alone."""
    partner, [anna, ben] = players_make(2)
    own, points = table_make(partner, currency="FUN"), table_make(partner)
    foreign, other = table_make(partner_make(), currency="FUN"), table_make(partner, currency="EUR")
    callers = [caller_of(anna), caller_of(ben)]
    private = callers[0].post("/api/rooms", POINTS | {"private": True}).body["id"]
    listed = [{room["id"] for room in each.get("/api/lobby").body["rooms"]} for each in callers]
    assert listed == [{str(own.pk), str(points.pk), private}, {str(own.pk), str(points.pk)}]
    assert callers[1].get(f"/api/rooms/{private}").status == 200
    for table in (foreign, other):
        for method, end in (("get", ""), ("post", "/join"), ("post", "/watch"), ("post", "/leave")):
            answer = getattr(callers[0], method)(f"/api/rooms/{table.pk}{end}")
            assert (answer.status, answer.code) == (404, "TABLE_NOT_FOUND")
        record = callers[0].get(f"/api/rooms/{table.pk}/rounds/{uuid4()}")
        assert (record.status, record.code) == (404, "TABLE_NOT_FOUND")


def test_a_session_of_one_game_is_not_for_another(committed: None) -> None:
    partner, [player] = players_make(1)
    table = table_make(partner, currency="FUN")
    seated = caller_of(player, games=["baccarat"])
    assert seated.get("/api/lobby").body["rooms"] == []
    answer = seated.post(f"/api/rooms/{table.pk}/join")
    assert (answer.status, answer.code) == (403, "GAME_NOT_ALLOWED")


# Seats


def test_joining_answers_the_room_and_the_seat(committed: None) -> None:
    partner, players = players_make(3)
    table = table_make(partner, currency="FUN", seats=2)
    callers = [caller_of(player) for player in players]
    path = f"/api/rooms/{table.pk}"
    first = callers[0].post(f"{path}/join", {"seat": 2}).body
    assert (first["seat"], first["playerCount"], first["gameStatus"]) == (2, 1, "betting")
    assert [(row["seat"], row["bot"]) for row in first["players"]] == [(2, False)]
    taken = callers[1].post(f"{path}/join", {"seat": 2})
    assert (taken.status, taken.code) == (403, "SEAT_TAKEN")
    assert callers[1].post(f"{path}/join").body["seat"] == 1
    assert callers[1].post(f"{path}/join", {"seat": 1}).body["seat"] == 1
    moving = callers[0].post(f"{path}/join", {"seat": 1})
    assert (moving.status, moving.code) == (403, "SEAT_TAKEN")
    full = callers[2].post(f"{path}/join")
    assert (full.status, full.code) == (409, "TABLE_FULL")
    assert callers[2].post(f"{path}/watch").body["playerCount"] == 2
    assert callers[2].post(f"{path}/leave").status == 200
    assert callers[1].post(f"{path}/leave").body["playerCount"] == 1
    gone = callers[1].post(f"{path}/leave")
    assert (gone.status, gone.code) == (404, "TABLE_NOT_FOUND")


def test_a_seat_needs_the_lowest_stake_and_a_limit_that_reaches_it(committed: None) -> None:
    partner, [anna, ben] = players_make(2, balance=4)
    limits = {"main": {"minAmount": 5, "maxAmount": 50}}
    path = f"/api/rooms/{table_make(partner, currency='FUN', limits=limits).pk}/join"
    rich = player_make(partner=partner, balance=Decimal(5))
    assert caller_of(rich, max_stake=Decimal(5)).post(path).status == 200
    poor = caller_of(anna).post(path)
    assert (poor.status, poor.code) == (403, "INSUFFICIENT_BALANCE")
    assert poor.body["message"] == "the wallet holds 4 FUN, and the lowest stake of this table is 5"
    wallet_make(player=ben, currency="EUR", balance=Decimal(100))
    path = f"/api/rooms/{table_make(partner, currency='EUR', limits=limits).pk}/join"
    limited = caller_of(ben, currency="EUR", max_stake=Decimal(4)).post(path, {"clientSeed": CONTRIBUTION})
    assert (limited.status, limited.code) == (403, "LIMIT_EXCEEDED")
    assert limited.body["message"] == "the session may stake 4 on a round, and the lowest stake of this table is 5"


@pytest.mark.parametrize("of", ["player", "wallet"])
def test_a_blocked_player_is_told_so_and_not_that_the_balance_is_too_low(committed: None, of: str) -> None:
    partner, [player] = players_make(1, balance=1000)
    seated, path = caller_of(player), f"/api/rooms/{table_make(partner, currency='FUN').pk}/join"
    if of == "player":
        Player.objects.filter(pk=player.pk).update(status=PlayerStatus.BLOCKED)
    else:
        player.wallets.update(status=WalletStatus.BLOCKED)
    refused = seated.post(path)
    assert (refused.status, refused.code) == (403, "PLAYER_BLOCKED")


def test_a_player_who_is_blocked_in_mid_round_comes_back_and_finishes_it_and_stakes_no_more(committed: None) -> None:
    partner, [player, other] = players_make(2)
    table = PlayedTable(table_make(partner, currency="FUN"), [player, other])
    table.stake(0)
    launched = game_session_open(player=player, game="", currency_code="FUN")[1]
    Player.objects.filter(partner=partner).update(status=PlayerStatus.BLOCKED)
    game_session_open(player=Player.objects.get(pk=player.pk), game="og-blackjack", currency_code="FUN")
    answer = Caller(launched).post("/api/auth/token")
    assert answer.status == 200, answer.body
    back = Caller(answer.body["token"])
    assert back.post(f"/api/rooms/{table.table.pk}/join").body["seat"] == 1
    with pytest.raises(PlayerBlocked):  # without a stake
        sit(table.sessions[1], table.table)
    for currency in ("FUN", None):  # None: points
        elsewhere = back.post(f"/api/rooms/{table_make(partner, currency=currency).pk}/join")
        assert (elsewhere.status, elsewhere.code) == (403, "PLAYER_BLOCKED")
    with pytest.raises(PlayerBlocked):
        game_session_open(player=Player.objects.get(pk=other.pk), game="", currency_code="FUN")


def test_a_seat_for_real_money_requires_a_contribution(committed: None) -> None:
    assert not Currency.objects.get(code="EUR").is_play
    partner, [player] = players_make(1, currency="EUR")
    seated = caller_of(player, currency="EUR")
    path = f"/api/rooms/{table_make(partner, currency='EUR').pk}"
    assert seated.get(path).body["contributionRequired"] is True
    refused = seated.post(f"{path}/join")
    assert (refused.status, refused.code) == (403, "CONTRIBUTION_REQUIRED")
    digits, seats = "a string of 32 hexadecimal digits (0 to 9, a to f)", "a whole number from 1 to 14"
    for body, text in (
        ({"clientSeed": "x"}, f"clientSeed: {digits} is expected"),
        ({"clientSeed": 5}, f"clientSeed: {digits} is expected, not a number"),
        ({"seat": 0}, f"seat: {seats} is expected"),
        ({"seat": "1"}, f"seat: {seats} is expected, not a string"),
    ):
        answer = seated.post(f"{path}/join", body)
        assert (answer.status, answer.body) == (400, {"code": "BAD_REQUEST", "message": text})
    assert seated.post(f"{path}/join", {"clientSeed": CONTRIBUTION}).body["seat"] == 1


@pytest.mark.parametrize("data", [b"", b"{}"])
def test_an_empty_body_is_read_as_an_empty_object(committed: None, data: bytes) -> None:
    partner, [player] = players_make(1)
    seated = caller_of(player)
    path = f"/api/rooms/{table_make(partner).pk}/join"
    answer = seated.client.post(path, data, content_type="application/json", headers=seated._headers())
    assert answer.status_code == 200


@pytest.mark.parametrize("data", [b"[1]", b"[]", b"{", b"1", b"null", b"null1"])
def test_a_body_that_is_no_object_is_refused(committed: None, data: bytes) -> None:
    partner, [player] = players_make(1)
    seated = caller_of(player)
    path = f"/api/rooms/{table_make(partner).pk}/join"
    answer = Reply(seated.client.post(path, data, content_type="application/json", headers=seated._headers()))
    assert answer.status == 400
    assert set(answer.body) == {"code", "message"}


# Limits


def test_answers_carry_the_rest_of_the_rate_limit(caller: Caller, settings: Any) -> None:
    settings.PUNTO_TABLE_REQUESTS_PER_10_S = 3
    answers = [caller.get("/api/games") for _ in range(4)]
    assert [answer.status for answer in answers] == [200, 200, 200, 429]
    assert answers[0].headers["RateLimit-Policy"] == '"tables";q=3;w=10'
    assert [answer.headers["RateLimit"].partition(";t=")[0] for answer in answers] == [
        '"tables";r=2', '"tables";r=1', '"tables";r=0', '"tables";r=0',
    ]  # fmt: skip
    assert answers[3].code == "RATE_LIMITED"
    assert 1 <= int(answers[3].headers["Retry-After"]) <= 10


def test_tokens_are_limited_by_player(committed: None, settings: Any) -> None:
    settings.PUNTO_TABLE_TOKENS_PER_MINUTE = 2
    player = player_make(balance=Decimal(10))
    _, token = game_session_open(player=player, game="og-baccarat", currency_code="FUN")
    answers = [Caller(token).post("/api/auth/token") for _ in range(3)]
    assert [answer.status for answer in answers] == [200, 200, 429]
    assert answers[2].headers["RateLimit-Policy"] == '"table-tokens";q=2;w=60'
    assert TableSession.objects.count() == 2
