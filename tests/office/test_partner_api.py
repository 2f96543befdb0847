"""The partner API: formats, tenancy, keys (docs/partner-api.md, docs/protocol.md)."""

import logging
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from structlog.stdlib import ProcessorFormatter

from apps.accounts.actors import Actor
from apps.accounts.models import Player, PlayerStatus
from apps.blackjack.engine.codec import to_json
from apps.blackjack.engine.play import round_start
from apps.blackjack.engine.rules import SOLO_RULES
from apps.blackjack.engine.setup import RoundSetup, SeatStakes
from apps.blackjack.models import BlackjackRound
from apps.blackjack.store import state_write
from apps.cards.notation import parse_cards
from apps.core import json
from apps.core.pagination import PAGE_ROWS
from apps.fairness.models import SeedPair
from apps.idempotency.models import StoredAnswer
from apps.partners.models import ApiKey, Scope
from apps.partners.services import USE_NOTED_EVERY, api_key_revoke
from apps.rounds.game_sessions import game_session_find, token_hash
from apps.rounds.models import GameSession, Round, RoundVoid
from apps.statistics.models import PartnerZone
from apps.tables.models import TablePlayer
from apps.tables.registry import table_games
from apps.tables.sessions import table_session_begin
from apps.wallet.models import Kind, Wallet, WalletTransaction
from apps.wallet.services import wallet_move
from tests.support.baccarat_use_cases import baccarat_config_set
from tests.support.blackjack import blackjack_offer
from tests.support.factories import partner_make, player_make
from tests.support.folds import all_folded
from tests.support.nonces import nonce_take
from tests.support.partners import Answer, PartnerClient

pytestmark = pytest.mark.django_db

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


@pytest.fixture
def system() -> PartnerClient:
    """A partner's system with all scopes."""
    return PartnerClient(partner_make())


def problem(answer: Answer, status: int, code: str) -> dict[str, Any]:
    """Check that the answer is this problem in the format of RFC 9457, and return it."""
    assert (answer.status, answer.body["code"]) == (status, code)
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.body["status"] == status
    assert {"type", "title", "status", "detail", "code"} <= set(answer.body)
    body: dict[str, Any] = answer.body
    return body


def transfer(player: Player, amount: object = "25.5", transaction_id: str = "tx-1") -> dict[str, object]:
    return {"player": player.reference, "currency": "FUN", "amount": amount, "transaction_id": transaction_id}


# Players


def test_a_new_player_gets_a_wallet_and_two_commitments(system: PartnerClient) -> None:
    answer = system.post("/v1/players", {"reference": "anna-17", "currency": "EUR"})
    assert answer.status == 201
    assert TIME.fullmatch(answer.body.pop("created_at"))
    assert answer.body == {
        "reference": "anna-17",
        "currency": "EUR",
        "status": "active",
        "wallets": [{"currency": "EUR", "balance": "0", "status": "active"}],
    }
    assert SeedPair.objects.filter(player__reference="anna-17").count() == 2


def test_the_same_player_again_is_200_and_may_get_a_further_wallet(system: PartnerClient) -> None:
    system.post("/v1/players", {"reference": "anna-17", "currency": "EUR"})
    again = system.post("/v1/players", {"reference": "anna-17", "currency": "FUN"})
    assert again.status == 200
    assert [wallet["currency"] for wallet in again.body["wallets"]] == ["EUR", "FUN"]
    assert Player.objects.filter(partner=system.partner).count() == 1
    assert SeedPair.objects.filter(player__reference="anna-17").count() == 2


def test_a_new_player_of_the_house_has_play_money() -> None:
    house = PartnerClient(partner_make(is_house=True))
    body = {"reference": "hal", "currency": "FUN"}
    assert house.post("/v1/players", body).body["wallets"][0]["balance"] == "1000"
    assert house.post("/v1/players", body).body["wallets"][0]["balance"] == "1000"


def test_two_partners_may_use_one_reference(system: PartnerClient) -> None:
    other = PartnerClient(partner_make())
    body = {"reference": "anna", "currency": "EUR"}
    assert [system.post("/v1/players", body).status, other.post("/v1/players", body).status] == [201, 201]


