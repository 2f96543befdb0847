"""Finds the best chart for a rule set, and the exact value of following it. Pure.

A chart distinguishes hands only by their totals, so a cell's decision is the best one on average over the hands that
reach it. Which hands reach it depends on the other cells, so the chart is improved repeatedly until it no longer
changes.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from apps.blackjack.mathematics.chart import HARD, SOFT, Chart, Row
from apps.blackjack.mathematics.hands import ACE, VALUES, Bools, Floats, Ints, hand_table
from apps.blackjack.mathematics.options import Options
from apps.blackjack.mathematics.play import (
    NEVER,
    Allowed,
    Decision,
    Decisions,
    HandContext,
    PlayValues,
    next_card_value,
    play_given,
)
from apps.blackjack.mathematics.round_value import Deals, Solution, deal_values
from apps.blackjack.mathematics.split import split_values

MAX_ITERATIONS: Final = 20
"""The limit of iterations. The chart settles in two to four; a cycle between equal charts would end here."""

FAINT: Final = 1e-9
"""The weight of hands that the strategy never reaches, so that their cells get reasonable decisions."""

_LETTERS: Final = {Decision.STAND: "S", Decision.HIT: "H", Decision.DOUBLE: "D", Decision.SURRENDER: "R"}
_DECISIONS: Final = {letter: decision for decision, letter in _LETTERS.items()}

Orders = dict[tuple[bool, int], list[str]]
"""The cell of each upcard, by soft or hard total."""


@dataclass(frozen=True, slots=True)
class BasicStrategy:
    """The chart and its expected winnings per unit staked, played with resplits up to the limit."""

    chart: Chart
    expected_value: float


def basic_strategy(options: Options, solution: Solution) -> BasicStrategy:
    """Return the chart for the rule set that `solution` solves."""
    base = solution.context
    allowed = Allowed.unsplit(options)
    insure = _insures(options, solution.deals)
    weights = _Weights.all_hands(solution, base)
    values = solution.unsplit
    orders: Orders = {}
    for _ in range(MAX_ITERATIONS):
        settled, orders = orders, _orders(allowed, base, values, weights)
        if orders == settled:
            break
        taken = decisions_taken(orders, allowed)
        values = play_given(options, allowed, base, taken)
        weights = _Weights.reached(solution, base, values)
    return _with_pairs(options, solution, values, orders, insure=insure)


def decisions_taken(orders: Orders, allowed: Allowed) -> Decisions:
    """Return the decision of every hand (hands, upcards) under the cells."""
    hands = hand_table()
    taken = np.zeros((len(hands.size), VALUES), dtype=np.int8)
    for (soft, total), cells in orders.items():
        rows = np.flatnonzero((hands.soft == soft) & (hands.value == total) & (hands.size >= 2))
        for upcard, order in enumerate(cells):
            taken[rows, upcard] = _first_allowed(order, allowed, rows)
    single = hands.size == 1
    taken[single] = Decision.HIT
    if allowed.one_card:
        taken[hands.size == 2] = Decision.STAND
    return taken


def _first_allowed(order: str, allowed: Allowed, rows: Ints) -> Decisions:
    result = np.full(len(rows), -1, dtype=np.int8)
    for letter in order:
        decision = _DECISIONS[letter]
        free = result < 0
        if decision is Decision.DOUBLE:
            free &= allowed.double[rows]
        elif decision is Decision.SURRENDER:
            free &= allowed.surrender[rows]
        result[free] = decision
    return result


@dataclass(frozen=True, slots=True)
class _Weights:
    """How often a hand has a decision, (hands, upcards): as the first two cards, and in all."""

    first: Floats
    any: Floats

    @classmethod
    def all_hands(cls, solution: Solution, base: HandContext) -> "_Weights":
        """Return the weights if every hand is hit until it busts."""
        first = np.zeros_like(base.stand)
        first[solution.deals.rows] = solution.deals.chance
        return cls(first, _reach(first, np.ones_like(first, dtype=np.bool_), base))

    @classmethod
    def reached(cls, solution: Solution, base: HandContext, values: PlayValues) -> "_Weights":
        """Return the weights under a strategy, without pairs that are better split."""
        faint = cls.all_hands(solution, base)
        deals = solution.deals
        first = np.zeros_like(base.stand)
        kept = solution.split <= values.value[deals.rows]
        first[deals.rows] = np.where(kept, deals.chance, 0.0)
        reached = _reach(first, values.taken == Decision.HIT, base)
        return cls(first + FAINT * faint.first, reached + FAINT * faint.any)


def _reach(first: Floats, hits: Bools, base: HandContext) -> Floats:
    """Return how often each hand occurs if the hands marked in `hits` draw."""
    hands = hand_table()
    reach = first.copy()
    for total in range(2, 21):
        rows = np.flatnonzero((hands.hard == total) & (hands.size >= 2))
        going = np.where(hits[rows], reach[rows], 0.0)[:, :, None] * base.draw[rows]
        for value in range(VALUES):
            child = hands.child[rows, value]
            alive = child >= 0
            # Two hands with one total never become the same hand by the same card.
            reach[child[alive]] += going[alive, :, value]
    return reach


def _orders(allowed: Allowed, base: HandContext, values: PlayValues, weights: _Weights) -> Orders:
    """Return the best cell of every total on average over its hands, with the other cells as in `values`."""
    hands = hand_table()
    hit = next_card_value(base, values.value)
    orders: Orders = {}
    for soft, totals in ((False, HARD), (True, SOFT)):
        for total in totals:
            rows = np.flatnonzero((hands.soft == soft) & (hands.value == total) & (hands.size >= 2))
            orders[soft, total] = [_cell(allowed, values, weights, hit, rows, upcard) for upcard in range(VALUES)]
    return orders


def _cell(allowed: Allowed, values: PlayValues, weights: _Weights, hit: Floats, rows: Ints, upcard: int) -> str:
    gain = (weights.any[rows, upcard] * (hit[rows, upcard] - values.decisions[Decision.STAND, rows, upcard])).sum()
    order = two = "HS" if gain > 0 else "SH"
    plain = hit if gain > 0 else values.decisions[Decision.STAND]
    other = values.decisions[Decision.STAND] if gain > 0 else hit
    for decision, mask in ((Decision.DOUBLE, allowed.double), (Decision.SURRENDER, allowed.surrender)):
        may = rows[mask[rows]]
        weight = (weights.first if decision is Decision.DOUBLE else weights.any)[may, upcard]
        if not weight.any():
            continue
        here = {_LETTERS[decision]: (weight * values.decisions[decision, may, upcard]).sum()}
        here[two[0]] = (weight * plain[may, upcard]).sum()
        here[two[1]] = (weight * other[may, upcard]).sum()
        if "D" in order:
            doubles = np.where(allowed.double[may], values.decisions[Decision.DOUBLE, may, upcard], plain[may, upcard])
            here["D"] = (weight * doubles).sum()
        order = _inserted(order, _LETTERS[decision], here)
    return order


def _inserted(order: str, letter: str, worth: dict[str, float]) -> str:
    """Return `order` with `letter` inserted before the first letter with a lower value."""
    place = next((index for index, other in enumerate(order) if worth[other] < worth[letter]), len(order))
    return order[:place] + letter + order[place:]


def _with_pairs(
    options: Options, solution: Solution, values: PlayValues, orders: Orders, *, insure: bool
) -> BasicStrategy:
    """Add the pairs, which are split if that has a higher value than the cell of the total, and value the whole
    chart."""
    deals = solution.deals
    best = values.value[deals.rows]
    pairs: dict[int, Row] = {}
    for value in range(VALUES):
        before = [""] * VALUES
        if options.splits(value):
            taken = decisions_taken(orders, Allowed.split(options, value))
            worth = split_values(options, solution.composition, value, taken=taken).by_limit[-1]
            deal = int(np.flatnonzero(deals.pair_value == value)[0])
            before = [_before(values, int(deals.rows[deal]), upcard, worth[upcard]) for upcard in range(VALUES)]
            split = [letters == "P" for letters in before]
            best[deal, split] = worth[split]
        pairs[value] = tuple(before)
    chart = Chart(
        hard={total: tuple(orders[False, total]) for total in HARD},
        soft={total: tuple(orders[True, total]) for total in SOFT},
        pairs=pairs,
        insure=insure,
    )
    earned = deal_values(options, deals, best, insured=np.full(len(deals.rows), insure))
    return BasicStrategy(chart, float((deals.chance * earned).sum()))


def _before(values: PlayValues, row: int, upcard: int, worth: float) -> str:
    """Return the letters before the total's cell: `P` if splitting is best, `RP` if only surrender is better."""
    here = values.decisions[:, row, upcard]
    plain = max(here[Decision.STAND], here[Decision.HIT], here[Decision.DOUBLE])
    if worth <= plain or worth == NEVER:
        return ""
    return "RP" if here[Decision.SURRENDER] > worth else "P"


def _insures(options: Options, deals: Deals) -> bool:
    """Return whether insurance has a positive value regardless of the player's cards."""
    if not options.has_insurance:
        return False
    chance = deals.chance[:, ACE]
    return bool(options.sign * (chance * (3.0 * deals.natural[:, ACE] - 1.0)).sum() > 0)
