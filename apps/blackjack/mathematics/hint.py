"""The decision of basic strategy, and the value of every decision, for one hand. Pure."""

from collections.abc import Collection, Sequence
from enum import Enum
from pathlib import Path

import numpy as np

from apps.blackjack.engine.rules import BlackjackRules
from apps.blackjack.mathematics.chart import Chart
from apps.blackjack.mathematics.deck_composition import DeckComposition
from apps.blackjack.mathematics.edge import house_edge
from apps.blackjack.mathematics.hands import VALUES, hand_table
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
    rules: BlackjackRules, values: Sequence[int], upcard: int, *, gone: Sequence[int] = ()
) -> dict[Advice, float]:
    """Return the exact expected winnings of every decision on an unsplit hand, per unit of its stake, with best play
    afterwards.

    Cards are values 1 to 10, the ace 1; `gone` are further removed cards. With a peek the values are those after it,
    and the value of a decision before it (early surrender) is adjusted to compare with them.
    """
    options, hands, composition = Options(rules), hand_table(), DeckComposition(rules.decks)
    out = np.bincount([value - 1 for value in gone], minlength=VALUES)
    held = np.bincount([value - 1 for value in values], minlength=VALUES)
    row, column = hands.row_of[tuple(int(count) for count in held)], upcard - 1
    grown = np.flatnonzero((hands.counts >= held).all(axis=1))
    base = hand_context(options, composition, grown, out)
    play = play_best(options, Allowed.unsplit(options), base)
    names = {Decision.STAND: Advice.STAND, Decision.HIT: Advice.HIT}
    names |= {Decision.DOUBLE: Advice.DOUBLE, Decision.SURRENDER: Advice.SURRENDER}
    worth = {advice: float(play.decisions[decision, row, column]) for decision, advice in names.items()}
    if len(values) == 2 and values[0] == values[1] and options.splits(values[0] - 1):
        split = split_values(options, composition, values[0] - 1, gone=out)
        worth[Advice.SPLIT] = float(split.best[column])
    given = float(base.no_natural[row, column]) if rules.dealer_peek else 1.0
    return {advice: value / given for advice, value in worth.items() if np.isfinite(value)}