@pytest.mark.parametrize(
    ("body", "status", "code", "field"),
    [
        pytest.param(b"{", 400, "MALFORMED_BODY", None, id="not-json"),
        pytest.param([], 400, "BAD_REQUEST", None, id="not-an-object"),
        pytest.param({"currency": "EUR"}, 400, "BAD_REQUEST", "reference", id="missing"),
        pytest.param({"reference": 17, "currency": "EUR"}, 400, "BAD_REQUEST", "reference", id="a-number"),
        pytest.param({"reference": None, "currency": "EUR"}, 400, "BAD_REQUEST", "reference", id="null"),
        pytest.param({"reference": "a b", "currency": "EUR"}, 400, "BAD_REQUEST", "reference", id="a-space"),
        pytest.param({"reference": "a\u0000", "currency": "EUR"}, 400, "BAD_REQUEST", "reference", id="nul"),
        pytest.param({"reference": "a", "currency": "E\u0000"}, 400, "BAD_REQUEST", "currency", id="nul-currency"),
        pytest.param({"reference": "a", "currency": "XYZ"}, 403, "INVALID_CURRENCY", "currency", id="no-such-currency"),
    ],
)
def test_an_invalid_player_is_refused(
    system: PartnerClient, body: object, status: int, code: str, field: str | None
) -> None:
    found = problem(system.post("/v1/players", body), status, code)
    assert found.get("field") == field
    assert not Player.objects.filter(partner=system.partner).exists()


# Sessions


def test_a_session_is_a_bearer_credential_stored_as_a_hash(system: PartnerClient) -> None:
    player = player_make(partner=system.partner)
    body = {
        "player": player.reference,
        "game_id": "og-baccarat",
        "currency": "FUN",
        "return_url": "https://casino.example/lobby",
    }
    answer = system.post("/v1/sessions", body)
    assert answer.status == 201
    token = answer.body["game_session_id"]
    assert answer.body["launch_url"] == f"http://testserver/launch/?game_session_id={token}"
    assert TIME.fullmatch(answer.body["expires_at"])
    session = game_session_find(token=token, game="og-baccarat")
    assert (session.player, session.partner, session.currency_id) == (player, system.partner, "FUN")
    assert session.return_url == body["return_url"]
    assert session.token_hash == token_hash(token) != token


@pytest.mark.parametrize(
    ("wish", "game", "at_tables"),
    [
        ({"gameType": "baccarat"}, "og-baccarat", ["baccarat"]),
        ({"gameType": "baccarat", "game_id": "og-baccarat"}, "og-baccarat", ["baccarat"]),
        ({}, "", list(table_games())),
    ],
)
def test_a_session_for_tables_is_for_one_game_or_for_all(
    system: PartnerClient, client: Client, wish: dict[str, str], game: str, at_tables: list[str]
) -> None:
    player = player_make(partner=system.partner)
    answer = system.post("/v1/sessions", {"player": player.reference, "currency": "FUN"} | wish)
    assert answer.status == 201
    token = answer.body["game_session_id"]
    opened = game_session_find(token=token)
    assert opened.game == game
    assert table_session_begin(caller=opened, currency_code=None)[0].allowed_games == at_tables
    link = answer.body["launch_url"].removeprefix("http://testserver")
    assert client.get(link).headers["Location"] == ("/play/baccarat/" if "game_id" in wish else "/tables/")
    if not game:
        assert client.get("/play/baccarat/").headers["Location"] == "/tables/"


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"player": "nobody"}, 404, "NOT_FOUND"),
        ({"player": "not a reference"}, 404, "NOT_FOUND"),
        ({"game_id": "og-limbo"}, 403, "INVALID_GAME_ID"),
        ({"currency": "EUR"}, 403, "INVALID_CURRENCY"),
        ({"return_url": "javascript:alert(1)"}, 400, "BAD_REQUEST"),
        ({"return_url": "nowhere"}, 400, "BAD_REQUEST"),
        ({"game_id": None}, 400, "BAD_REQUEST"),
        ({"gameType": "roulette"}, 404, "GAME_NOT_FOUND"),
        ({"gameType": "baccarat"}, 400, "BAD_REQUEST"),
        ({"gameType": 5}, 400, "BAD_REQUEST"),
        ({"client_seed": "a b"}, 400, "BAD_REQUEST"),
        ({"client_seed": 5}, 400, "BAD_REQUEST"),
    ],
)
def test_an_invalid_session_is_refused(system: PartnerClient, change: dict[str, Any], status: int, code: str) -> None:
    player = player_make(partner=system.partner)
    body = {"player": player.reference, "game_id": "og-blackjack", "currency": "FUN"} | change
    refusal = problem(system.post("/v1/sessions", body), status, code)
    assert refusal["field"] == next(iter(change))
    assert refusal["detail"].startswith(f"{refusal['field']}: ")
    assert not GameSession.objects.exists()


