"""`POST /api/game/baccarat/bet`: its answers, its records, every refusal (docs/baccarat.md)."""

import logging
from collections.abc import Callable
from decimal import Decimal

import psycopg
import pytest
from django.conf import LazySettings
from django.test import Client

from apps.accounts.models import PlayerStatus
from apps.baccarat.engine import Deal, GameType, Winner
from apps.baccarat.models import BaccaratConfig, BaccaratGameRecord
from apps.blackjack.apps import GAME_ID as BLACKJACK
from apps.cards.notation import parse_card, parse_cards
from apps.core import invalid_key_limits, json
from apps.fairness.engine import commitment
from apps.fairness.models import SeedPair, SeedStatus
from apps.fairness.services import server_seed_open
from apps.idempotency.models import StoredAnswer
from apps.one_deal.models import ConfigStatus
from apps.rounds import bettor_identity
from apps.rounds.models import GameSession, Round
from apps.wallet.models import Kind, WalletStatus, WalletTransaction
from tests.support.asgi import AsgiAnswer, ask
from tests.support.baccarat import BET_PATH, Seat, odds_set, offer_make, refusal, seat_make, seeds_choose, seeds_set
from tests.support.factories import player_make, user_make, wallet_make

pytestmark = pytest.mark.usefixtures("committed")

SERVER_SEED = "0123456789abcdef" * 4
TEN_ON_PLAYER = {"game_type": 1, "bet_amount": 10}


@pytest.fixture(autouse=True)
def no_limit(settings: LazySettings) -> None:
    """Switch the rate limit off."""
    settings.PUNTO_BETS_PER_S = None


def player_wins(outcome: Deal) -> bool:
    return outcome.winner is Winner.PLAYER


# Answers


@pytest.mark.parametrize(
    ("client_seed", "game_type", "stake", "player", "banker", "scores", "reward"),
    [
        ("vector-210999", 1, 10, "CJ S10 D5", "D1 D3 S9", (5, 3), 20),
        ("vector-8915", 1, 10, "S1 HJ CJ", "D1 C3", (1, 4), 0),
        ("vector-20081", 1, 10, "HJ H4 SQ", "D3 CK H1", (4, 4), 10),
        ("vector-30538", 2, 100, "S7 C9", "H1 C8", (6, 9), 195),
        ("vector-9187", 2, 100, "H10 C6", "DK S1 C2", (6, 3), 0),
        ("vector-11745", 2, 100, "C10 S9", "D1 D8", (9, 9), 100),
        ("vector-156480", 3, 10, "S9 S2 HJ", "H5 S6 CJ", (1, 1), 90),
        ("vector-425377", 3, 10, "H1 C9 S3", "S4 H6 C10", (3, 0), 0),
    ],
)
def test_the_documented_rounds_are_dealt_and_paid_over_http(
    client_seed: str, game_type: int, stake: int, player: str, banker: str, scores: tuple[int, int], reward: int
) -> None:
    """A search found each client seed; its shoe deals cards with the points of the vector."""
    seat = seat_make()
    seeds_set(seat.player, SERVER_SEED, client_seed)
    answer = seat.bet({"game_type": game_type, "bet_amount": stake})
    assert answer.status == 200
    dealt = [[parse_card(code).points for code in answer.body[side]] for side in ("player", "banker")]
    assert dealt == [[card.points for card in parse_cards(side)] for side in (player, banker)]
    assert tuple(sum(side) % 10 for side in dealt) == scores
    assert (answer.body["reward_amount"], answer.body["bet_amount"]) == (reward, stake)
    assert answer.body["balance"] == 1000 - stake + reward == seat.balance


