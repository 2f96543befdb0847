"""`manage.py house_edge`: the house edge and basic strategy of a blackjack rule set. Needs no database."""

import json
from argparse import ArgumentParser
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from apps.blackjack.engine.rules import SOLO_RULES, BlackjackRules, RulesError, rules_from_text
from apps.blackjack.mathematics.chart import chart_text
from apps.blackjack.mathematics.documented import COMMON, DEFAULTS, documented_rules, shipped_rules
from apps.blackjack.mathematics.edge import (
    FIGURES,
    Edge,
    deviation_simulated,
    edge_compute,
    edge_known,
    figures_text,
    house_edge,
)
from apps.blackjack.mathematics.picture import chart_svg
from apps.blackjack.mathematics.side_bets import insurance_edge
from apps.core.edge_rounding import edge_pct

CACHE_DIR = ".punto/blackjack"


class Command(BaseCommand):
    help = (
        "Print the house edge of a blackjack rule set against the best play, in percent of the first stake. "
        "Rule sets that are not shipped take some seconds the first time, and are then read from the cache."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--rules",
            nargs="*",
            default=[],
            metavar="option=value",
            help="options over --base, such as decks=6 dealer_hits_soft_17=true double=9-11 surrender=off",
        )
        parser.add_argument("--base", choices=sorted(_BASES), default="solo", help="the defaults that --rules changes")
        parser.add_argument("--chart", action="store_true", help="print the basic strategy too")
        parser.add_argument("--svg", type=Path, metavar="FILE", help="write the basic strategy as a picture")
        parser.add_argument("--json", action="store_true", help="print all figures as JSON")
        parser.add_argument("--fresh", action="store_true", help="compute even if the figures are shipped or cached")
        parser.add_argument("--cache-dir", type=Path, metavar="DIR", help=f"folder of the cache; {CACHE_DIR}")
        parser.add_argument(
            "--documented", action="store_true", help="print the table of docs/blackjack-mathematics.md"
        )
        parser.add_argument("--ship", action="store_true", help="compute and write every shipped figure again")

    def handle(self, *_args: Any, **options: Any) -> None:
        cache_dir = options["cache_dir"] or Path(settings.BASE_DIR) / CACHE_DIR
        if options["ship"]:
            edges = map(edge_compute, shipped_rules())
            FIGURES.write_text(
                figures_text(replace(edge, deviation=deviation_simulated(edge)) for edge in edges), "ascii"
            )
            self.stdout.write(f"Written: {FIGURES.name}")
            return
        if options["documented"]:
            self.stdout.write(documented_table(cache_dir))
            return
        try:
            rules = rules_from_text(options["rules"], base=_BASES[options["base"]])
        except RulesError as error:
            raise CommandError(str(error)) from error
        edge = self._edge(rules, cache_dir, fresh=options["fresh"])
        if options["svg"]:
            options["svg"].write_text(chart_svg(edge.chart, f"Basic strategy: {rules_line(rules)}"), "ascii")
        if options["json"]:
            self.stdout.write(json.dumps(edge.to_json(), indent=1))
            return
        self.stdout.write(edge_text(edge))
        if options["chart"]:
            self.stdout.write("\n" + chart_text(edge.chart))

    def _edge(self, rules: BlackjackRules, cache_dir: Path, *, fresh: bool) -> Edge:
        if fresh:
            return edge_compute(rules)
        known = edge_known(rules, cache_dir=cache_dir)
        if known is not None:
            return known
        self.stderr.write("Computing; this takes some seconds.")
        return house_edge(rules, cache_dir=cache_dir)


_BASES = {name.split()[0].removesuffix("s"): rules for name, rules in DEFAULTS.items()}


def rules_line(rules: BlackjackRules) -> str:
    """Return the differences of `rules` from the solo game's defaults, and always the number of decks."""
    usual = SOLO_RULES.to_json()
    parts = [
        f"{name}={str(value).lower()}"
        for name, value in rules.to_json().items()
        if name != "decks" and value != usual[name]
    ]
    return ", ".join([f"decks={'infinite' if rules.is_infinite else rules.decks}", *parts])


def edge_text(edge: Edge) -> str:
    """Return the figures as the lines that the command prints."""
    lines = [
        f"Rules:             {rules_line(edge.rules)}",
        f"House edge:        {edge.house_edge_pct} % of the first stake, against the best play",
        f"Against the chart: {edge.chart_edge_pct} %",
        f"Insurance keeps:   {edge_pct(insurance_edge(edge.rules.decks))} % of its stake",
    ]
    if edge.deviation is not None:
        lines.append(f"Deviation:         {edge.deviation} for each unit staked, by simulation of the chart")
    if edge.favours_player:
        lines.append("The best play takes money from the house.")
    return "\n".join(lines)


def documented_table(cache_dir: Path) -> str:
    """Return the documented rule sets as a Markdown table, with the command for each."""
    lines = [
        "| rule set | house edge % | against the chart % | deviation | command: `manage.py house_edge` and |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name, rules in DEFAULTS.items():
        base = name.split()[0].removesuffix("s")
        lines.append(_table_row(f"defaults of the {name}", house_edge(rules, cache_dir=cache_dir), f"--base {base}"))
    for name, rules in documented_rules().items():
        lines.append(_table_row(name, house_edge(rules, cache_dir=cache_dir), f"--rules {COMMON[name]}"))
    return "\n".join(lines)


def _table_row(name: str, edge: Edge, arguments: str) -> str:
    return f"| {name} | {edge.house_edge_pct} | {edge.chart_edge_pct} | {edge.deviation} | `{arguments}` |"
