"""Bets on dragon tiger over HTTP: answers, rounding, refusals, and constraints of the database."""

from decimal import Decimal

import psycopg
import pytest

from apps.core import json
from apps.dragon_tiger.engine import Deal, GameType, Winner
from apps.dragon_tiger.models import DragonTigerConfig, DragonTigerGameRecord, DragonTigerOddsConfig
from apps.one_deal.configuration import OddsChange
from apps.one_deal.models import ConfigStatus
from apps.rounds.models import Round
from tests.dragon_tiger.players import TESTER, bet, dragon_tiger_odds_set, is_tie, player_new, seeds_choose

pytestmark = pytest.mark.usefixtures("committed")

FOUR = [{"game_type": int(kind), "bet_amount": 10} for kind in GameType]


def test_a_bet_s_answer_has_both_cards_and_the_balance() -> None:
    player = player_new()
    seeds_choose(player, lambda outcome: outcome.winner is Winner.DRAGON)
    answer = bet(player, {"game_type": 1, "bet_amount": 10})
    assert answer.status == 200
    record = DragonTigerGameRecord.objects.get()
    assert answer.body == {
        "dragon": record.dragon_cards,
        "tiger": record.tiger_cards,
        "reward_amount": 20,
        "game_type": 1,
        "bet_amount": 10,
        "round_id": str(record.round_id),
        "result_type": 1,
        "balance": 1010,
        "server_seed_hash": record.seed_pair.commitment,
        "client_seed": record.seed_pair.client_seed,
        "nonce": 0,
    }
    assert record.round.detail == {"dragon": record.dragon_cards, "tiger": record.tiger_cards, "winner": "dragon"}


def test_on_a_tie_half_of_dragon_and_tiger_bets_is_returned_and_the_tie_wins() -> None:
    player = player_new()
    seeds_choose(player, is_tie)
    answer = bet(player, {"bets": FOUR})
    assert [(row["game_type"], row["result_type"], row["reward_amount"]) for row in answer.body["bets"]] == [
        (1, 3, 5),
        (2, 3, 5),
        (3, 1, 120),
        (4, 2, 0),
    ]
    assert answer.body["balance"] == 1000 - 40 + 130


def test_the_database_refuses_a_record_whose_payout_is_not_one_of_its_result(superuser: psycopg.Connection) -> None:
    bet(player_new(), {"game_type": 1, "bet_amount": 10})
    superuser.execute("SET session_replication_role = replica")  # no triggers; constraints still hold
    change = "UPDATE dragon_tiger_game_record SET result_type = %s, reward_amount = %s"
    for result, payout in ((1, 9), (2, 1), (3, 6), (4, 0)):
        with pytest.raises(psycopg.errors.CheckViolation, match="dragon_tiger_record_amounts"):
            superuser.execute(change, [result, payout])
    for result, payout in ((1, 10), (1, 20), (2, 0), (3, 5)):
        assert superuser.execute(change, [result, payout]).rowcount == 1


def test_half_of_an_odd_stake_in_yen_is_rounded_down() -> None:
    player = player_new(currency="JPY")
    seeds_choose(player, is_tie)
    assert bet(player, {"game_type": 2, "bet_amount": 5}).body["reward_amount"] == 2
    assert player.wallets.get().balance == 1000 - 5 + 2


def test_the_same_key_and_body_get_the_same_bytes_and_one_round() -> None:
    player = player_new()
    body = {"game_type": 3, "bet_amount": 2}
    first, again = bet(player, body, key="k"), bet(player, body, key="k")
    assert first.bytes == again.bytes
    assert Round.objects.count() == 1
    other = bet(player, {"game_type": 3, "bet_amount": 3}, key="k")
    assert (other.status, other.body["code"]) == (409, "IDEMPOTENCY_KEY_REUSED")


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        ({"game_type": 5, "bet_amount": 1}, "INVALID_GAME_TYPE", "1 to 4 exist"),
        ({"bets": [*FOUR, FOUR[0]]}, "INVALID_BET_COUNT", "one to 4"),
        ({"bets": [FOUR[2], FOUR[2]]}, "DUPLICATE_GAME_TYPE", "bets.1.game_type: DragonTigerGameBetTie"),
        (
            {"bets": [FOUR[2], FOUR[0] | {"game_type": 5}]},
            "INVALID_GAME_TYPE",
            "bets.1.game_type: there is no such bet",
        ),
        ({"bets": [FOUR[2], FOUR[0] | {"bet_amount": 0}]}, "INVALID_BET_AMOUNT", "bets.1.bet_amount: 1 to 1000"),
        ({"bets": [FOUR[0] | {"bet_amount": 2000}]}, "INVALID_BET_AMOUNT", "bets.0.bet_amount: 2000 is outside"),
        ({"game_type": 1, "bet_amount": 1001}, "INVALID_BET_AMOUNT", "1001 is outside the limits, 1 to 1000"),
    ],
)
def test_a_refused_bet_changes_nothing(body: dict[str, object], code: str, words: str) -> None:
    player = player_new("2000")
    answer = bet(player, body)
    assert (answer.status, answer.body["code"]) == (403, code)
    assert words in answer.body["message"]
    assert not Round.objects.exists()
    assert player.wallets.get().balance == 2000


def test_odds_that_favour_the_player_are_pending_until_an_operator_confirms() -> None:
    player = player_new()
    config = DragonTigerConfig.objects.get()
    change = OddsChange(config.pk, GameType.TIE, Decimal("12.5"))
    (row,) = dragon_tiger_odds_set(partner=player.partner, actor=TESTER, changes=[change])
    assert row.status == ConfigStatus.PENDING
    assert "gives the player" in row.reason
    active = DragonTigerOddsConfig.objects.get(game_type=GameType.TIE, status=ConfigStatus.ACTIVE)
    assert active.odds == 11


def test_the_database_refuses_a_tie_payout_of_more_than_half(superuser: psycopg.Connection) -> None:
    player = player_new()
    seeds_choose(player, is_tie)
    bet(player, {"game_type": 1, "bet_amount": 10})
    superuser.execute("SET session_replication_role = replica")  # no triggers; constraints still hold
    change = "UPDATE dragon_tiger_game_record SET reward_amount = "
    with pytest.raises(psycopg.errors.CheckViolation, match="dragon_tiger_record_amounts"):
        superuser.execute(f"{change} 6".encode())
    assert superuser.execute(f"{change} 4".encode()).rowcount == 1


def test_the_answer_s_amounts_are_exact_numbers() -> None:
    player = player_new()
    seeds_choose(player, lambda outcome: Deal(outcome.dragon, outcome.tiger).winner is Winner.TIE)
    answer = bet(player, {"game_type": 1, "bet_amount": Decimal("1.01")})
    assert b'"reward_amount":0.5,' in answer.bytes
    assert json.decode(answer.bytes)["balance"] == Decimal("999.49")