def test_the_answer_has_exactly_the_documented_bytes() -> None:
    seat = seat_make()
    seeds_set(seat.player, SERVER_SEED, "vector-210999")
    answer = seat.bet(b'{"game_type": 1, "bet_amount": 10.50}')
    record = BaccaratGameRecord.objects.get()
    cards = [",".join(f'"{code}"' for code in side) for side in (record.player_cards, record.banker_cards)]
    assert answer.bytes.decode() == (
        f'{{"player":[{cards[0]}],"banker":[{cards[1]}],"reward_amount":21,"game_type":1,"bet_amount":10.5,'
        f'"round_id":"{record.round_id}","result_type":1,"balance":1010.5,'
        f'"server_seed_hash":"{commitment(SERVER_SEED)}","client_seed":"vector-210999","nonce":0}}'
    )
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["Content-Length"] == str(len(answer.bytes))
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_several_bets_are_settled_by_one_deal() -> None:
    seat = seat_make()
    seeds_choose(seat.player, player_wins)
    bets = [{"game_type": 3, "bet_amount": 1}, TEN_ON_PLAYER, {"game_type": 2, "bet_amount": 5}]
    answer = seat.bet({"bets": bets})
    assert answer.body["bets"] == [
        {"reward_amount": 0, "game_type": 3, "bet_amount": 1, "result_type": 2},
        {"reward_amount": 20, "game_type": 1, "bet_amount": 10, "result_type": 1},
        {"reward_amount": 0, "game_type": 2, "bet_amount": 5, "result_type": 2},
    ]
    assert not {"reward_amount", "game_type", "bet_amount", "result_type"} & set(answer.body)
    assert answer.body["balance"] == 1004 == seat.balance
    round_ = Round.objects.get()
    assert (round_.stake, round_.payout) == (16, 20)
    assert {record.round_id for record in BaccaratGameRecord.objects.all()} == {round_.pk}
    assert BaccaratGameRecord.objects.count() == 3
    changes = WalletTransaction.objects.filter(round_id=round_.pk).order_by("number").values_list("kind", "change")
    assert list(changes) == [("bet", -16), ("reward", 20)]


def test_a_list_of_one_bet_gets_a_list_as_answer() -> None:
    assert len(seat_make().bet({"bets": [TEN_ON_PLAYER]}).body["bets"]) == 1


def test_all_ten_bets_are_settled_by_one_deal() -> None:
    seat = seat_make()
    config = BaccaratConfig.objects.get()
    for game_type in list(GameType)[3:]:
        odds_set(config, game_type, "5")
    answer = seat.bet({"bets": [{"game_type": int(game_type), "bet_amount": 1} for game_type in GameType]})
    assert answer.status == 200, answer.bytes
    assert [bet["game_type"] for bet in answer.body["bets"]] == list(range(1, 11))


def test_a_record_holds_cards_odds_seeds_and_balance_of_the_bet() -> None:
    seat = seat_make()
    pair = seeds_choose(seat.player, lambda outcome: outcome.winner is Winner.BANKER)
    answer = seat.bet({"game_type": 2, "bet_amount": 10})
    record = BaccaratGameRecord.objects.select_related("round").get()
    assert (record.player, record.partner, record.currency_id) == (seat.player, seat.player.partner, "FUN")
    assert (record.game_type, record.result_type, record.odds) == (2, 1, Decimal("0.95"))
    assert (record.bet_amount, record.reward_amount) == (10, Decimal("19.5"))
    assert (record.player_cards, record.banker_cards) == (answer.body["player"], answer.body["banker"])
    assert (record.seed_pair, record.nonce) == (pair, 0)
    assert (record.config, record.config_version) == (BaccaratConfig.objects.get(), 1)

    round_ = record.round
    assert str(round_.pk) == answer.body["round_id"]
    assert (round_.session, round_.game, round_.how_ended) == (seat.session, "og-baccarat", "played")
    assert (round_.balance_before, round_.balance_after) == (1000, Decimal("1009.5"))
    assert round_.settlement_terms["decks"] == 8
    assert round_.settlement_terms["odds"]["BaccaratGameBetOnBanker"] == "0.95"
    assert round_.detail["banker"] == record.banker_cards
    assert round_.detail["winner"] == "banker"

    moved = WalletTransaction.objects.filter(round_id=round_.pk).order_by("number")
    assert [(row.kind, row.change, row.record_id, row.source_key) for row in moved] == [
        (Kind.BET, -10, record.pk, f"{round_.pk}:1:bet"),
        (Kind.REWARD, Decimal("19.5"), record.pk, f"{round_.pk}:2:reward"),
    ]


