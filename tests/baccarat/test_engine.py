"""Baccarat against documented vectors, the draw table, and the house edges that follow."""

from decimal import Decimal
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.baccarat.edge import house_edge, probabilities
from apps.baccarat.engine import (
    GAME_TYPES_BY_NAME,
    PUSHES_ON_TIE,
    STANDARD_ODDS,
    WIRE_NAMES,
    Deal,
    GameType,
    Winner,
    banker_draws,
    bet_settle,
    deal,
    score,
)
from apps.cards.card import CARDS, Card
from apps.cards.notation import format_cards, parse_cards
from apps.cards.shoe import INFINITE_DECKS
from apps.core.money import quantum_of
from apps.one_deal.engine import ResultType, bets_settle

CENT = Decimal("0.01")


def dealt(player: str, banker: str) -> Deal:
    """Deal from a shoe that is stacked to give each side these cards."""
    sides = parse_cards(player), parse_cards(banker)
    order = [sides[0][0], sides[1][0], sides[0][1], sides[1][1], *sides[0][2:], *sides[1][2:]]
    return deal(tuple(order))


@pytest.mark.parametrize(
    ("game_type", "stake", "player", "banker", "scores", "reward"),
    [
        (1, 10, "CJ S10 D5", "D1 D3 S9", (5, 3), 20),
        (1, 10, "S1 HJ CJ", "D1 C3", (1, 4), 0),
        (1, 10, "HJ H4 SQ", "D3 CK H1", (4, 4), 10),
        (2, 100, "S7 C9", "H1 C8", (6, 9), 195),
        (2, 100, "H10 C6", "DK S1 C2", (6, 3), 0),
        (2, 100, "C10 S9", "D1 D8", (9, 9), 100),
        (3, 10, "S9 S2 HJ", "H5 S6 CJ", (1, 1), 90),
        (3, 10, "H1 C9 S3", "S4 H6 C10", (3, 0), 0),
    ],
)
def test_the_documented_rounds_are_dealt_and_paid(
    game_type: int, stake: int, player: str, banker: str, scores: tuple[int, int], reward: int
) -> None:
    outcome = dealt(player, banker)
    assert (format_cards(outcome.player), format_cards(outcome.banker)) == (player, banker)
    assert (outcome.player_score, outcome.banker_score) == scores
    bet = GameType(game_type)
    assert bet_settle(outcome, bet, Decimal(stake), STANDARD_ODDS[bet], quantum=CENT).payout == reward


BANKER_DRAWS = {
    0: "0123456789",
    1: "0123456789",
    2: "0123456789",
    3: "012345679",
    4: "234567",
    5: "4567",
    6: "67",
    7: "",
}
"""docs/baccarat.md: the third cards of the player on which a banker with this score draws."""


def of_score(points: int) -> tuple[Card, Card]:
    return CARDS[9], CARDS[(points - 1) % 10]


def test_every_deal_follows_the_draw_table() -> None:
    """Try every pair of two-card scores with every third card of the player."""
    for player_score, banker_score, third in product(range(10), range(10), range(10)):
        player, banker = of_score(player_score), of_score(banker_score)
        shoe = (player[0], banker[0], player[1], banker[1], CARDS[(third - 1) % 10], CARDS[1], CARDS[2])
        outcome = deal(shoe)
        if player_score >= 8 or banker_score >= 8:
            assert (len(outcome.player), len(outcome.banker)) == (2, 2)
            continue
        player_draws = player_score <= 5
        banker_draws_too = str(third) in BANKER_DRAWS[banker_score] if player_draws else banker_score <= 5
        assert len(outcome.player) == 2 + player_draws
        assert len(outcome.banker) == 2 + banker_draws_too
        assert outcome.player_score == (player_score + third * player_draws) % 10
        if banker_draws_too:
            # Its third card comes after the player's, if there is one.
            assert outcome.banker[2] is shoe[4 + player_draws]


def test_the_banker_draws_by_the_player_s_rule_if_the_player_stood() -> None:
    assert [banker_draws(points, None) for points in range(8)] == [True] * 6 + [False] * 2


@pytest.mark.parametrize(
    ("player", "banker", "winner"),
    [("S9 HK", "S8 HK", Winner.PLAYER), ("S7 HK", "S9 HK", Winner.BANKER), ("S8 HK", "H8 SK", Winner.TIE)],
)
def test_the_higher_score_wins(player: str, banker: str, winner: Winner) -> None:
    assert dealt(player, banker).winner is winner


@pytest.mark.parametrize(
    ("game_type", "player", "banker", "wins"),
    [
        (GameType.PLAYER_PAIR, "H8 S8", "S9 HK", True),
        (GameType.PLAYER_PAIR, "HK SQ D2", "S9 HK", False),
        (GameType.BANKER_PAIR, "S9 HK", "H4 D4", True),
        (GameType.BANKER_PAIR, "H4 D4", "S9 HK", False),
        (GameType.EITHER_PAIR, "H4 D4", "S9 HK", True),
        (GameType.EITHER_PAIR, "S9 HK", "H4 D4", True),
        (GameType.EITHER_PAIR, "S9 HK", "H4 D5", False),
        (GameType.PERFECT_PAIR, "H4 H4", "S9 HK", True),
        (GameType.PERFECT_PAIR, "S9 HK", "H4 H4", True),
        (GameType.PERFECT_PAIR, "H4 D4", "S9 HK", False),
        (GameType.DRAGON_7, "H10 S6", "H2 S3 C2", True),
        (GameType.DRAGON_7, "H10 S6", "H10 S7", False),
        (GameType.DRAGON_7, "H10 S7", "H2 S3 C2", False),
        (GameType.PANDA_8, "H2 S3 C3", "H10 S7", True),
        (GameType.PANDA_8, "H10 S8", "H10 S7", False),
        (GameType.SUPER_6, "H10 S5 D10", "H10 S6", True),
        (GameType.SUPER_6, "H10 S6", "S10 H6", False),
    ],
)
def test_side_bets_are_settled_by_the_dealt_cards(game_type: GameType, player: str, banker: str, wins: bool) -> None:
    result = bet_settle(dealt(player, banker), game_type, Decimal(1), STANDARD_ODDS[game_type], quantum=CENT)
    assert result.result_type is (ResultType.USER_WIN if wins else ResultType.USER_LOST)


