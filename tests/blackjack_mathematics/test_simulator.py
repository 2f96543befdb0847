"""Random rounds by a second implementation of the rules, against the exact figures."""

import pytest

from apps.blackjack.engine.rules import SOLO_RULES, BlackjackRules, DoubleOn, Surrender
from apps.blackjack.mathematics.documented import shipped_rules
from apps.blackjack.mathematics.edge import edge_compute, edge_known
from apps.blackjack.mathematics.simulator import Simulation, simulate
from tests.support.long_form import IS_LONG

ROUNDS = 500_000
EARLY_SURRENDER = pytest.param(
    BlackjackRules(
        decks=1,
        dealer_peek=False,
        surrender=Surrender.EARLY,
        surrender_after_hit=True,
        surrender_after_split=True,
        double=DoubleOn.NINE_TO_ELEVEN,
    ),
    id="no-peek-early-surrender-at-any-time",
)
"""Rules that take a second to solve."""


@pytest.mark.parametrize("rules", shipped_rules() if IS_LONG else shipped_rules()[::3])
def test_shipped_charts_earn_what_was_computed(rules: BlackjackRules) -> None:
    edge = edge_known(rules)
    assert edge is not None
    seen = simulate(rules, edge.chart, rounds=ROUNDS, seed=1)
    assert seen.rounds == ROUNDS
    assert within(seen, -edge.chart_edge)
    # A figure that is wrong by one percent of the stake is noticed.
    assert not within(seen, -edge.chart_edge + 0.01)
    assert edge.deviation == pytest.approx(seen.unit_deviation, abs=0.005)


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param(BlackjackRules(decks=2, inverted=True, split_non_ace=0, split_ace=0), id="inverted"),
        *([EARLY_SURRENDER] if IS_LONG else []),
    ],
)
def test_uncommon_rules_earn_what_was_computed(rules: BlackjackRules) -> None:
    edge = edge_compute(rules)
    seen = simulate(rules, edge.chart, rounds=ROUNDS, seed=2)
    assert within(seen, -edge.chart_edge)


def test_the_same_seed_plays_the_same_rounds() -> None:
    edge = edge_known(SOLO_RULES)
    assert edge is not None
    one, same, other = (simulate(SOLO_RULES, edge.chart, rounds=20_000, seed=seed) for seed in (5, 5, 6))
    assert one == same
    assert one != other


def within(seen: Simulation, expected: float) -> bool:
    return abs(seen.mean - expected) <= 3 * seen.standard_error
