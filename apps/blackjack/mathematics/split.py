"""The value of splitting a pair, including resplits and the cards that they remove. Pure.

Every hand of a split is played by one strategy, which sees its own cards and the upcard. The next cards of the
composition are in random order, so each of these hands draws as if the others had not drawn yet. The others matter in
two ways: they hold pair cards, and a hand that was not split again although it could have been got no pair card. Both
are counted exactly. "Not one of `m` cards is of the pair's value" is written as the sum over `i` of (-1)^i C(m, i)
"these `i` cards are", so all that is needed is the value of one hand with 1, 2, ... pair cards gone (`r` below).
"""

from dataclasses import dataclass
from math import comb

import numpy as np

from apps.blackjack.mathematics.deck_composition import DeckComposition
from apps.blackjack.mathematics.hands import VALUES, Floats, Ints, hand_table
from apps.blackjack.mathematics.options import Options
from apps.blackjack.mathematics.play import Allowed, Decisions, HandContext, hand_context, play_best, play_given


@dataclass(frozen=True, slots=True)
class SplitValues:
    """Splitting a pair of one value, over the ten upcards."""

    by_limit: Floats
    """(splits, upcards): the value with at most 1, 2, ... splits, where every further pair is split while allowed."""
    taken: Decisions
    """(hands, upcards): the strategy on the hands after the split."""

    @property
    def best(self) -> Floats:
        """The value for each upcard if the player stops resplitting at the best limit."""
        result: Floats = self.by_limit.max(axis=0)
        return result


def split_values(
    options: Options,
    composition: DeckComposition,
    value: int,
    *,
    gone: Ints | None = None,
    taken: Decisions | None = None,
) -> SplitValues:
    """Return the values of splitting; with `taken`, that strategy is followed after the split instead of the best.

    The best strategy is that of a hand after one split: its own cards, one card of the pair and `gone` are known.
    """
    splits = options.splits(value)
    rows = rows_with(value)
    allowed = Allowed.split(options, value)
    pair = np.zeros(VALUES, dtype=np.int64)
    pair[value] = 1
    other = np.zeros(VALUES, dtype=np.int64) if gone is None else gone
    first = hand_context(options, composition, rows, other + pair)
    if taken is None:
        taken = play_best(options, allowed, first).taken
    numbers = [_one_hand(options, allowed, first, taken, value)]
    for number in range(2, _most_gone(splits) + 1):
        base = hand_context(options, composition, _reached(rows, value, taken), other + number * pair)
        numbers.append(_one_hand(options, allowed, base, taken, value))
    runs = _run_probabilities(composition, other + 2 * pair, value)
    by_limit = [_with_limit(limit, numbers, runs) for limit in range(1, splits + 1)]
    return SplitValues(np.array(by_limit), taken)


def rows_with(value: int) -> Ints:
    """Return the rows of the hands with a card of this value."""
    return np.flatnonzero(hand_table().counts[:, value] > 0)


@dataclass(frozen=True, slots=True)
class _OneHand:
    """A hand that begins with one card of the pair, over the upcards."""

    second_other: Floats
    """The hand's value in the deals whose second card does not have the pair's value."""
    second_any: Floats


def _one_hand(options: Options, allowed: Allowed, base: HandContext, taken: Decisions, value: int) -> _OneHand:
    values = play_given(options, allowed, base, taken).value
    hands = hand_table()
    start = hands.row(value)
    draw = base.draw[start]
    seconds = hands.child[start]
    by_second = draw.T * values[seconds]
    second_any = by_second.sum(axis=0)
    return _OneHand(second_any - by_second[value], second_any)


def _reached(rows: Ints, value: int, taken: Decisions) -> Ints:
    """Return those of `rows` that the strategy can reach from one card, against any upcard, and their successors."""
    hands = hand_table()
    start = hands.row(value)
    wanted = np.zeros(len(hands.size), dtype=bool)
    wanted[start] = True
    for row in rows[::-1]:
        drawn = row == start or bool((taken[row] != 0).any())
        if wanted[row] and drawn:
            children = hands.child[row]
            wanted[children[children >= 0]] = True
    return np.flatnonzero(wanted)


def _most_gone(splits: int) -> int:
    """Return the highest number of other pair cards that `_with_limit` asks for."""
    return 2 * splits - 1


def _run_probabilities(composition: DeckComposition, gone: Ints, value: int) -> list[Floats]:
    """Return, for 0, 1, ... cards, the probability for each upcard that the next cards all have the pair's value."""
    seen = gone + np.eye(VALUES, dtype=np.int64)
    return [composition.run_probability(seen, value, length) for length in range(2 * VALUES)]


def _with_limit(limit: int, numbers: list[_OneHand], runs: list[Floats]) -> Floats:
    """Return the value of splitting up to `limit` times.

    Hands get their second card in turn. A pair card splits the hand while splits are left, so with `again` further
    splits a deal is a sequence of pair cards and others that ends when no hand waits.
    """
    again = limit - 1
    total = np.zeros_like(numbers[0].second_any)
    for used in range(again):
        hands = 2 + used
        total += _sequences(used, hands) * hands * _mean(numbers, runs, used, others=hands - 1, closed=True)
    for before in range(again + 1):
        ways = _prefixes(again, before)
        if before:
            total += ways * before * _mean(numbers, runs, again, others=before - 1, closed=True)
        total += ways * (2 + again - before) * _mean(numbers, runs, again, others=before, closed=False)
    return total


def _mean(numbers: list[_OneHand], runs: list[Floats], used: int, *, others: int, closed: bool) -> Floats:
    """Return one hand's value in the deals where `used` given cards split, and `others` given hands did not.

    `closed`: the hand's own second card does not have the pair's value either.
    """
    total = np.zeros_like(runs[0])
    for more in range(others + 1):
        one = numbers[used + more]
        value = one.second_other if closed else one.second_any
        total += (-1) ** more * comb(others, more) * runs[used + more] * value
    return total


def _sequences(used: int, hands: int) -> int:
    """Return the number of orders in which `used` pair cards split, and the last of `hands` other cards ends the
    deal."""
    return _orders(used, hands - 1)


def _prefixes(again: int, before: int) -> int:
    """Return the number of orders in which the last allowed split comes after `before` other cards."""
    return _orders(again - 1, before) if again else 1 if before == 0 else 0


def _orders(pairs: int, others: int) -> int:
    """Return the number of orders of pair cards and others in which a hand always waits for a card.

    Two hands wait at first; a pair card adds one, and another card removes one.
    """
    if pairs < 0 or others < 0 or 2 + pairs - others <= 0:
        return 0
    if pairs == 0 and others == 0:
        return 1
    return _orders(pairs - 1, others) + _orders(pairs, others - 1)
