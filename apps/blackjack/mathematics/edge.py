"""The house edge and the chart of a rule set: computed once, then read from disk.

`figures.json` beside this file has the figures of the shipped rule sets. Others are computed in some seconds and cached
in the caller's directory.
"""

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Final, Self

from apps.blackjack.engine.rules import BlackjackRules
from apps.blackjack.mathematics.basic import basic_strategy
from apps.blackjack.mathematics.chart import Chart
from apps.blackjack.mathematics.options import Options
from apps.blackjack.mathematics.round_value import solve
from apps.blackjack.mathematics.simulator import simulate
from apps.core.edge_rounding import edge_pct

VERSION: Final = 1
"""The version of the calculation. Figures of another version are computed again."""

SHIPPED_ROUNDS: Final = 20_000_000
"""Rounds behind a shipped deviation: its fourth digit is sure."""
COMPUTED_ROUNDS: Final = 1_000_000
"""Rounds behind a deviation that the worker computes beside an edge: three digits, in half a second."""
SEED: Final = 20

FIGURES: Final = Path(__file__).with_name("figures.json")


@dataclass(frozen=True, slots=True)
class Edge:
    """The figures of one rule set as fractions of the first stake; negative if they favour the player."""

    rules: BlackjackRules
    house_edge: float
    """The edge against the best play by the cards of the hand and the upcard."""
    chart_edge: float
    """The edge against a player who follows the chart."""
    chart: Chart
    deviation: float | None = None
    """The standard deviation per unit staked, of a player who follows the chart; None if it was not simulated."""

    @property
    def house_edge_pct(self) -> Decimal:
        """The house edge in percent of the first stake, six decimals."""
        return edge_pct(Fraction(self.house_edge))

    @property
    def chart_edge_pct(self) -> Decimal:
        """The edge against the chart in percent of the first stake, six decimals."""
        return edge_pct(Fraction(self.chart_edge))

    @property
    def favours_player(self) -> bool:
        """Whether the best play wins money in the long run."""
        return self.house_edge <= 0.0

    def to_json(self) -> dict[str, object]:
        """Return the figures as JSON values; floats keep their exact values."""
        return {
            "version": VERSION,
            "rules": self.rules.to_json(),
            "house_edge": self.house_edge,
            "chart_edge": self.chart_edge,
            "chart": self.chart.to_json(),
            "deviation": self.deviation,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, object]) -> Self:
        """Return the figures that `to_json` wrote. Raises ValueError, KeyError or TypeError for anything else."""
        rules, house_edge, chart_edge, chart = (data[key] for key in ("rules", "house_edge", "chart_edge", "chart"))
        if data["version"] != VERSION or not isinstance(rules, dict) or not isinstance(chart, dict):
            raise ValueError("not the figures of this version")
        if not isinstance(house_edge, float) or not isinstance(chart_edge, float):
            raise TypeError("an edge is a number")
        deviation = data.get("deviation")
        if deviation is not None and not isinstance(deviation, float):
            raise TypeError("a deviation is a number")
        return cls(BlackjackRules.from_json(rules), house_edge, chart_edge, Chart.from_json(chart), deviation)


def house_edge(rules: BlackjackRules, *, cache_dir: Path | None = None) -> Edge:
    """Return the figures of `rules`: the shipped ones, else those in `cache_dir`, else computed ones, which are stored
    there.

    A calculation takes some seconds of one core (docs/blackjack-mathematics.md).
    """
    known = edge_known(rules, cache_dir=cache_dir)
    if known is not None:
        return known
    edge = edge_compute(rules)
    if cache_dir is not None:
        _keep(edge, cache_dir)
    return edge


def edge_known(rules: BlackjackRules, *, cache_dir: Path | None = None) -> Edge | None:
    """Return the figures of `rules` if they need no calculation, else None."""
    shipped = _shipped().get(rules.fingerprint())
    if shipped is not None:
        return Edge.from_json(shipped)
    if cache_dir is None:
        return None
    try:
        edge = Edge.from_json(json.loads(_path(rules, cache_dir).read_text("ascii")))
    except (OSError, ValueError, KeyError, TypeError):
        # The file is missing, of another version, or damaged. In each case the figures are computed again.
        return None
    return edge if edge.rules == rules else None


def edge_compute(rules: BlackjackRules) -> Edge:
    """Compute the figures of `rules`, even if they are shipped or cached."""
    options = Options(rules)
    solution = solve(options)
    basic = basic_strategy(options, solution)
    return Edge(rules, -solution.expected_value, -basic.expected_value, basic.chart)


def deviation_simulated(edge: Edge, *, rounds: int = SHIPPED_ROUNDS) -> float:
    """Return the standard deviation per unit staked, by a simulation of the edge's chart; five decimals."""
    return round(simulate(edge.rules, edge.chart, rounds=rounds, seed=SEED).unit_deviation, 5)


def figures_text(edges: Iterable[Edge]) -> str:
    """Return the text of `figures.json` for these figures."""
    return json.dumps({edge.rules.fingerprint(): edge.to_json() for edge in edges}, indent=1) + "\n"


@cache
def _shipped() -> dict[str, dict[str, object]]:
    figures: dict[str, dict[str, object]] = json.loads(FIGURES.read_text("ascii"))
    return {key: data for key, data in figures.items() if data["version"] == VERSION}


def _path(rules: BlackjackRules, cache_dir: Path) -> Path:
    return cache_dir / f"blackjack-{rules.fingerprint()}.json"


def _keep(edge: Edge, cache_dir: Path) -> None:
    """Write the figures in one step, so that a reader sees all of them or none."""
    cache_dir.mkdir(parents=True, exist_ok=True)
    path = _path(edge.rules, cache_dir)
    part = path.with_suffix(f".{os.getpid()}.part")
    part.write_text(json.dumps(edge.to_json()) + "\n", "ascii")
    part.replace(path)