def test_a_session_can_set_its_player_s_first_client_seed(system: PartnerClient) -> None:
    player = player_make(partner=system.partner)
    body = {"player": player.reference, "game_id": "og-baccarat", "currency": "FUN", "client_seed": "lucky-7"}
    for _ in range(2):
        assert system.post("/v1/sessions", body).status == 201
    pair = SeedPair.objects.get(player=player, status="active")
    assert (pair.client_seed, pair.client_seed_chosen) == ("lucky-7", True)
    problem(system.post("/v1/sessions", body | {"client_seed": "other"}), 409, "CHANGE_SEED_FAILED")
    assert GameSession.objects.filter(player=player).count() == 2


def test_a_client_seed_is_refused_after_a_round_with_the_server_s_choice(system: PartnerClient) -> None:
    player = player_make(partner=system.partner)
    nonce_take(player_id=player.pk)
    body = {"player": player.reference, "game_id": "og-baccarat", "currency": "FUN", "client_seed": "lucky-7"}
    problem(system.post("/v1/sessions", body), 409, "CHANGE_SEED_FAILED")
    assert not GameSession.objects.exists()


def test_a_blocked_player_gets_no_session(system: PartnerClient) -> None:
    player = player_make(partner=system.partner)
    Player.objects.filter(pk=player.pk).update(status=PlayerStatus.BLOCKED)
    body = {"player": player.reference, "game_id": "og-blackjack", "currency": "FUN"}
    problem(system.post("/v1/sessions", body), 403, "PLAYER_BLOCKED")


# Funds


def test_a_deposit_and_a_withdrawal_move_the_balance(system: PartnerClient) -> None:
    player = player_make(partner=system.partner, balance=Decimal(100))
    into = system.post("/v1/wallets/deposit", transfer(player), idempotency_key="k1")
    assert (into.status, into.body) == (
        200,
        {
            "transaction_id": "tx-1",
            "player": player.reference,
            "currency": "FUN",
            "amount": "25.5",
            "balance": "125.5",
        },
    )
    out = system.post("/v1/wallets/withdraw", transfer(player, 125, "tx-2"), idempotency_key="k1")
    assert (out.status, out.body["amount"], out.body["balance"]) == (200, "125", "0.5")
    kinds = WalletTransaction.objects.filter(wallet__player=player).order_by("number").values_list("kind", "change")
    assert list(kinds) == [("deposit", 100), ("deposit", Decimal("25.5")), ("withdrawal", -125)]


def test_a_repeated_key_gets_the_same_bytes_and_moves_nothing(system: PartnerClient) -> None:
    player = player_make(partner=system.partner)
    first = system.post("/v1/wallets/deposit", transfer(player, 10), idempotency_key="k")
    wallet_move(
        wallet_id=Wallet.objects.get(player=player).pk, kind=Kind.DEPOSIT, change=Decimal(1), source_key="between"
    )
    again = system.post("/v1/wallets/deposit", transfer(player, Decimal("10.00")), idempotency_key="k")
    assert (again.status, again.bytes) == (200, first.bytes)
    assert Wallet.objects.get(player=player).balance == 11


def test_a_used_key_with_another_body_is_409(system: PartnerClient) -> None:
    player = player_make(partner=system.partner)
    system.post("/v1/wallets/deposit", transfer(player, 10), idempotency_key="k")
    answer = system.post("/v1/wallets/deposit", transfer(player, 11), idempotency_key="k")
    problem(answer, 409, "IDEMPOTENCY_KEY_REUSED")
    assert Wallet.objects.get(player=player).balance == 10


def test_a_transaction_id_moves_funds_once_with_any_key_in_either_direction(system: PartnerClient) -> None:
    player = player_make(partner=system.partner)
    system.post("/v1/wallets/deposit", transfer(player, 10), idempotency_key="k")
    for call in ("deposit", "withdraw"):
        answer = system.post(f"/v1/wallets/{call}", transfer(player, 10), idempotency_key="other")
        found = problem(answer, 409, "CONFLICT")
        assert found["field"] == "transaction_id", "a 409 of the key and one of the id need different remedies"
        assert found["detail"].startswith("transaction_id: ")
    assert Wallet.objects.get(player=player).balance == 10


