"""The exact value of every decision on one hand, for any removed cards. Pure.

Values are winnings in units of the hand's first stake (a lost stake is -1). They count only the deals where the game
goes on: with a peek, deals in which the dealer has a natural are left out here and charged once in the round's value
(`round_value.py`). This is a weight and not a condition, so the hidden card has the same distribution as any other
card, and the next card's probability is its share of the remaining cards.
"""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from apps.blackjack.mathematics.dealer import BUST, NATURAL, STANDING, dealer_ends
from apps.blackjack.mathematics.deck_composition import DeckComposition
from apps.blackjack.mathematics.hands import ACE, TEN, VALUES, Bools, Floats, Ints, hand_table
from apps.blackjack.mathematics.options import Options

Decisions = NDArray[np.int8]
NEVER = -np.inf
"""The value of a decision that the rules do not allow."""


class Decision(IntEnum):
    """The decisions about a hand; the number is the column of `PlayValues.decisions`."""

    STAND = 0
    HIT = 1
    DOUBLE = 2
    SURRENDER = 3


@dataclass(frozen=True, slots=True)
class Allowed:
    """Which hands may double and surrender, and whether a split ace must stand on its second card."""

    double: Bools
    surrender: Bools
    one_card: bool = False
    early: bool = False
    """Whether surrender, as the first decision of an unsplit hand, comes before the peek."""

    @classmethod
    def unsplit(cls, options: Options) -> "Allowed":
        hands = hand_table()
        return cls(
            double=options.double_mask(hands, after_split=False),
            surrender=options.surrender_mask(hands, after_split=False),
            early=True,
        )

    @classmethod
    def split(cls, options: Options, value: int) -> "Allowed":
        hands = hand_table()
        return cls(
            double=options.double_mask(hands, after_split=True),
            surrender=options.surrender_mask(hands, after_split=True),
            one_card=value == ACE and not options.rules.hit_split_ace,
        )


@dataclass(frozen=True, slots=True)
class PlayValues:
    """Arrays over (hands, upcards); hands outside the requested rows are zero."""

    decisions: Floats
    """(4, hands, upcards): the value of each Decision, NEVER where it is not allowed."""
    taken: Decisions
    """The decision that is taken: the best one, or the given one."""
    value: Floats
    """The value of the decision that is taken."""


@dataclass(frozen=True, slots=True)
class HandContext:
    """Common figures of every decision on the hands `rows`, with the cards `gone` removed besides hand and upcard."""

    rows: Ints
    stand: Floats
    """(hands, upcards)."""
    loss: Floats
    """(hands, upcards): the weighted value of a lost stake of 1, negative unless the game is inverted."""
    bust: Floats
    """(hands, upcards): the value of the hits that bust."""
    draw: Floats
    """(hands, upcards, 10): the probability of the next card."""
    no_natural: Floats
    """(hands, upcards): the probability that the dealer has no natural."""


def hand_context(options: Options, composition: DeckComposition, rows: Ints, gone: Ints) -> HandContext:
    """Compute the common figures of `rows`, which must contain every hand that one of them can become."""
    hands = hand_table()
    shape = (len(hands.size), VALUES)
    known = hands.counts[rows] + gone
    stand, loss, no_natural, bust = (np.zeros(shape) for _ in range(4))
    draw = np.zeros((*shape, VALUES))
    for upcard in range(VALUES):
        ends = dealer_ends(composition, known, upcard, hits_soft_17=options.rules.dealer_hits_soft_17)
        seen = known.copy()
        seen[:, upcard] += 1
        chance = composition.draw_probabilities(seen)
        draw[rows, upcard] = chance
        no_natural[rows, upcard] = 1.0 - ends[:, NATURAL]
        stand[rows, upcard] = options.sign * _stand(ends, hands.value[rows], peek=options.rules.dealer_peek)
        if options.rules.dealer_peek:
            loss[rows, upcard] = -options.sign * (1.0 - ends[:, NATURAL])
            bust[rows, upcard] = -options.sign * _bust_weight(composition, seen, upcard, chance, hands.child[rows])
        else:
            loss[rows, upcard] = -options.sign
            bust[rows, upcard] = -options.sign * (chance * (hands.child[rows] < 0)).sum(axis=1)
    return HandContext(rows, stand, loss, bust, draw, no_natural)


