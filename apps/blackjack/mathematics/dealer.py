"""The exact probabilities of the dealer's results, for any removed cards. Pure.

The dealer's draw is fixed by rule, so the probability of a result is a sum over the multisets of cards that reach it:
the number of orders in which the dealer would draw the multiset, times the probability of one order. Without
replacement all orders have the same probability.
"""

from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import Final

import numpy as np

from apps.blackjack.mathematics.deck_composition import DeckComposition
from apps.blackjack.mathematics.hands import ACE, TEN, VALUES, Floats, Ints

STANDING: Final = 5
"""The results 0..4 are the totals 17..21."""
NATURAL: Final = 5
BUST: Final = 6
ENDS: Final = 7

_BLOCK: Final = 2048
"""Rows that are processed at once, so that the intermediate products stay in the processor's cache."""


def dealer_ends(composition: DeckComposition, removed: Ints, upcard: int, *, hits_soft_17: bool) -> Floats:
    """Return the probabilities of the seven results, shape (rows, 7), before any peek.

    `removed` (rows, 10) has the removed cards without the upcard, which is removed here.
    """
    plan = _plan(upcard, hits_soft_17)
    gone = removed.copy()
    gone[:, upcard] += 1
    left = composition.left(gone)
    ends = np.empty((len(removed), ENDS))
    for start in range(0, len(removed), _BLOCK):
        block = slice(start, start + _BLOCK)
        ends[block, :BUST] = _ends_of(plan, left[block], infinite=composition.is_infinite)
    ends[:, BUST] = 1.0 - ends[:, :BUST].sum(axis=1)
    return ends


@dataclass(frozen=True, slots=True)
class _Plan:
    """The multisets for one upcard by number of cards. Each extends an earlier one by its highest value."""

    steps: tuple[tuple[int, int, int], ...]
    """For each multiset: the step that it extends (-1: no card), the added value, and how many of it there were."""
    orders: tuple[tuple[slice, Floats], ...]
    """For 1, 2, ... cards: the steps with this number of cards, and (steps, 6) the number of orders that end with each
    result."""


def _ends_of(plan: _Plan, left: Floats, *, infinite: bool) -> Floats:
    """Return (rows, 6): the results except the bust."""
    columns = np.ascontiguousarray(left.T)
    products = np.empty((len(plan.steps), len(left)))
    for step, (parent, value, held) in enumerate(plan.steps):
        factor = columns[value] if infinite or not held else columns[value] - held
        if parent < 0:
            products[step] = factor
        else:
            np.multiply(products[parent], factor, out=products[step])
    total = left.sum(axis=1)
    ends = np.zeros((len(left), BUST))
    chance = np.ones(len(left))
    for taken, (steps, orders) in enumerate(plan.orders):
        chance /= total if infinite else total - taken
        ends += (products[steps].T @ orders) * chance[:, None]
    return ends


@cache
def _plan(upcard: int, hits_soft_17: bool) -> _Plan:
    ways = _orders_by_multiset(upcard, hits_soft_17)
    beginnings = {drawn[:cards] for drawn in ways for cards in range(1, len(drawn) + 1)}
    multisets = sorted(beginnings, key=lambda drawn: (len(drawn), drawn))
    index = {drawn: step for step, drawn in enumerate(multisets)}
    steps = [(index.get(drawn[:-1], -1), drawn[-1], drawn[:-1].count(drawn[-1])) for drawn in multisets]
    orders: list[tuple[slice, Floats]] = []
    for _, group in groupby(multisets, key=len):
        members = list(group)
        table = np.zeros((len(members), BUST))
        for place, drawn in enumerate(members):
            if drawn in ways:
                end, count = ways[drawn]
                table[place, end] = count
        orders.append((slice(index[members[0]], index[members[-1]] + 1), table))
    return _Plan(tuple(steps), tuple(orders))


def _orders_by_multiset(upcard: int, hits_soft_17: bool) -> dict[tuple[int, ...], tuple[int, int]]:
    """Return the result and the number of orders of each multiset that ends the hand below 22."""
    finals: dict[tuple[int, ...], tuple[int, int]] = {}
    drawing: dict[tuple[int, ...], int] = {(): 1}
    while drawing:
        grown: dict[tuple[int, ...], int] = {}
        for drawn, count in drawing.items():
            for value in range(VALUES):
                following = tuple(sorted((*drawn, value)))
                if _hard(upcard, following) <= 21:
                    grown[following] = grown.get(following, 0) + count
        drawing = {}
        for drawn, count in grown.items():
            end = _end(upcard, drawn, hits_soft_17)
            if end is None:
                drawing[drawn] = count
            else:
                finals[drawn] = (end, count)
    return finals


def _hard(upcard: int, drawn: tuple[int, ...]) -> int:
    return upcard + 1 + sum(drawn) + len(drawn)


def _end(upcard: int, drawn: tuple[int, ...], hits_soft_17: bool) -> int | None:
    """Return the result of a dealer's hand that is not bust, or None if it draws on."""
    hard = _hard(upcard, drawn)
    soft = hard <= 11 and ACE in (upcard, *drawn)
    value = hard + 10 if soft else hard
    if value < 17 or (value == 17 and soft and hits_soft_17):
        return None
    if len(drawn) == 1 and {upcard, drawn[0]} == {ACE, TEN}:
        return NATURAL
    return value - 17