def test_two_partners_may_use_one_key_and_one_transaction_id(system: PartnerClient) -> None:
    other = PartnerClient(partner_make())
    for one in (system, other):
        player = player_make(partner=one.partner)
        assert one.post("/v1/wallets/deposit", transfer(player, 10), idempotency_key="k").status == 200


def test_a_refusal_is_not_stored_and_can_be_tried_again(system: PartnerClient) -> None:
    player = player_make(partner=system.partner, balance=Decimal(5))
    body = transfer(player, 10)
    found = problem(system.post("/v1/wallets/withdraw", body, idempotency_key="k"), 403, "INSUFFICIENT_FUNDS")
    assert found["detail"] == f"amount: 10 is more than the wallet holds, 5 {player.currency_id}"
    assert found["field"] == "amount"
    assert not StoredAnswer.objects.exists()
    system.post("/v1/wallets/deposit", transfer(player, 5, "tx-2"), idempotency_key="k2")
    assert system.post("/v1/wallets/withdraw", body, idempotency_key="k").body["balance"] == "0"


@pytest.mark.parametrize("key", [None, "", "a b", "k" * 129, "é"])
def test_funds_are_not_moved_without_a_key(system: PartnerClient, key: str | None) -> None:
    player = player_make(partner=system.partner)
    headers = {} if key is None else {"idempotency_key": key}
    found = problem(system.post("/v1/wallets/deposit", transfer(player), **headers), 400, "BAD_REQUEST")
    assert found["field"] == "Idempotency-Key"


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"amount": 0}, 403, "INVALID_BET_AMOUNT"),
        ({"amount": -1}, 403, "INVALID_BET_AMOUNT"),
        ({"amount": "0.001"}, 403, "INVALID_BET_AMOUNT"),
        ({"amount": 10**12}, 403, "INVALID_BET_AMOUNT"),
        ({"amount": "NaN"}, 400, "BAD_REQUEST"),
        ({"amount": "1e30"}, 400, "BAD_REQUEST"),
        ({"amount": "ten"}, 400, "BAD_REQUEST"),
        ({"amount": True}, 400, "BAD_REQUEST"),
        ({"amount": None}, 400, "BAD_REQUEST"),
        ({"amount": [1]}, 400, "BAD_REQUEST"),
        ({"currency": "EUR"}, 403, "INVALID_CURRENCY"),
        ({"player": "nobody"}, 404, "NOT_FOUND"),
        ({"transaction_id": ""}, 400, "BAD_REQUEST"),
        ({"transaction_id": "t" * 101}, 400, "BAD_REQUEST"),
        ({"transaction_id": 5}, 400, "BAD_REQUEST"),
    ],
)
def test_an_invalid_transfer_is_refused(system: PartnerClient, change: dict[str, Any], status: int, code: str) -> None:
    player = player_make(partner=system.partner)
    answer = system.post("/v1/wallets/deposit", transfer(player) | change, idempotency_key="k")
    refusal = problem(answer, status, code)
    assert refusal["field"] == next(iter(change))
    assert refusal["detail"].startswith(f"{refusal['field']}: ")
    assert Wallet.objects.get(player=player).balance == 0


@pytest.mark.parametrize("amount", ["1e9999999", "-1e9999999", "1e-99999", "1_000", " 5", "\u0663", "sNaN", ""])
def test_an_invalid_amount_is_refused_with_a_short_message(system: PartnerClient, amount: str) -> None:
    player = player_make(partner=system.partner)
    answer = system.post("/v1/wallets/deposit", transfer(player) | {"amount": amount}, idempotency_key="k")
    problem(answer, 400, "BAD_REQUEST")
    assert len(answer.bytes) < 300


@pytest.mark.parametrize("amount", [b"1e999999999", b"-1e999999999", b"1e-999999999", b"9" * 5000])
def test_a_huge_amount_is_refused_with_a_short_message(system: PartnerClient, amount: bytes) -> None:
    player = player_make(partner=system.partner)
    body = json.encode(transfer(player) | {"amount": 1}).replace(b'"amount":1', b'"amount":' + amount)
    answer = system.post("/v1/wallets/deposit", body, idempotency_key="k")
    assert problem(answer, 403, "INVALID_BET_AMOUNT")["field"] == "amount"
    assert len(answer.bytes) < 300