def test_a_lost_bet_moves_money_once() -> None:
    seat = seat_make()
    seeds_choose(seat.player, player_wins)
    assert seat.bet({"game_type": 2, "bet_amount": 10}).body["reward_amount"] == 0
    assert list(WalletTransaction.objects.filter(round_id__isnull=False).values_list("change")) == [(-10,)]


def test_each_round_has_the_next_nonce() -> None:
    seat = seat_make()
    assert [seat.bet(TEN_ON_PLAYER).body["nonce"] for _ in range(3)] == [0, 1, 2]


def test_a_payout_is_rounded_down_to_the_smallest_unit() -> None:
    seat = seat_make()
    seeds_choose(seat.player, lambda outcome: outcome.winner is Winner.BANKER)
    assert seat.bet(b'{"game_type": 2, "bet_amount": 1.01}').bytes.count(b'"reward_amount":1.96,') == 1


@pytest.mark.parametrize("amount", [b"10", b"10.0", b"10.00000000", b"1e1", b"1E+1", b"100e-1", b"0.1e2"])
def test_an_amount_may_be_written_in_any_form_of_a_number(amount: bytes) -> None:
    assert seat_make().bet(b'{"game_type": 1.0, "bet_amount": %s}' % amount).body["bet_amount"] == 10


def test_a_currency_in_the_request_overrides_the_session_s() -> None:
    seat = seat_make()
    wallet_make(player=seat.player, balance=Decimal(50), currency="EUR")
    offer_make(seat.player.partner, currency="EUR")
    assert seat.bet(TEN_ON_PLAYER | {"currency": "EUR"}).status == 200
    assert seat.balance == 1000
    assert Round.objects.get().currency_id == "EUR"


def test_a_currency_without_decimals_refuses_fractions() -> None:
    seat = seat_make(currency="JPY")
    seeds_choose(seat.player, lambda outcome: outcome.winner is Winner.BANKER)
    refusal(seat.bet(b'{"game_type": 2, "bet_amount": 1.5}'), 403, "INVALID_BET_AMOUNT")
    assert seat.bet({"game_type": 2, "bet_amount": 10}).body["reward_amount"] == 19


# Browsers


class Browser:
    """A logged-in player's browser, with its CSRF token."""

    def __init__(self, seat: Seat | None) -> None:
        user = user_make()
        if seat is not None:
            seat.player.user = user
            seat.player.save()
        client = Client()
        client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
        self.session = client.cookies["sessionid"].value
        self.token = "a" * 32

    def bet(self, *, token: str | None, **headers: str) -> AsgiAnswer:
        headers["Cookie"] = f"sessionid={self.session}; csrftoken={self.token}"
        if token is not None:
            headers["X-CSRFToken"] = token
        return ask("POST", BET_PATH, json.encode(TEN_ON_PLAYER), headers)


def test_a_browser_bets_with_its_session_and_csrf_token() -> None:
    seat = seat_make()
    browser = Browser(seat)
    assert browser.bet(token=browser.token).status == 200
    assert Round.objects.get().session is None


@pytest.mark.parametrize("token", [None, "", "b" * 32])
def test_a_browser_without_the_csrf_token_is_refused(token: str | None) -> None:
    refusal(Browser(seat_make()).bet(token=token), 403, "CSRF_FAILED")


def test_a_malformed_form_of_a_browser_is_400() -> None:
    answer = Browser(seat_make()).bet(token=None, **{"Content-Type": "multipart/form-data"})
    refusal(answer, 400, "BAD_REQUEST")


def test_a_log_in_without_a_player_cannot_bet() -> None:
    browser = Browser(None)
    refusal(browser.bet(token=browser.token), 401, "AUTHENTICATION_FAILED")


