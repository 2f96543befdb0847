"""The value of a round, from the values of the decisions. Pure."""

from dataclasses import dataclass

import numpy as np

from apps.blackjack.mathematics.deck_composition import DeckComposition
from apps.blackjack.mathematics.hands import ACE, TEN, VALUES, Bools, Floats, Ints, hand_table
from apps.blackjack.mathematics.options import Options
from apps.blackjack.mathematics.play import NEVER, Allowed, HandContext, PlayValues, hand_context, play_best
from apps.blackjack.mathematics.split import SplitValues, split_values


@dataclass(frozen=True, slots=True)
class Deals:
    """The 55 first hands of two cards against the ten upcards."""

    rows: Ints
    pair_value: Ints
    """The value of the pair's cards, -1 for other hands."""
    chance: Floats
    """(deals, upcards): the probability of this deal from a fresh shoe."""
    natural: Floats
    """(deals, upcards): the probability that the dealer then has a natural."""


def first_deals(composition: DeckComposition) -> Deals:
    """Return every first deal with its probability; the probabilities sum to 1."""
    hands = hand_table()
    rows, pairs, chance, natural = [], [], [], []
    none = np.zeros(VALUES, dtype=np.int64)
    first = composition.draw_probabilities(none)
    for one in range(VALUES):
        after_one = none.copy()
        after_one[one] += 1
        second = composition.draw_probabilities(after_one)
        for two in range(one, VALUES):
            after_two = after_one.copy()
            after_two[two] += 1
            orders = 1.0 if one == two else 2.0
            rows.append(hands.row(one, two))
            pairs.append(one if one == two else -1)
            chance.append(orders * first[one] * second[two] * composition.draw_probabilities(after_two))
            natural.append(_natural_probability(composition, after_two))
    return Deals(np.array(rows), np.array(pairs), np.array(chance), np.array(natural))


def deal_values(options: Options, deals: Deals, best: Floats, *, insured: Bools) -> Floats:
    """Return (deals, upcards), the winnings of a round per unit staked over all deals.

    `best` is the value of the decision that is taken on each deal, in the sense of `play`; `insured` (deals) are the
    hands that take insurance against an ace.
    """
    sign, peek = options.sign, options.rules.dealer_peek
    pays = float(options.rules.blackjack_pays)
    is_natural = (deals.rows == hand_table().row(ACE, TEN))[:, None]
    won = sign * pays * (1.0 - deals.natural)
    value = np.where(is_natural, won, best - (sign * deals.natural if peek else 0.0))
    value[insured, ACE] += _insurance_gain(options, deals)[insured]
    return value


@dataclass(frozen=True, slots=True)
class Solution:
    """Optimal play for one rule set."""

    composition: DeckComposition
    deals: Deals
    context: HandContext
    """The values of the unsplit hands."""
    unsplit: PlayValues
    splits: dict[int, SplitValues]
    """The values by the pair's value; only pairs that may be split."""
    split: Floats
    """(deals, upcards): the value of splitting; NEVER if it is not allowed."""
    value: Floats
    """(deals, upcards): the winnings of the round with the best play."""

    @property
    def expected_value(self) -> float:
        return float((self.deals.chance * self.value).sum())


def solve(options: Options) -> Solution:
    """Compute optimal play: each hand by its cards and the upcard; see `split` for hands after a split."""
    composition = DeckComposition(options.rules.decks)
    deals = first_deals(composition)
    everything = np.arange(len(hand_table().size))
    base = hand_context(options, composition, everything, np.zeros(VALUES, dtype=np.int64))
    unsplit = play_best(options, Allowed.unsplit(options), base)
    splits = {value: split_values(options, composition, value) for value in range(VALUES) if options.splits(value)}
    split = np.full(deals.chance.shape, NEVER)
    for value, values in splits.items():
        split[deals.pair_value == value] = values.best
    best = np.maximum(unsplit.value[deals.rows], split)
    insured = (_insurance_gain(options, deals) > 0.0) & options.has_insurance
    return Solution(
        composition, deals, base, unsplit, splits, split, deal_values(options, deals, best, insured=insured)
    )


def _insurance_gain(options: Options, deals: Deals) -> Floats:
    """Return the winnings of half the stake on insurance for each deal: 2 to 1 on a natural, given the visible
    cards."""
    gain: Floats = options.sign * 0.5 * (3.0 * deals.natural[:, ACE] - 1.0)
    return gain


def _natural_probability(composition: DeckComposition, known: Ints) -> Floats:
    """Return the probability of a dealer's natural for each upcard, given two player cards."""
    chance = np.zeros(VALUES)
    for upcard, other in ((ACE, TEN), (TEN, ACE)):
        seen = known.copy()
        seen[upcard] += 1
        chance[upcard] = composition.draw_probabilities(seen)[other]
    return chance