def test_a_body_that_is_nested_too_deeply_is_refused(system: PartnerClient) -> None:
    player = player_make(partner=system.partner)
    body = json.encode(transfer(player))[:-1] + b',"note":' + b"[" * 700 + b"]" * 700 + b"}"
    problem(system.post("/v1/wallets/deposit", body, idempotency_key="k"), 400, "MALFORMED_BODY")
    assert Wallet.objects.get(player=player).balance == 0


def test_wallets_can_be_read(system: PartnerClient) -> None:
    player = player_make(partner=system.partner, balance=Decimal("12.50"))
    answer = system.get(f"/v1/wallets/{player.reference}")
    assert (answer.status, answer.body) == (
        200,
        {"player": player.reference, "wallets": [{"currency": "FUN", "balance": "12.5", "status": "active"}]},
    )


# Rounds and reports


def round_make(player: Player, *, minutes: int = 0, stake: str = "10", payout: str = "0", **fields: Any) -> Round:
    """Return a baccarat round that began `minutes` before the first of May 2026, noon."""
    started_at = datetime(2026, 5, 1, 12, tzinfo=UTC) - timedelta(minutes=minutes)
    draw = nonce_take(player_id=player.pk)
    values: dict[str, Any] = {
        "game": "og-baccarat",
        "started_at": started_at,
        "ended_at": started_at,
        "how_ended": "played",
        "detail": {"player": ["H1", "H8"], "banker": ["C2", "C2"]},
    }
    found: Round = Round.objects.create(
        partner=player.partner,
        player=player,
        currency=player.currency,
        seed_pair_id=draw.seed_pair_id,
        nonce=draw.nonce,
        config_version=1,
        stake=Decimal(stake),
        payout=Decimal(payout),
        balance_before=Decimal(100),
        balance_after=Decimal(100) - Decimal(stake) + Decimal(payout),
        **values | fields,
    )
    return found


def blackjack_round_make(player: Player, *, minutes: int) -> Round:
    """Return a won round of blackjack."""
    terms = blackjack_offer(player.partner).terms.get()
    setup = RoundSetup(SOLO_RULES, (SeatStakes(1000),))
    state, _ = round_start(setup, parse_cards("H1 C8 HK S5"))
    found = round_make(player, minutes=minutes, game="og-blackjack", terms=to_json(setup))
    BlackjackRound.objects.create(round=found, terms=terms, state=state_write(state))
    return found


def test_a_round_is_listed_without_its_server_seed(system: PartnerClient) -> None:
    player = player_make(partner=system.partner)
    found = round_make(player, payout="19.5")
    (row,) = system.get("/v1/rounds").body["results"]
    pair = found.seed_pair
    assert row == {
        "id": str(found.pk),
        "player": player.reference,
        "game": "og-baccarat",
        "currency": "FUN",
        "status": "played",
        "void_reason": None,
        "started_at": "2026-05-01T12:00:00Z",
        "ended_at": "2026-05-01T12:00:00Z",
        "stake": "10",
        "payout": "19.5",
        "balance_before": "100",
        "balance_after": "109.5",
        "config_version": 1,
        "outcome": {"player": ["H1", "H8"], "banker": ["C2", "C2"]},
        "bets": [],
        "actions": [
            {
                "number": 1,
                "by": "player",
                "action": "Bet",
                "data": {"bets": []},
                "stake": "10",
                "payout": "19.5",
                "time": "2026-05-01T12:00:00Z",
            }
        ],
        "server_seed_hash": pair.commitment,
        "server_seed": None,
        "client_seed": pair.client_seed,
        "nonce": 0,
    }


def test_open_and_voided_rounds_say_so(system: PartnerClient) -> None:
    player = player_make(partner=system.partner)
    voided = round_make(player, minutes=1)
    RoundVoid.objects.create(round=voided, by="op", reason="a wrong table")
    round_make(player, how_ended="", ended_at=None)
    rows = system.get("/v1/rounds").body["results"]
    assert [(row["status"], row["void_reason"]) for row in rows] == [("open", None), ("voided", "a wrong table")]


def test_pages_follow_the_cursor_and_new_rounds_shift_nothing(system: PartnerClient) -> None:
    player = player_make(partner=system.partner)
    # Three rounds at the same moment: the cursor distinguishes them by id.
    made = [round_make(player, minutes=minutes) for minutes in (1, 2, 2, 2, 3)]
    seen: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = system.get("/v1/rounds", limit="2", **cursor).body
        seen += [row["id"] for row in page["results"]]
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}
        round_make(player, minutes=0)
    assert sorted(seen) == sorted(str(found.pk) for found in made)
    assert (seen[0], seen[-1]) == (str(made[0].pk), str(made[-1].pk))