def test_a_logged_out_browser_cannot_bet() -> None:
    answer = ask("POST", BET_PATH, json.encode(TEN_ON_PLAYER))
    refusal(answer, 401, "AUTHENTICATION_FAILED")
    assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_a_browser_without_a_log_in_has_guessed_no_token(settings: LazySettings) -> None:
    settings.PUNTO_BAD_TOKENS_PER_S, settings.PUNTO_AHEAD_S = 0.001, 1000  # one guess
    invalid_key_limits._failures.cache_clear()
    try:
        for _ in range(2):
            refusal(ask("POST", BET_PATH, json.encode(TEN_ON_PLAYER)), 401, "AUTHENTICATION_FAILED")
        seat = seat_make()
        assert seat.bet(TEN_ON_PLAYER).status == 200
        _forge(seat)
        refusal(seat.bet(TEN_ON_PLAYER), 401, "AUTHENTICATION_FAILED")
        refusal(seat.bet(TEN_ON_PLAYER), 429, "RATE_LIMITED")
    finally:
        invalid_key_limits._failures.cache_clear()


# Refusals


def _forge(seat: Seat) -> None:
    seat.token = "00000000-0000-4000-8000-000000000000"


def _no_token(seat: Seat) -> None:
    seat.token = ""


def _other_game(seat: Seat) -> None:
    seat.token = Seat(seat.player, game=BLACKJACK).token


@pytest.mark.parametrize("spoil", [Seat.expire, Seat.end, _forge, _no_token, _other_game])
def test_401_without_a_valid_session(spoil: Callable[[Seat], None]) -> None:
    seat = seat_make()
    spoil(seat)
    answer = seat.bet(TEN_ON_PLAYER)
    refusal(answer, 401, "AUTHENTICATION_FAILED")
    assert answer.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize("spoil", [Seat.expire, Seat.end])
def test_401_for_a_session_that_has_bet_before(spoil: Callable[[Seat], None]) -> None:
    seat = seat_make()
    assert seat.bet(TEN_ON_PLAYER).status == 200
    spoil(seat)
    refusal(seat.bet(TEN_ON_PLAYER), 401, "AUTHENTICATION_FAILED")


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        (b"", "MALFORMED_BODY", "JSON"),
        (b"{", "MALFORMED_BODY", "JSON"),
        (b'{"game_type": 1, "bet_amount": 10}' + b" " * 3_000_000, "MALFORMED_BODY", "longer than 1048576 bytes"),
        (b"\xff", "MALFORMED_BODY", "JSON"),
        (b"[" * 100_000, "MALFORMED_BODY", "JSON"),
        (b'{"game_type": 1, "bet_amount": NaN}', "MALFORMED_BODY", "JSON"),
        (b"[]", "MALFORMED_BODY", "a list"),
        (b"{}", "BAD_REQUEST", "game_type"),
        (b'{"game_type": 1}', "BAD_REQUEST", "bet_amount"),
        (b'{"game_type": "1", "bet_amount": 10}', "BAD_REQUEST", "game_type: a number is expected, not a string"),
        (b'{"game_type": 1, "bet_amount": "10"}', "BAD_REQUEST", "bet_amount: a number is expected, not a string"),
        (b'{"game_type": true, "bet_amount": 10}', "BAD_REQUEST", "game_type: a number is expected, not true or false"),
        (b'{"game_type": 1, "bet_amount": null}', "BAD_REQUEST", "bet_amount: a number is expected, not null"),
        (
            b'{"game_type": 1, "bet_amount": 10, "currency": 5}',
            "BAD_REQUEST",
            "currency: a string is expected, not a number",
        ),
        (b'{"bets": {}}', "BAD_REQUEST", "bets: a list is expected, not an object"),
        (b'{"bets": [1]}', "BAD_REQUEST", "bets.0: an object is expected, not a number"),
        (b'{"bets": [{"game_type": 1}]}', "BAD_REQUEST", "bets.0.bet_amount: This field is required."),
        (
            b'{"bets": [{"game_type": 1, "bet_amount": 1}, {"game_type": 1, "bet_amount": "1"}]}',
            "BAD_REQUEST",
            "bets.1.bet_amount: a number is expected, not a string",
        ),
        (b'{"bets": [], "game_type": 1, "bet_amount": 10}', "BAD_REQUEST", "bets"),
    ],
)
def test_400_for_a_malformed_body(body: bytes, code: str, words: str) -> None:
    assert words in refusal(seat_make().bet(body), 400, code)["message"]


