"""The decision of basic strategy, and the value of every decision, for one hand. Pure."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import numpy as np

from apps.blackjack.engine.rules import BlackjackRules
from apps.blackjack.mathematics.chart import Chart
from apps.blackjack.mathematics.deck_composition import DeckComposition
from apps.blackjack.mathematics.edge import house_edge
from apps.blackjack.mathematics.hands import ACE, TEN, VALUES, hand_table
from apps.blackjack.mathematics.options import Options
from apps.blackjack.mathematics.play import Allowed, Decision, hand_context, play_best
from apps.blackjack.mathematics.split import split_values
from apps.cards.card import Card


class Advice(Enum):
    """A decision, by its letter in the chart."""

    HIT = "H"
    STAND = "S"
    DOUBLE = "D"
    SURRENDER = "R"
    SPLIT = "P"


def hint(
    rules: BlackjackRules,
    cards: Sequence[Card],
    upcard: Card,
    legal: Collection[Advice],
    *,
    cache_dir: Path | None = None,
) -> Advice:
    """Return the chart's decision for a hand below 21 among the `legal` ones.

    This is fast for shipped rule sets; otherwise the first hint takes the seconds of `house_edge`.
    """
    return chart_advice(house_edge(rules, cache_dir=cache_dir).chart, cards, upcard, legal)


def chart_advice(chart: Chart, cards: Sequence[Card], upcard: Card, legal: Collection[Advice]) -> Advice:
    """Return the first letter of the hand's cell that is `legal`. Raises ValueError if none is."""
    order = chart.order([card.value for card in cards], upcard.value)
    for letter in order:
        if Advice(letter) in legal:
            return Advice(letter)
    raise ValueError(f"no decision of {order!r} is legal here: {sorted(advice.value for advice in legal)}")


def decision_values(
    rules: BlackjackRules,
    values: Sequence[int],
    upcard: int,
    *,
    gone: Sequence[int] = (),
    is_split: bool = False,
    splits_left: int | None = None,
) -> dict[Advice, float]:
    """Return the exact expected winnings of every decision on a hand, per unit of its stake, with best play afterwards.

    Cards are values 1 to 10, the ace 1; `gone` are further removed cards. With a peek the values are those after it,
    and the value of a decision before it (early surrender) is adjusted to compare with them. A hand of a split,
    `is_split`, begins with its card of the pair; `splits_left` is how often it may be split again.
    """
    options, hands, composition = Options(rules), hand_table(), DeckComposition(rules.decks)
    out = np.bincount([value - 1 for value in gone], minlength=VALUES)
    held = np.bincount([value - 1 for value in values], minlength=VALUES)
    row, column = hands.row_of[tuple(int(count) for count in held)], upcard - 1
    grown = np.flatnonzero((hands.counts >= held).all(axis=1))
    base = hand_context(options, composition, grown, out)
    allowed = Allowed.split(options, values[0] - 1) if is_split else Allowed.unsplit(options)
    play = play_best(options, allowed, base)
    names = {Decision.STAND: Advice.STAND, Decision.HIT: Advice.HIT}
    names |= {Decision.DOUBLE: Advice.DOUBLE, Decision.SURRENDER: Advice.SURRENDER}
    worth = {advice: float(play.decisions[decision, row, column]) for decision, advice in names.items()}
    if len(values) == 2 and values[0] == values[1]:
        splits = options.splits(values[0] - 1)
        splits = splits if splits_left is None else min(splits, splits_left)
        if splits > 0:
            split = split_values(options, composition, values[0] - 1, gone=out)
            worth[Advice.SPLIT] = float(split.by_limit[:splits, column].max())
    given = float(base.no_natural[row, column]) if rules.dealer_peek else 1.0
    return {advice: value / given for advice, value in worth.items() if np.isfinite(value)}


@dataclass(frozen=True, slots=True)
class QuestionValues:
    """The expected winnings of each answer to the question before the peek, per unit of the stake, with best play
    afterwards."""

    decline: float
    insure: float
    """Half of the stake is insured."""
    surrender: float


def question_values(rules: BlackjackRules, values: Sequence[int], upcard: int) -> QuestionValues:
    """Return the values of the answers on the first two cards. Before the peek a natural of the dealer is possible."""
    options, composition = Options(rules), DeckComposition(rules.decks)
    seen = np.bincount([value - 1 for value in (*values, upcard)], minlength=VALUES)
    natural = float(composition.draw_probabilities(seen)[TEN if upcard - 1 == ACE else ACE])
    if sorted(values) == [ACE + 1, TEN + 1]:
        decline = options.sign * float(rules.blackjack_pays) * (1.0 - natural)
    else:
        decided = decision_values(rules, values, upcard)
        best = max(
            value
            for advice, value in decided.items()
            if advice is not Advice.SURRENDER or not options.surrenders_early(upcard - 1)
        )
        decline = best * (1.0 - natural) - options.sign * natural if rules.dealer_peek else best
    insured = options.sign * 0.5 * (3.0 * natural - 1.0)
    return QuestionValues(decline, decline + insured, -0.5 * options.sign)