def play_best(options: Options, allowed: Allowed, base: HandContext) -> PlayValues:
    """Return the values with the best decision for each hand by its composition, the upcard and `gone`."""
    return _play(options, allowed, base, None)


def play_given(options: Options, allowed: Allowed, base: HandContext, taken: Decisions) -> PlayValues:
    """Return the values if `taken` (hands, upcards) is followed."""
    return _play(options, allowed, base, taken)


def next_card_value(base: HandContext, value: Floats) -> Floats:
    """Return the mean of `value` over the next card for every hand, including busts."""
    result = np.zeros_like(base.stand)
    for rows in _by_total(base.rows):
        result[rows] = _drawn(base, value, rows)
    return result


def _stand(ends: Floats, value: Ints, *, peek: bool) -> Floats:
    totals = np.arange(17, 17 + STANDING)
    below = (ends[:, :STANDING] * (totals < value[:, None])).sum(axis=1)
    above = (ends[:, :STANDING] * (totals > value[:, None])).sum(axis=1)
    result: Floats = ends[:, BUST] + below - above
    return result if peek else result - ends[:, NATURAL]


def _bust_weight(composition: DeckComposition, seen: Ints, upcard: int, chance: Floats, child: Ints) -> Floats:
    """Return the probability of a bust with the next card and no natural of the dealer."""
    weight = np.zeros(len(seen))
    for value in range(VALUES):
        busts = child[:, value] < 0
        if not busts.any():
            continue
        after = seen[busts].copy()
        after[:, value] += 1
        part = chance[busts, value]
        if upcard in (ACE, TEN):
            part = part * (1.0 - composition.draw_probabilities(after)[:, TEN if upcard == ACE else ACE])
        weight[busts] += part
    return weight


def _play(options: Options, allowed: Allowed, base: HandContext, taken: Decisions | None) -> PlayValues:
    hands = hand_table()
    shape = base.stand.shape
    decisions = np.full((len(Decision), *shape), NEVER)
    decisions[Decision.STAND] = base.stand
    decisions[Decision.SURRENDER] = np.where(allowed.surrender[:, None], _surrender(options, allowed, base), NEVER)
    doubled = 2.0 * next_card_value(base, base.stand)
    decisions[Decision.DOUBLE] = np.where(allowed.double[:, None], doubled, NEVER)
    value = np.zeros(shape)
    followed = np.zeros(shape, dtype=np.int8)
    for rows in _by_total(base.rows):
        stands = (hands.value[rows] == 21) | ((hands.size[rows] == 2) & allowed.one_card)
        decisions[Decision.HIT, rows] = np.where(stands[:, None], NEVER, _drawn(base, value, rows))
        decisions[Decision.DOUBLE :, rows] = np.where(stands[:, None], NEVER, decisions[Decision.DOUBLE :, rows])
        here = decisions[:, rows]
        best = here.argmax(axis=0).astype(np.int8) if taken is None else taken[rows]
        value[rows] = np.take_along_axis(here, best[None].astype(np.int64), axis=0)[0]
        followed[rows] = best
    return PlayValues(decisions, followed, value)


def _surrender(options: Options, allowed: Allowed, base: HandContext) -> Floats:
    """Return the value of surrender: half the stake in the deals that this module counts.

    Before the peek it also saves half of the stake in the deals with a natural, which the round's value charges in
    full.
    """
    half = -0.5 * options.sign
    if not options.rules.dealer_peek:
        return np.full_like(base.stand, half)
    value = half * base.no_natural
    first = hand_table().size == 2
    for upcard in range(VALUES):
        if allowed.early and options.surrenders_early(upcard):
            value[first, upcard] = half + options.sign * (1.0 - base.no_natural[first, upcard])
    return value


def _drawn(base: HandContext, value: Floats, rows: Ints) -> Floats:
    child = hand_table().child[rows]
    grown = np.where((child >= 0)[:, :, None], value[child], 0.0)
    result: Floats = np.einsum("huc,hcu->hu", base.draw[rows], grown) + base.bust[rows]
    return result


def _by_total(rows: Ints) -> list[Ints]:
    """Return the rows in groups of one hard total, the highest first, so that a hand's successors come before it."""
    hard = hand_table().hard[rows]
    return [rows[hard == total] for total in range(21, 0, -1) if (hard == total).any()]
