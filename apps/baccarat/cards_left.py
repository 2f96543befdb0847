"""The chances of each bet's results in a round that is dealt from the cards left in a shoe. Pure.

All deals of the points of six cards are counted, as in edge.py; here they are arrays, because the worker does it for
each round of a table. The counts are whole numbers below 2**53, so nothing is rounded before the division.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any, Final

import numpy as np

from apps.baccarat.edge import deal_of, third_points
from apps.baccarat.engine import GameType, bet_settle
from apps.cards.card import CARDS
from apps.one_deal.engine import ResultType

FEWEST: Final = 6
"""The fewest cards with known chances. With fewer, a shoe may be filled up during the deal."""
_NONE: Final = -1
_RANKS: Final = 13
_RESULTS: Final = tuple(ResultType)
_CLASSES: Final = 10 * 10 * 2 * 2
"""Both scores, and whether each side has a third card."""
_PAIR_BETS: Final = {
    GameType.PLAYER_PAIR: (_RANKS, 1), GameType.BANKER_PAIR: (_RANKS, 1), GameType.EITHER_PAIR: (_RANKS, 2),
    GameType.PERFECT_PAIR: (len(CARDS), 2),
}  # fmt: skip
"""By bet: the number of kinds of cards that make a pair, and the number of sides that may have one."""
_POINTS: Final = np.array([card.points for card in CARDS])

_Array = np.ndarray[Any, np.dtype[np.int64]]
_Floats = np.ndarray[Any, np.dtype[np.float64]]


def chances_left(counts: Sequence[int]) -> Mapping[GameType, Mapping[ResultType, float]] | None:
    """Return the chances of each bet's results for a shoe with `counts[i]` cards of `CARDS[i]`.

    None for fewer than FEWEST cards.
    """
    left = np.array(counts, dtype=np.int64)
    if left.sum() < FEWEST:
        return None
    by_class = _class_chances(np.bincount(_POINTS, weights=left, minlength=10).astype(np.int64))
    chances: dict[GameType, Mapping[ResultType, float]] = {}
    for game_type in GameType:
        if game_type in _PAIR_BETS:
            kinds, sides = _PAIR_BETS[game_type]
            won = _pair_chance([int(count) for count in left.reshape(-1, kinds).sum(axis=0)], sides)
            chances[game_type] = {ResultType.USER_WIN: won, ResultType.USER_LOST: 1 - won}
        else:
            found = np.bincount(_class_results(game_type), weights=by_class, minlength=len(_RESULTS))
            chances[game_type] = dict(zip(_RESULTS, found.tolist(), strict=True))
    return chances


def _pair_chance(counts: Sequence[int], sides: int) -> float:
    """Return the chance of two cards of one kind on a side, or on at least one of two sides."""
    cards = sum(counts)
    pairs = [count * (count - 1) for count in counts]
    one = Fraction(sum(pairs), cards * (cards - 1))
    if sides == 1:
        return float(one)
    same = sum(pair * (count - 2) * (count - 3) for pair, count in zip(pairs, counts, strict=True))
    both = sum(pairs) ** 2 - sum(pair**2 for pair in pairs) + same
    return float(2 * one - Fraction(both, cards * (cards - 1) * (cards - 2) * (cards - 3)))


@dataclass(frozen=True, slots=True)
class _Deals:
    """Every deal by the points of its cards: the first four by their place in `firsts`, and the third ones."""

    player: _Array
    """The points of the player's first two cards, lower first, of each four cards."""
    banker: _Array
    first: _Array
    third: _Array
    """The points of the player's third card in each deal, or _NONE."""
    last: _Array
    """The points of the banker's third card in each deal, or _NONE."""
    of_class: _Array


@cache
def _deals() -> _Deals:
    pairs = [(low, high) for low in range(10) for high in range(low, 10)]
    firsts = [(player, banker) for player in pairs for banker in pairs]
    deals = []
    for first, (player, banker) in enumerate(firsts):
        player_score, banker_score = sum(player) % 10, sum(banker) % 10
        for drawn in third_points(player_score, banker_score):
            third, last = (points[0] if points else _NONE for points in drawn)
            scores = (player_score + max(third, 0)) % 10, (banker_score + max(last, 0)) % 10
            of_class = ((scores[0] * 10 + scores[1]) * 2 + (third != _NONE)) * 2 + (last != _NONE)
            deals.append((first, third, last, of_class))
    first_of, third_of, last_of, of_class_of = np.array(deals, dtype=np.int64).T
    return _Deals(
        np.array([player for player, _ in firsts]),
        np.array([banker for _, banker in firsts]),
        first_of,
        third_of,
        last_of,
        of_class_of,
    )


def _class_chances(left: _Array) -> _Floats:
    """Return the chance of each class, from the cards left by their points."""
    deals = _deals()
    after_player = left - _used(deals.player)
    after = after_player - _used(deals.banker)
    firsts = _ways(np.broadcast_to(left, after.shape), deals.player) * _ways(after_player, deals.banker)
    cards = int(left.sum()) - 4
    # Cards that are not dealt count too, as if six were always dealt.
    third = np.where(deals.third == _NONE, cards, after[deals.first, deals.third])
    same = (deals.third == deals.last) & (deals.last != _NONE)
    last = np.where(deals.last == _NONE, cards - 1, after[deals.first, deals.last] - same)
    # A player who stands leaves the banker's card as the fifth: the sixth is any other.
    ways = firsts[deals.first] * np.where((deals.third == _NONE) & (deals.last != _NONE), cards - 1, third) * last
    found = np.bincount(deals.of_class, weights=ways, minlength=_CLASSES)
    return np.array(found / found.sum(), dtype=np.float64)


def _used(pairs: _Array) -> _Array:
    """Return the number of cards of each number of points that each pair takes."""
    return np.array((pairs[:, :, None] == np.arange(10)).sum(axis=1))


def _ways(left: _Array, pairs: _Array) -> _Array:
    """Return the number of ways to deal each pair in either order, from the cards left before it."""
    low, high = (np.take_along_axis(left, pairs[:, [place]], axis=1)[:, 0] for place in (0, 1))
    return np.where(pairs[:, 0] == pairs[:, 1], low * (low - 1), 2 * low * high)


@cache
def _class_results(game_type: GameType) -> _Array:
    """Return the place of each class's result of the bet among `_RESULTS`."""
    places = []
    for of_class in range(_CLASSES):
        scores, thirds = divmod(of_class, 4)
        dealt = deal_of(*divmod(scores, 10), 2 + thirds // 2, 2 + thirds % 2)
        result = bet_settle(dealt, game_type, Decimal(1), Fraction(1), quantum=Decimal(1)).result_type
        places.append(_RESULTS.index(result))
    return np.array(places)