def test_rounds_are_filtered(system: PartnerClient) -> None:
    anna, ben = (player_make(partner=system.partner) for _ in range(2))
    for minutes in (0, 10, 20):
        round_make(anna, minutes=minutes)
    blackjack_round_make(ben, minutes=5)

    def count(**query: str) -> int:
        return len(system.get("/v1/rounds", **query).body["results"])

    assert count() == 4
    assert count(player=anna.reference) == 3
    assert count(game="og-blackjack") == 1
    assert count(since="2026-05-01T11:50:00Z") == 3
    assert count(since="2026-05-01T11:50:00Z", until="2026-05-01T12:00:00Z") == 2


@pytest.mark.parametrize(
    "query",
    [
        {"cursor": "garbage"},
        {"cursor": "MjAyNiB4"},
        {"cursor": "ä"},
        {"limit": "0"},
        {"limit": "501"},
        {"limit": "many"},
        {"limit": "1.0"},
        {"limit": "\u0661"},
        {"game": "og-limbo"},
        {"since": "yesterday"},
        {"since": ""},
        {"cursor": ""},
        {"until": "0000-00-00T00:00:00Z"},
        {"player": "a\x00"},
    ],
)
def test_an_invalid_query_is_400(system: PartnerClient, query: dict[str, str]) -> None:
    found = problem(system.get("/v1/rounds", **query), 400, "BAD_REQUEST")
    assert found["field"] == next(iter(query))


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("limit=501", "limit: a whole number from 1 to 500 is expected"),
        # A `+` in a query is a space: the slip that most clients make once.
        (
            "since=2026-05-01T11:50:00+02:00",
            "since: a time is expected, such as 2026-03-01T12:00:00Z; the + of a zone is sent as %2B",
        ),
    ],
)
def test_an_invalid_query_says_what_is_expected(system: PartnerClient, query: str, message: str) -> None:
    assert problem(system.get(f"/v1/rounds?{query}"), 400, "BAD_REQUEST")["detail"] == message


def test_a_page_has_fifty_rounds_by_default(system: PartnerClient) -> None:
    player = player_make(partner=system.partner)
    for minutes in range(PAGE_ROWS + 1):
        round_make(player, minutes=minutes)
    page = system.get("/v1/rounds").body
    assert len(page["results"]) == PAGE_ROWS
    assert page["next_cursor"]


def test_the_summary_sums_by_day_of_the_end_game_and_currency_and_has_voids_apart(system: PartnerClient) -> None:
    at = timezone.now() - timedelta(minutes=5)
    before = at - timedelta(days=1)
    player = player_make(partner=system.partner)

    def ended(when: datetime, of: Player = player, **fields: Any) -> Round:
        return round_make(of, started_at=when, ended_at=when, **fields)

    ended(at, stake="10", payout="19.5")
    ended(at, stake="30", payout="0")
    ended(at, stake="20", payout="30", game="og-blackjack")
    round_make(player, stake="7", payout="7", started_at=before, ended_at=before)
    round_make(player, stake="1000", how_ended="", started_at=at, ended_at=None, game="og-other")
    RoundVoid.objects.create(round=ended(before, stake="500", payout="100"), by="op", reason="r")
    ended(at, player_make(), stake="77")
    bot = player_make(partner=system.partner)
    TablePlayer.objects.create(player=bot, display_name="Bo", is_bot=True)
    ended(at, bot, stake="88")
    coming = timezone.now().date() + timedelta(days=2)
    PartnerZone.objects.create(partner=system.partner, zone="Asia/Tokyo", from_day=coming, by="test")
    all_folded()

    days = {"first_day": before.date().isoformat(), "last_day": timezone.now().date().isoformat()}
    answer = system.get("/v1/reports/summary", **days)
    assert answer.status == 200
    assert datetime.fromisoformat(answer.body["as_of"]) > at
    names = ("game", "rounds", "stakes", "payouts", "voided_rounds", "voided_stakes", "voided_payouts", "ggr")
    rows = {(row["day"], row["game"]): tuple(row[name] for name in names[1:]) for row in answer.body["rows"]}
    void_day = timezone.now().date().isoformat()
    assert rows.pop((before.date().isoformat(), "og-baccarat")) == (2, "507", "107", 0, "0", "0", "400")
    assert rows.pop((at.date().isoformat(), "og-blackjack")) == (1, "20", "30", 0, "0", "0", "-10")
    if void_day == at.date().isoformat():
        assert rows == {(void_day, "og-baccarat"): (2, "40", "19.5", 1, "500", "100", "-379.5")}
    assert answer.body["totals"] == [
        {
            "currency": "FUN",
            "rounds": 5,
            "bets": 0,  # no record of a bet belongs to these rounds
            "stakes": "567",
            "payouts": "156.5",
            "voided_rounds": 1,
            "voided_stakes": "500",
            "voided_payouts": "100",
            "ggr": "10.5",
            "hold_pct": "15.6716",
        }
    ]
    assert system.get("/v1/reports/summary", **days, days="own").body == answer.body  # Tokyo's days have not begun
    problem(system.get("/v1/reports/summary", days="tokyo"), 400, "BAD_REQUEST")


