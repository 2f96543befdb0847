"""Baccarat's table: its terms, its bets, its road maps in the public state."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from apps.baccarat.table import TABLE
from apps.rounds.table_game import BetLimits, TermsError
from tests.tables.engine.table_run import TableRun

EUR = {"is_points": False, "decimals": 2, "contribution_required": True}


def test_a_table_that_is_told_nothing_has_eight_decks_three_bets_and_a_cut_card_of_fourteen() -> None:
    terms = TABLE.terms_read(**EUR)
    assert (terms.seats, terms.decks, terms.cut_card) == (14, 8, 14)
    assert (terms.window_ms, terms.pause_ms) == (15_000, 5_000)
    assert set(terms.limits) == {"player", "banker", "tie"}
    assert TABLE.stake_span(terms) == BetLimits(100, 100_000)
    assert [(edge.bet, edge.edge) for edge in TABLE.house_edges(terms)] == [
        ("player", "1.24%"), ("banker", "1.06%"), ("tie", "14.36%"),
    ]  # fmt: skip


@pytest.mark.parametrize("bet", ["player_pair", "either_pair", "perfect_pair", "dragon_7", "panda_8", "super_6"])
def test_a_bet_that_counting_helps_cuts_half_of_the_shoe_off(bet: str) -> None:
    limits = {bet: {"minAmount": 1, "maxAmount": 10}}
    assert TABLE.terms_read(**EUR, limits=limits).cut_card == 208
    with pytest.raises(TermsError, match="cutCard"):
        TABLE.terms_read(**EUR, limits=limits, cut_card=14)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"rules": {"decks": 10}}, "rules.decks"),
        ({"rules": {"decks": True}}, "rules.decks"),
        ({"rules": {"jokers": 2}}, "rules"),
        ({"seats": 15}, "seats"),
        ({"seats": 0}, "seats"),
        ({"limits": {}}, "limits"),
        ({"limits": {"main": {"minAmount": 1, "maxAmount": 2}}}, "limits"),
        ({"limits": {"tie": {"minAmount": 3, "maxAmount": 2}}}, "limits.tie.minAmount"),
        ({"limits": {"tie": {"minAmount": 1}}}, "limits.tie"),
        ({"limits": {"tie": {"minAmount": 0, "maxAmount": 2}}}, "limits.tie.minAmount"),
        ({"limits": {"tie": {"minAmount": "0.001", "maxAmount": 2}}}, "limits.tie.minAmount"),
        ({"limits": {"tie": {"minAmount": True, "maxAmount": 2}}}, "limits.tie.minAmount"),
        ({"limits": {"tie": {"minAmount": "x", "maxAmount": 2}}}, "limits.tie.minAmount"),
        ({"limits": {"tie": {"minAmount": 1, "maxAmount": Decimal("NaN")}}}, "limits.tie.maxAmount"),
        ({"limits": {"tie": {"minAmount": 1, "maxAmount": Decimal("Infinity")}}}, "limits.tie.maxAmount"),
        ({"odds": {"tie": -1}}, "odds.tie"),
        ({"odds": {"tie": "many"}}, "odds.tie"),
        ({"odds": {"tie": "1/3"}}, "odds.tie"),
        ({"odds": {"tie": "0.0000001"}}, "odds.tie"),
        ({"odds": {"tie": "10000.000001"}}, "odds.tie"),
        ({"odds": {"main": 1}}, "odds"),
        ({"window_ms": 0}, "windowSeconds"),
        ({"window_ms": 61_000}, "windowSeconds"),
        ({"turn_ms": 4_000}, "turnSeconds"),
        ({"pause_ms": 31_000}, "pauseSeconds"),
        ({"cut_card": 400}, "cutCard"),
    ],
)
def test_terms_that_no_table_has_are_refused_by_their_field(given: dict[str, Any], field: str) -> None:
    with pytest.raises(TermsError) as refused:
        TABLE.terms_read(**EUR, **given)
    assert refused.value.field == field


@pytest.mark.parametrize("odds", ["0", "0.000001", "10000"])
def test_odds_have_up_to_six_decimals_and_end_at_ten_thousand(odds: str) -> None:
    assert Fraction(TABLE.terms_read(**EUR, odds={"tie": odds}).odds["tie"]) == Fraction(odds)


@pytest.mark.parametrize("decks", [None, 0, 9])
def test_nine_nought_and_null_decks_are_infinite(decks: int | None) -> None:
    terms = TABLE.terms_read(**EUR, rules={"decks": decks})
    assert (terms.rules["decks"], terms.decks, terms.cut_card) == (None, 9, 0)


def test_amounts_are_exact_in_the_currency() -> None:
    terms = TABLE.terms_read(is_points=False, decimals=3, contribution_required=False)
    assert terms.amount(1500) == Decimal("1.5")
    assert terms.amount(2000) == 2
    assert terms.units(Decimal("0.005"), "amount") == 5


def test_every_bet_is_paid_as_in_the_game_for_one() -> None:
    run = TableRun(TABLE, limits={bet: {"minAmount": 1, "maxAmount": 100} for bet in TABLE.bet_labels}, cut_card=208)
    run.join("anna")
    for bet in TABLE.bet_labels:
        run.act("anna", "place_bet", betType=bet, amount=20)
    run.act("anna", "ready")
    result = run.result_of("anna")
    outcome = run.last_result()
    hands = {hand["betType"]: hand for hand in result["hands"]}
    assert set(hands) == set(TABLE.bet_labels)
    assert result["stakes"] == 200
    assert result["payout"] == sum(hand["payout"] for hand in hands.values())
    won = {"player": 40, "banker": 39, "tie": 180}
    assert hands[outcome["winner"]]["payout"] == won[outcome["winner"]]


def test_the_state_shows_both_sides_with_their_scores_and_the_roads() -> None:
    run = TableRun(TABLE)
    run.join("anna")
    run.act("anna", "place_bet", betType="player", amount=20)
    run.act("anna", "ready")
    view = run.view()
    for side in ("player", "banker"):
        points = sum(min(card["rank"], 10) % 10 for card in view[side]["cards"]) % 10
        assert view[side]["score"] == points
    previous = view["previousResults"][0]
    assert (previous["roundNumber"], previous["winner"]) == (1, view["winner"])
    assert previous["playerScore"] == view["player"]["score"]
    assert previous["playerPair"] == (view["player"]["cards"][0]["rank"] == view["player"]["cards"][1]["rank"])
    assert view["roads"]["beadPlate"] == [
        {
            "column": 0,
            "row": 0,
            "winner": view["winner"],
            "playerPair": previous["playerPair"],
            "bankerPair": previous["bankerPair"],
        }
    ]


def test_a_bet_says_that_it_favours_the_player() -> None:
    terms = TABLE.terms_read(**EUR, odds={"tie": 12})
    assert [edge.bet for edge in TABLE.house_edges(terms) if edge.favours_player] == ["tie"]
