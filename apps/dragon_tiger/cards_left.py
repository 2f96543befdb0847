"""The chances of each bet's results in a round that is dealt from the cards left in a shoe. Pure."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

import numpy as np

from apps.cards.card import CARDS
from apps.dragon_tiger.engine import Deal, GameType, bet_result
from apps.one_deal.engine import ResultType

FEWEST: Final = 2
"""The fewest cards with known chances. With fewer, a shoe may be filled up during the deal."""


def chances_left(counts: Sequence[int]) -> Mapping[GameType, Mapping[ResultType, float]] | None:
    """Return the chances of each bet's results for a shoe with `counts[i]` cards of `CARDS[i]`.

    None for fewer than FEWEST cards.
    """
    left = np.array(counts, dtype=np.int64)
    cards = int(left.sum())
    if cards < FEWEST:
        return None
    ways = np.outer(left, left) - np.diag(left)
    return {
        game_type: {
            result: int(ways[is_result].sum()) / (cards * (cards - 1))
            for result, is_result in _deals_of_results(game_type).items()
        }
        for game_type in GameType
    }


@cache
def _deals_of_results(game_type: GameType) -> Mapping[ResultType, np.ndarray[Any, np.dtype[np.bool_]]]:
    """Return the pairs of cards, the dragon's first, of each result."""
    results = np.array([[bet_result(Deal(dragon, tiger), game_type) for tiger in CARDS] for dragon in CARDS])
    return {result: results == result for result in ResultType}