def test_a_session_s_device_is_in_the_statistics(system: PartnerClient) -> None:
    player = player_make(partner=system.partner, balance=Decimal(100))
    baccarat_config_set(partner=system.partner, actor=Actor("test"), bet_min=Decimal(1), bet_max=Decimal(10), decks=8)
    session = {"player": player.reference, "game_id": "og-baccarat", "currency": "FUN", "device": "app"}
    assert system.post("/v1/sessions", session).status == 201
    assert GameSession.objects.get(player=player).device == "app"
    problem(system.post("/v1/sessions", session | {"device": "fridge"}), 400, "BAD_REQUEST")


def test_an_empty_summary_and_its_default_days(system: PartnerClient) -> None:
    answer = system.get("/v1/reports/summary")
    today = timezone.now().date()
    assert answer.body == {
        "first_day": (today - timedelta(days=29)).isoformat(),
        "last_day": today.isoformat(),
        "as_of": None,
        "rows": [],
        "totals": [],
    }


@pytest.mark.parametrize(
    "query",
    [
        {"first_day": "2026-05-02", "last_day": "2026-05-01"},
        {"first_day": "2024-01-01", "last_day": "2026-05-01"},
        {"first_day": "May"},
        {"last_day": "9999-12-31"},
        {"last_day": "0001-01-01"},
        {"first_day": "0001-01-01"},
    ],
)
def test_invalid_days_are_400(system: PartnerClient, query: dict[str, str]) -> None:
    problem(system.get("/v1/reports/summary", **query), 400, "BAD_REQUEST")


def test_a_day_that_is_in_no_calendar_is_called_so(system: PartnerClient) -> None:
    found = problem(system.get("/v1/reports/summary", first_day="2026-02-30"), 400, "BAD_REQUEST")
    assert (found["field"], found["detail"]) == ("first_day", "first_day: there is no such day")


# Tenancy and scopes


def test_another_partner_s_player_is_404(system: PartnerClient) -> None:
    theirs = player_make(balance=Decimal(100))
    round_make(theirs)
    unknown = system.get("/v1/wallets/nobody")
    foreign = system.get(f"/v1/wallets/{theirs.reference}")
    problem(foreign, 404, "NOT_FOUND")
    assert foreign.bytes == unknown.bytes
    session = {"player": theirs.reference, "game_id": "og-baccarat", "currency": "FUN"}
    problem(system.post("/v1/sessions", session), 404, "NOT_FOUND")
    problem(system.post("/v1/wallets/withdraw", transfer(theirs, 1), idempotency_key="k"), 404, "NOT_FOUND")
    problem(system.post("/v1/wallets/deposit", transfer(theirs, 1), idempotency_key="k"), 404, "NOT_FOUND")
    problem(system.get("/v1/rounds", player=theirs.reference), 404, "NOT_FOUND")
    assert system.get("/v1/rounds").body["results"] == []
    assert Wallet.objects.get(player=theirs).balance == 100


CALLS = [
    ("POST", "/v1/players", Scope.SESSIONS),
    ("POST", "/v1/sessions", Scope.SESSIONS),
    ("POST", "/v1/wallets/deposit", Scope.WALLETS),
    ("POST", "/v1/wallets/withdraw", Scope.WALLETS),
    ("GET", "/v1/wallets/anna", Scope.READ),
    ("GET", "/v1/rounds", Scope.READ),
    ("GET", "/v1/reports/summary", Scope.READ),
]


