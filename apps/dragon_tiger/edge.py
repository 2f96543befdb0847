"""The house edge of each bet of dragon tiger, as an exact fraction of the stake. Pure.

All 52 times 52 pairs of cards are dealt, each with its probability in a fresh shoe, and settled by the engine. Rounding
to a currency's unit, which favours the house, is ignored.
"""

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Final

from apps.cards.card import CARDS
from apps.cards.shoe import INFINITE_DECKS, deck_count_check
from apps.core.edge_rounding import standard_deviation
from apps.dragon_tiger.engine import HALF_BACK, Deal, GameType, bet_result
from apps.one_deal.engine import ResultType
from apps.paytables.paytable_rows import PaytableRow

_LOST: Final = Fraction(-1)


def house_edge(game_type: GameType, odds: Fraction, decks: int) -> Fraction:
    """Return the house edge of the bet at `odds` to 1; below 0 the bet favours the player.

    `decks` is 1 to 8 or INFINITE_DECKS, for a fresh shoe. Raises ValueError for another number.
    """
    return -sum((brought * chance for brought, chance in _results(game_type, odds, decks)), Fraction(0))


def bet_deviation(game_type: GameType, odds: Fraction, decks: int) -> Decimal:
    """Return the standard deviation of the result of a stake of 1 at `odds` to 1."""
    return standard_deviation(_results(game_type, odds, decks))


def paytable_rows(game_type: GameType, odds: Fraction, decks: int) -> tuple[PaytableRow, ...]:
    """Return the results of the bet at `odds` to 1 with their probabilities and payouts."""
    payouts = {ResultType.USER_WIN: 1 + odds, ResultType.USER_LOST: 1 + _LOST, ResultType.DRAW: 1 + HALF_BACK}
    return tuple(
        PaytableRow(result.wire_name, chance, payouts[result])
        for result, chance in probabilities(game_type, decks).items()
    )


@cache
def probabilities(game_type: GameType, decks: int) -> dict[ResultType, Fraction]:
    """Return the probability of each result of a bet. Raises ValueError for an invalid number of decks."""
    deck_count_check(decks)
    found = dict.fromkeys(ResultType, Fraction(0))
    for outcome, chance in _deals(decks):
        found[bet_result(outcome, game_type)] += chance
    return found


def _results(game_type: GameType, odds: Fraction, decks: int) -> list[tuple[Fraction, Fraction]]:
    """Return the results of a stake of 1 with their probabilities."""
    found = probabilities(game_type, decks)
    brought = {ResultType.USER_WIN: odds, ResultType.DRAW: HALF_BACK, ResultType.USER_LOST: _LOST}
    return [(brought[result], chance) for result, chance in found.items()]


def _deals(decks: int) -> Iterator[tuple[Deal, Fraction]]:
    """Yield every deal with its probability; the second card comes from the remaining ones."""
    first = Fraction(1, len(CARDS))
    for dragon in CARDS:
        for tiger in CARDS:
            if decks == INFINITE_DECKS:
                second = Fraction(1, len(CARDS))
            else:
                second = Fraction(decks - (1 if tiger is dragon else 0), decks * len(CARDS) - 1)
            yield Deal(dragon, tiger), first * second
