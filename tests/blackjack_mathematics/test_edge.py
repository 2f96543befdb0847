"""Published house edges, shipped figures against computed ones, and the cache on disk."""

import json
from decimal import Decimal
from functools import cache
from pathlib import Path

import pytest

from apps.blackjack.engine.rules import SOLO_RULES, TABLE_RULES, TERMINAL_RULES, BlackjackRules, rules_from_text
from apps.blackjack.mathematics.documented import documented_rules, shipped_rules
from apps.blackjack.mathematics.edge import Edge, edge_compute, edge_known, figures_text, house_edge
from apps.blackjack.mathematics.options import Options
from apps.blackjack.mathematics.round_value import solve
from tests.support.long_form import IS_LONG

USUAL = "surrender=off split_non_ace=3 hit_split_ace=false"
PUBLISHED_PCT = {
    "6 decks, S17, DAS": 0.403115,
    "6 decks, H17, DAS, late surrender": 0.527409,
    "1 deck, H17, no DAS": 0.151762,
    "6 decks, S17, no DAS, split to two hands": 0.578785,
}
TOLERANCE_PCT = 0.005
SMALL = BlackjackRules(decks=2, simple=True, dealer_hits_soft_17=True)
"""Solved in a fraction of a second."""
"""Every figure is computed again, which takes minutes."""

RECOMPUTED = shipped_rules() if IS_LONG else [TERMINAL_RULES, documented_rules()["6 decks, S17, hit and stand alone"]]
SOLVED_PCT = [
    ("decks=6 double_after_split=false surrender=off hit_split_ace=false", 0.578785),
    *(
        [
            (f"decks=1 dealer_hits_soft_17=true double_after_split=false {USUAL}", 0.151762),
            # The default options with one deck.
            ("decks=1 dealer_hits_soft_17=true surrender=off split_non_ace=3", -0.13),
            (f"decks=6 {USUAL}", 0.403115),
            (f"decks=8 {USUAL}", 0.43),
            ("decks=6 surrender=early split_non_ace=3 hit_split_ace=false", -0.224),
        ]
        if IS_LONG
        else []
    ),
]


def solved_pct(options: str) -> float:
    rules = rules_from_text(options.split(), base=SOLO_RULES)
    return -100 * solve(Options(rules)).expected_value


@pytest.mark.parametrize("name", PUBLISHED_PCT)
def test_shipped_figures_equal_the_published_ones(name: str) -> None:
    edge = edge_known(documented_rules()[name])
    assert edge is not None
    assert 100 * edge.house_edge == pytest.approx(PUBLISHED_PCT[name], abs=TOLERANCE_PCT)


def test_the_edge_of_an_infinite_deck_is_the_published_one_by_the_chart_and_exactly() -> None:
    edge = edge_known(documented_rules()["infinite deck, S17, DAS"])
    assert edge is not None
    assert 100 * edge.chart_edge == pytest.approx(0.511734, abs=0.000001)
    # In an infinite deck a hand's cards matter by their total alone.
    assert edge.chart_edge == pytest.approx(edge.house_edge, abs=1e-12)


@pytest.mark.parametrize(("options", "published_pct"), SOLVED_PCT)
def test_published_edges_are_computed(options: str, published_pct: float) -> None:
    assert solved_pct(options) == pytest.approx(published_pct, abs=TOLERANCE_PCT)


@pytest.mark.parametrize("rules", RECOMPUTED)
def test_shipped_figures_are_the_computed_ones(rules: BlackjackRules) -> None:
    assert_same(edge_known(rules), edge_compute(rules))


def assert_same(shipped: Edge | None, computed: Edge) -> None:
    assert shipped is not None
    assert shipped.house_edge == pytest.approx(computed.house_edge, abs=1e-10)
    assert shipped.chart_edge == pytest.approx(computed.chart_edge, abs=1e-10)
    assert shipped.chart == computed.chart


@pytest.mark.parametrize("rules", shipped_rules())
def test_no_chart_beats_the_best_play(rules: BlackjackRules) -> None:
    edge = edge_known(rules)
    assert edge is not None
    assert edge.rules == rules
    assert edge.house_edge <= edge.chart_edge + 1e-12


def test_default_rules_favour_the_house_except_in_the_terminal_game() -> None:
    assert not house_edge(SOLO_RULES).favours_player
    assert not house_edge(TABLE_RULES).favours_player
    assert house_edge(TERMINAL_RULES).favours_player
    assert house_edge(SOLO_RULES).house_edge_pct == Decimal("0.220112")


UNSPLIT = {"decks": "8", "surrender": "off", "split_non_ace": "0", "split_ace": "0"}


@pytest.mark.parametrize(
    "option", ["dealer_hits_soft_17=true", "dealer_peek=false", "double=9-11", "blackjack_pays=6:5"]
)
def test_restrictive_options_raise_the_edge(option: str) -> None:
    assert unsplit_pct(option) > unsplit_pct() + 0.04


@pytest.mark.parametrize("option", ["decks=2", "surrender=late", "surrender=early-not-ace", "surrender=early"])
def test_generous_options_lower_the_edge(option: str) -> None:
    assert unsplit_pct(option) < unsplit_pct() - 0.04


def test_earlier_surrender_lowers_the_edge_further() -> None:
    late, not_ace, early = (unsplit_pct(f"surrender={when}") for when in ("late", "early-not-ace", "early"))
    assert early < not_ace - 0.04 < late - 0.08


@cache
def unsplit_pct(option: str = "surrender=off") -> float:
    name, _, value = option.partition("=")
    return solved_pct(" ".join(f"{key}={text}" for key, text in (UNSPLIT | {name: value}).items()))


def test_a_computed_figure_is_cached_and_read_back(tmp_path: Path) -> None:
    cache_dir = tmp_path / "figures"
    assert edge_known(SMALL, cache_dir=cache_dir) is None
    computed = house_edge(SMALL, cache_dir=cache_dir)
    assert edge_known(SMALL, cache_dir=cache_dir) == computed
    (path,) = cache_dir.iterdir()
    assert SMALL.fingerprint() in path.name
    path.write_text("{")
    assert edge_known(SMALL, cache_dir=cache_dir) is None
    assert house_edge(SMALL, cache_dir=cache_dir) == computed
    assert edge_known(SMALL, cache_dir=cache_dir) == computed


@pytest.mark.parametrize(
    "change", [{"version": 0}, {"rules": SOLO_RULES.to_json()}, {"house_edge": "0"}, {"chart": {}}]
)
def test_a_figure_of_another_version_or_rule_set_is_not_read(tmp_path: Path, change: dict[str, object]) -> None:
    data = house_edge(SOLO_RULES).to_json() | {"rules": SMALL.to_json()}
    path = tmp_path / f"blackjack-{SMALL.fingerprint()}.json"
    path.write_text(json.dumps(data))
    assert edge_known(SMALL, cache_dir=tmp_path) is not None
    path.write_text(json.dumps(data | change))
    assert edge_known(SMALL, cache_dir=tmp_path) is None


def test_the_shipped_file_is_written_as_it_is_read() -> None:
    edge = house_edge(SOLO_RULES)
    data = json.loads(figures_text([edge]))
    assert Edge.from_json(data[SOLO_RULES.fingerprint()]) == edge