@pytest.mark.parametrize(("method", "path", "scope"), CALLS)
def test_each_call_needs_its_scope(method: str, path: str, scope: Scope) -> None:
    others = [str(other) for other in Scope.values if other != scope.value]
    system = PartnerClient(partner_make(), scopes=others)
    answer = system.post(path, {}) if method == "POST" else system.get(path)
    problem(answer, 403, "SCOPE_MISSING")
    allowed = PartnerClient(partner_make(), scopes=[scope.value])
    answer = allowed.post(path, {}) if method == "POST" else allowed.get(path)
    assert answer.status in {200, 400, 404}


@pytest.mark.parametrize(("method", "path", "scope"), CALLS)
@pytest.mark.parametrize("header", [None, "Bearer wrong", "Basic dXNlcjpwYXNz", "Bearer", "Bearer é"])
def test_without_a_valid_key_it_is_401(method: str, path: str, scope: Scope, header: str | None) -> None:
    headers = {} if header is None else {"Authorization": header}
    response = Client().generic(method, path, b"{}", content_type="application/json", headers=headers)
    problem(Answer(response), 401, "AUTHENTICATION_FAILED")
    assert response.headers["WWW-Authenticate"] == "Bearer"


def test_a_revoked_key_is_401(system: PartnerClient) -> None:
    second = PartnerClient(system.partner)
    assert system.get("/v1/rounds").status == 200
    api_key_revoke(key=system.key, reason="a leak", actor="test")
    problem(system.get("/v1/rounds"), 401, "AUTHENTICATION_FAILED")
    assert second.get("/v1/rounds").status == 200


def test_an_inactive_partner_has_no_valid_key() -> None:
    problem(PartnerClient(partner_make(active=False)).get("/v1/rounds"), 401, "AUTHENTICATION_FAILED")


def test_the_last_use_of_a_key_is_stored(system: PartnerClient) -> None:
    assert ApiKey.objects.get(pk=system.key.pk).last_used_at is None
    system.get("/v1/rounds")
    first = ApiKey.objects.get(pk=system.key.pk).last_used_at
    assert first is not None
    system.get("/v1/rounds")
    assert ApiKey.objects.get(pk=system.key.pk).last_used_at == first
    long_ago = first - 2 * USE_NOTED_EVERY
    ApiKey.objects.filter(pk=system.key.pk).update(last_used_at=long_ago)
    system.get("/v1/rounds")
    again = ApiKey.objects.get(pk=system.key.pk).last_used_at
    assert again is not None
    assert again > long_ago


def test_the_table_of_keys_does_not_hold_a_key(system: PartnerClient) -> None:
    row = ApiKey.objects.filter(pk=system.key.pk).values().get()
    assert system.text not in str(row)
    assert system.text.startswith(row["prefix"])
    assert len(row["prefix"]) == 12


@pytest.fixture
def log() -> Iterator[StringIO]:
    """The lines that the server writes to its log."""
    (formatter,) = [
        handler.formatter
        for handler in logging.getLogger().handlers
        if isinstance(handler.formatter, ProcessorFormatter)
    ]
    written = StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(formatter)
    logging.getLogger().addHandler(handler)
    yield written
    logging.getLogger().removeHandler(handler)


def test_no_secret_reaches_the_log(system: PartnerClient, log: StringIO) -> None:
    player = player_make(partner=system.partner)
    session = {"player": player.reference, "game_id": "og-baccarat", "currency": "FUN"}
    token = system.post("/v1/sessions", session).body["game_session_id"]
    system.get(f"/v1/player/seeds/{token}")
    system.get("/v1/player/balance", game_session_id=token)
    system.post("/v1/players", b"{")
    written = log.getvalue()
    assert written.count("request_finished") == 4
    assert "/v1/player/balance" in written
    assert token not in written
    assert system.text not in written


def test_too_many_requests_are_429(system: PartnerClient, settings: Any) -> None:
    settings.PUNTO_KEY_REQUESTS_PER_S = 1
    # Up to a hundred requests, since a slow machine may stay below the limit for some time.
    answers = (system.get("/v1/rounds") for _ in range(100))
    refused = next(answer for answer in answers if answer.status != 200)
    problem(refused, 429, "RATE_LIMITED")
    assert refused.headers["Retry-After"] == "1"


def test_a_wrong_method_is_405_and_an_unknown_url_404(system: PartnerClient) -> None:
    problem(system.get("/v1/players"), 405, "METHOD_NOT_ALLOWED")
    problem(system.get("/v1/nothing"), 404, "NOT_FOUND")
    problem(Answer(Client().get("/v1/nothing")), 404, "NOT_FOUND")