@pytest.mark.parametrize("number", [b"1e73", b"1e999999999", b"1e-999999999", b"9" * 5000, b"1e99999999999999999999"])
def test_a_huge_number_in_an_unknown_field_is_ignored(number: bytes) -> None:
    seat = seat_make()
    body = b'{"game_type": 1, "bet_amount": 10, "note": %s}' % number
    answers = [seat.bet(body, key="one"), seat.bet(body, key="one")]
    assert [answer.status for answer in answers] == [200, 200]
    assert answers[0].bytes == answers[1].bytes


@pytest.mark.parametrize("key", ["", "with space", "x" * 129, "\u00e9"])
def test_400_for_an_invalid_idempotency_key(key: str) -> None:
    refusal(seat_make().bet(TEN_ON_PLAYER, key=key), 400, "BAD_REQUEST")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b'{"game_type": 0, "bet_amount": 10}', "INVALID_GAME_TYPE"),
        (b'{"game_type": 11, "bet_amount": 10}', "INVALID_GAME_TYPE"),
        (b'{"game_type": 1.5, "bet_amount": 10}', "INVALID_GAME_TYPE"),
        (b'{"game_type": 4, "bet_amount": 10}', "INVALID_GAME_TYPE"),
        (b'{"game_type": 1, "bet_amount": 0}', "INVALID_BET_AMOUNT"),
        (b'{"game_type": 1, "bet_amount": -10}', "INVALID_BET_AMOUNT"),
        (b'{"game_type": 1, "bet_amount": 10.001}', "INVALID_BET_AMOUNT"),
        (b'{"game_type": 1, "bet_amount": 1e30}', "INVALID_BET_AMOUNT"),
        (b'{"game_type": 1, "bet_amount": 1e999999999}', "INVALID_BET_AMOUNT"),
        (b'{"game_type": 1, "bet_amount": -1e999999999}', "INVALID_BET_AMOUNT"),
        (b'{"game_type": 1, "bet_amount": 1e-999999999}', "INVALID_BET_AMOUNT"),
        (b'{"game_type": 1, "bet_amount": 1e99999999999999999999}', "INVALID_BET_AMOUNT"),
        (b'{"game_type": 1, "bet_amount": %s}' % (b"9" * 5000), "INVALID_BET_AMOUNT"),
        (b'{"game_type": 1e999999999, "bet_amount": 10}', "INVALID_GAME_TYPE"),
        (b'{"game_type": 1, "bet_amount": 1e-30}', "INVALID_BET_AMOUNT"),
        (b'{"game_type": 1, "bet_amount": 0.99}', "INVALID_BET_AMOUNT"),
        (b'{"game_type": 1, "bet_amount": 1000.01}', "INVALID_BET_AMOUNT"),
        (b'{"bets": []}', "INVALID_BET_COUNT"),
        (b'{"bets": [%s]}' % b",".join([b'{"game_type": 1, "bet_amount": 1}'] * 11), "INVALID_BET_COUNT"),
        (b'{"bets": [%s]}' % b",".join([b'{"game_type": 1, "bet_amount": 1}'] * 2), "DUPLICATE_GAME_TYPE"),
        (b'{"game_type": 1, "bet_amount": 10, "currency": "EUR"}', "INVALID_CURRENCY"),
        (b'{"game_type": 1, "bet_amount": 10, "currency": ""}', "INVALID_CURRENCY"),
        (b'{"game_type": 1, "bet_amount": 10, "currency": "F\\u0000N"}', "INVALID_CURRENCY"),
        (b'{"game_type": 1, "bet_amount": 501}', "INSUFFICIENT_FUNDS"),
        (
            b'{"bets": [{"game_type": 1, "bet_amount": 300}, {"game_type": 2, "bet_amount": 200.01}]}',
            "INSUFFICIENT_FUNDS",
        ),
    ],
)
def test_403_for_a_refused_bet_which_changes_nothing(body: bytes, code: str) -> None:
    seat = seat_make("500")
    refusal(seat.bet(body, key="again"), 403, code)
    assert seat.balance == 500
    assert not Round.objects.exists()
    assert not StoredAnswer.objects.exists()
    assert SeedPair.objects.get(player=seat.player, status=SeedStatus.ACTIVE).next_nonce == 0
    assert seat.bet(TEN_ON_PLAYER, key="again").status == 200  # a refusal leaves the key unused


