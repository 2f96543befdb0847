"""The figures of a bet follow from its results."""

from decimal import Decimal
from fractions import Fraction
from math import sqrt

import pytest

from apps.baccarat.edge import house_edge, paytable_rows
from apps.baccarat.engine import STANDARD_ODDS, GameType
from apps.dragon_tiger import edge as dragon_tiger_edge
from apps.dragon_tiger.engine import STANDARD_ODDS as DRAGON_TIGER_ODDS
from apps.dragon_tiger.engine import GameType as DragonTigerBet
from apps.paytables.paytable_rows import PaytableRow, bet_figures, lines_from_json, lines_to_json

HALF = Fraction(1, 2)


def test_a_fair_coin_returns_all_and_deviates_by_one() -> None:
    coin = bet_figures("coin", [PaytableRow("won", HALF, Fraction(2)), PaytableRow("lost", HALF, Fraction(0))])
    assert (coin.rtp, coin.deviation, coin.method) == (Decimal(1), Decimal(1), "exact")


@pytest.mark.parametrize(
    "lines",
    [
        [PaytableRow("won", HALF, Fraction(2))],
        [PaytableRow("won", 3 * HALF, Fraction(2)), PaytableRow("lost", -HALF, Fraction(0))],
        [PaytableRow("won", HALF, Fraction(2)), PaytableRow("lost", HALF, Fraction(-1))],
    ],
    ids=["half", "chance-below-0", "payout-below-0"],
)
def test_results_that_no_bet_has_are_refused(lines: list[PaytableRow]) -> None:
    with pytest.raises(ValueError, match="sum to 1, and no payout is below 0"):
        bet_figures("coin", lines)


def test_bets_with_equal_results_have_one_law_whatever_their_names() -> None:
    lines = [PaytableRow("won", HALF, Fraction(2)), PaytableRow("lost", HALF, Fraction(0))]
    renamed = [line._replace(result=line.result.upper()) for line in lines]
    more = [*lines, PaytableRow("never", Fraction(0), Fraction(9))]
    better = [PaytableRow("won", HALF, Fraction(201, 100)), lines[1]]
    laws = [bet_figures("coin", results).law for results in (lines, renamed, more, better)]
    assert laws[0] == laws[1] == laws[2] != laws[3]


@pytest.mark.parametrize("decks", [1, 6, 8, 9])
@pytest.mark.parametrize("kind", GameType)
def test_baccarat_returns_what_its_house_edge_leaves(kind: GameType, decks: int) -> None:
    lines = paytable_rows(kind, STANDARD_ODDS[kind], decks)
    assert sum(line.chance for line in lines) == 1
    assert sum(line.chance * line.payout for line in lines) == 1 - house_edge(kind, STANDARD_ODDS[kind], decks)


@pytest.mark.parametrize("kind", DragonTigerBet)
def test_dragon_tiger_returns_what_its_house_edge_leaves(kind: DragonTigerBet) -> None:
    odds = DRAGON_TIGER_ODDS[kind]
    lines = dragon_tiger_edge.paytable_rows(kind, odds, 8)
    assert sum(line.chance * line.payout for line in lines) == 1 - dragon_tiger_edge.house_edge(kind, odds, 8)


def test_banker_has_the_published_numbers_of_hands_behind_its_figures() -> None:
    won, tied, all_hands = 2_292_252_566_437_888, 475_627_426_473_216, 4_998_398_275_503_360
    banker = bet_figures("banker", paytable_rows(GameType.BANKER, Fraction(95, 100), 8))
    rtp = Fraction(won, all_hands) * Fraction(195, 100) + Fraction(tied, all_hands)
    square = Fraction(won, all_hands) * Fraction(195, 100) ** 2 + Fraction(tied, all_hands)
    assert abs(Fraction(banker.rtp) - rtp) <= Fraction(1, 2 * 10**12)
    assert banker.deviation is not None
    assert abs(float(banker.deviation) - sqrt(square - rtp**2)) < 1e-12


def test_lines_are_read_as_they_were_written() -> None:
    lines = paytable_rows(GameType.TIE, Fraction(8), 8)
    assert lines_from_json(lines_to_json(lines)) == lines