def test_bet_kinds_and_their_names_map_both_ways() -> None:
    for game_type, name in WIRE_NAMES.items():
        assert GAME_TYPES_BY_NAME[name] is game_type
        assert game_type.wire_name == name
    assert GAME_TYPES_BY_NAME["BetBaccaratGameBetTie"] is GameType.TIE
    assert set(STANDARD_ODDS) == set(WIRE_NAMES) == set(GameType)


def test_bets_are_settled_independently_and_in_order() -> None:
    stakes = {GameType.TIE: Decimal(1), GameType.PLAYER: Decimal(10)}
    results = bets_settle(bet_settle, dealt("HJ H4 SQ", "D3 CK H1"), stakes, STANDARD_ODDS, quantum=CENT)
    assert [(result.game_type, result.result_type, result.payout) for result in results] == [
        (GameType.TIE, ResultType.USER_WIN, 9),
        (GameType.PLAYER, ResultType.DRAW, 10),
    ]


@pytest.mark.parametrize(
    ("game_type", "edge_pct"),
    [
        (GameType.PLAYER, "1.235081"),
        (GameType.BANKER, "1.057906"),
        (GameType.TIE, "14.359629"),
        (GameType.PLAYER_PAIR, "10.361446"),
        (GameType.BANKER_PAIR, "10.361446"),
        (GameType.EITHER_PAIR, "13.709877"),
        (GameType.PERFECT_PAIR, "13.029391"),
        (GameType.DRAGON_7, "7.611334"),
        (GameType.PANDA_8, "10.187632"),
        (GameType.SUPER_6, "29.977169"),
    ],
)
def test_house_edges_of_eight_decks(game_type: GameType, edge_pct: str) -> None:
    edge = house_edge(game_type, STANDARD_ODDS[game_type], 8)
    assert f"{float(edge) * 100:.6f}" == edge_pct


@pytest.mark.parametrize("decks", [1, INFINITE_DECKS])
def test_pair_edges_equal_a_count_of_every_two_cards(decks: int) -> None:
    """Count the pairs of both sides' first two cards, from one deck and from an infinite deck."""
    ranks = range(13)
    either = total = 0
    left = [4] * 13
    one = 0 if decks == INFINITE_DECKS else 1
    for a, b, c, d in product(ranks, repeat=4):
        ways = 1
        for place, rank in enumerate((a, b, c, d)):
            ways *= left[rank] - one * (a, b, c, d)[:place].count(rank)
        total += ways
        either += ways * (a == b or c == d)
    assert probabilities(GameType.EITHER_PAIR, decks)[0] == Fraction(either, total)


def test_the_probabilities_of_a_bet_sum_to_one_and_pushes_are_ties() -> None:
    tie_won, _ = probabilities(GameType.TIE, 6)
    for game_type in GameType:
        won, lost = probabilities(game_type, 6)
        assert won + lost == (1 - tie_won if game_type in PUSHES_ON_TIE else 1)
    assert probabilities(GameType.PLAYER, 6) == probabilities(GameType.BANKER, 6)[::-1]


def test_a_bet_at_fair_odds_has_no_edge_and_above_them_favours_the_player() -> None:
    won, lost = probabilities(GameType.TIE, 8)
    assert house_edge(GameType.TIE, lost / won, 8) == 0
    assert house_edge(GameType.TIE, Fraction(10), 8) < 0


def test_an_invalid_number_of_decks_has_no_edge() -> None:
    with pytest.raises(ValueError, match="1 to 8 are possible"):
        house_edge(GameType.TIE, Fraction(8), 0)


@given(
    order=st.lists(st.sampled_from(CARDS), min_size=6, max_size=6),
    units=st.integers(1, 10**10),
    places=st.integers(0, 8),
    odds=st.fractions(0, 200, max_denominator=1000),
    game_type=st.sampled_from(GameType),
)
def test_rounding_never_favours_the_player(
    order: list[Card], units: int, places: int, odds: Fraction, game_type: GameType
) -> None:
    quantum = quantum_of(places)
    stake = units * quantum
    result = bet_settle(deal(tuple(order)), game_type, stake, odds, quantum=quantum)
    exact = {
        ResultType.USER_WIN: Fraction(stake) * (1 + odds),
        ResultType.USER_LOST: Fraction(0),
        ResultType.DRAW: Fraction(stake),
    }[result.result_type]
    assert exact - Fraction(quantum) < Fraction(result.payout) <= exact
    assert result.result_type is not ResultType.DRAW or game_type in PUSHES_ON_TIE


@given(st.lists(st.sampled_from(CARDS), min_size=6, max_size=6))
def test_every_deal_is_scored_by_its_cards(order: list[Card]) -> None:
    outcome = deal(tuple(order))
    assert (outcome.player_score, outcome.banker_score) == (score(outcome.player), score(outcome.banker))
    assert 0 <= min(outcome.player_score, outcome.banker_score) <= max(outcome.player_score, outcome.banker_score) <= 9