def test_the_limits_themselves_may_be_bet() -> None:
    seat = seat_make("2000")
    assert [seat.bet({"game_type": 1, "bet_amount": amount}).status for amount in (1, 1000)] == [200, 200]


@pytest.mark.parametrize("amount", [b"10.001", b"0", b"1e30", b"9" * 40])
def test_an_impossible_amount_gets_the_limits(amount: bytes) -> None:
    answer = seat_make("500").bet(b'{"game_type": 1, "bet_amount": %s}' % amount)
    assert answer.body["message"] == "bet_amount: 1 to 1000, with at most 2 decimals"


def test_403_if_the_partner_does_not_offer_baccarat() -> None:
    seat = Seat(player_make(balance=Decimal(10)))
    refusal(seat.bet(TEN_ON_PLAYER), 403, "INVALID_GAME_TYPE")


def test_403_for_a_bet_whose_odds_are_pending() -> None:
    seat = seat_make()
    odds_set(BaccaratConfig.objects.get(), GameType.PLAYER_PAIR, "20")
    refusal(seat.bet({"game_type": 4, "bet_amount": 1}), 403, "INVALID_GAME_TYPE")


def test_403_for_limits_that_are_inactive() -> None:
    seat = seat_make()
    BaccaratConfig.objects.update(status=ConfigStatus.INACTIVE)
    refusal(seat.bet(TEN_ON_PLAYER), 403, "INVALID_GAME_TYPE")


def test_403_for_a_blocked_player_wallet_or_partner() -> None:
    seat = seat_make()
    wallet = seat.player.wallets.get()
    wallet.status = WalletStatus.BLOCKED
    wallet.save(update_fields=["status"])
    refusal(seat.bet(TEN_ON_PLAYER), 403, "PLAYER_BLOCKED")
    seat.player.partner.active = False
    seat.player.partner.save()
    refusal(seat.bet(TEN_ON_PLAYER), 403, "PLAYER_BLOCKED")
    seat.player.status = PlayerStatus.BLOCKED
    seat.player.save()
    refusal(seat.bet(TEN_ON_PLAYER), 403, "PLAYER_BLOCKED")


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE"])
def test_405_for_another_method(method: str) -> None:
    answer = ask(method, BET_PATH)
    refusal(answer, 405, "METHOD_NOT_ALLOWED")
    assert answer.headers["Allow"] == "POST"


def test_429_for_too_many_bets(settings: LazySettings) -> None:
    settings.PUNTO_BETS_PER_S = 1
    seat = seat_make()
    for _ in range(50):  # at least two of them fall into one second
        answer = seat.bet(TEN_ON_PLAYER)
        if answer.status == 429:
            break
    refusal(answer, 429, "RATE_LIMITED")
    assert answer.headers["Retry-After"] == "1"


def test_the_first_limited_bet_of_a_session_keeps_the_address_that_it_came_from(settings: LazySettings) -> None:
    settings.PUNTO_BETS_PER_S, settings.PUNTO_PROXIES = 50, 1
    seat = seat_make()
    body = b'{"game_type": 1, "bet_amount": 10}'
    for address in ("192.0.2.7", "198.51.100.9"):
        headers = {"Authorization": f"Bearer {seat.token}", "X-Forwarded-For": address}
        assert ask("POST", BET_PATH, body, headers).status == 200
        assert GameSession.objects.get(player=seat.player).address == "192.0.2.7"
        bettor_identity._players.clear()  # as in another process


def test_a_session_that_is_over_keeps_no_address(settings: LazySettings) -> None:
    settings.PUNTO_BETS_PER_S = 50
    seat = seat_make()
    seat.expire()
    assert seat.bet(TEN_ON_PLAYER).status == 401
    assert GameSession.objects.get(player=seat.player).address == ""


# Records


def test_the_database_refuses_a_record_whose_payout_is_not_one_of_its_result(superuser: psycopg.Connection) -> None:
    seat_make().bet(TEN_ON_PLAYER)
    superuser.execute("SET session_replication_role = replica")  # no triggers; constraints still hold
    change = "UPDATE baccarat_game_record SET result_type = %s, reward_amount = %s"
    for result, payout in ((1, 9), (2, 1), (3, 9), (3, 11), (4, 0)):
        with pytest.raises(psycopg.errors.CheckViolation, match="baccarat_record_amounts"):
            superuser.execute(change, [result, payout])
    for result, payout in ((1, 10), (1, 20), (2, 0), (3, 10)):
        assert superuser.execute(change, [result, payout]).rowcount == 1


# Idempotency


def test_the_same_key_and_body_get_the_same_bytes_and_one_bet() -> None:
    seat = seat_make()
    first = seat.bet(b'{"game_type": 1, "bet_amount": 10}', key="k1")
    balance = seat.balance
    again = seat.bet(b'{"bet_amount":10.00,"game_type":1}', key="k1")
    assert (again.status, again.bytes) == (200, first.bytes)
    assert Round.objects.count() == 1
    assert seat.balance == balance


def test_a_key_is_scoped_to_the_player_and_not_to_the_session() -> None:
    seat = seat_make()
    first = seat.bet(TEN_ON_PLAYER, key="k1")
    assert Seat(seat.player).bet(TEN_ON_PLAYER, key="k1").bytes == first.bytes
    other = player_make(partner=seat.player.partner, balance=Decimal(100))
    assert Seat(other).bet(TEN_ON_PLAYER, key="k1").bytes != first.bytes


def test_a_stored_answer_is_returned_after_funds_and_limits_have_changed() -> None:
    seat = seat_make("10")
    seeds_choose(seat.player, lambda outcome: outcome.winner is Winner.BANKER)
    first = seat.bet(TEN_ON_PLAYER, key="k1")
    assert seat.balance == 0
    BaccaratConfig.objects.update(status=ConfigStatus.INACTIVE)
    assert seat.bet(TEN_ON_PLAYER, key="k1").bytes == first.bytes


def test_the_same_key_with_another_body_is_409() -> None:
    seat = seat_make()
    seat.bet(TEN_ON_PLAYER, key="k1")
    refusal(seat.bet({"game_type": 1, "bet_amount": 11}, key="k1"), 409, "IDEMPOTENCY_KEY_REUSED")
    assert Round.objects.count() == 1


def test_without_a_key_the_same_body_places_another_bet() -> None:
    seat = seat_make()
    assert seat.bet(TEN_ON_PLAYER).bytes != seat.bet(TEN_ON_PLAYER).bytes
    assert not StoredAnswer.objects.exists()


# Secrets


def test_neither_token_nor_seed_nor_cards_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    seat = seat_make()
    answer = seat.bet(TEN_ON_PLAYER)
    refusal(seat.bet({"game_type": 99, "bet_amount": 10}), 403, "INVALID_GAME_TYPE")
    server_seed = server_seed_open(SeedPair.objects.get(player=seat.player, status=SeedStatus.ACTIVE))
    written = " ".join(str(record.__dict__) for record in caplog.records)
    assert written
    assert seat.token not in written
    assert server_seed not in written
    assert json.encode(answer.body["player"]).decode() not in written


def test_a_refused_bet_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    seat = seat_make()
    refusal(seat.bet({"game_type": 99, "bet_amount": 10}), 403, "INVALID_GAME_TYPE")
    (line,) = [record.msg for record in caplog.records]
    assert (line["event"], line["code"], line["request"]) == ("request_finished", 403, f"POST {BET_PATH}")
    assert line["request_id"]
