"""`manage.py house_edge`, without a database."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from apps.blackjack.engine.rules import TABLE_RULES
from apps.blackjack.mathematics.chart import chart_text
from apps.blackjack.mathematics.documented import COMMON
from apps.blackjack.mathematics.edge import house_edge

DOCS = Path(__file__).parents[2] / "docs"


def run(*arguments: str, cache_dir: Path) -> str:
    out = StringIO()
    call_command("house_edge", *arguments, cache_dir=cache_dir, stdout=out, stderr=StringIO())
    return out.getvalue()


def test_figures_of_shipped_rules_are_read_from_the_file(tmp_path: Path) -> None:
    text = run("--rules", "decks=6", "surrender=off", "split_non_ace=3", "hit_split_ace=false", cache_dir=tmp_path)
    assert "House edge:        0.402864 %" in text
    assert list(tmp_path.iterdir()) == []


def test_rules_that_favour_the_player_are_named_as_such(tmp_path: Path) -> None:
    text = run("--base", "terminal", cache_dir=tmp_path)
    assert "-0.156230 %" in text
    assert "takes money from the house" in text


def test_figures_of_other_rules_are_computed_once_and_cached(tmp_path: Path) -> None:
    first = run("--rules", "decks=2", "simple=true", "--json", cache_dir=tmp_path)
    (kept,) = tmp_path.iterdir()
    assert json.loads(kept.read_text()) == json.loads(first)
    assert run("--rules", "decks=2,simple=true", "--json", cache_dir=tmp_path) == first
    assert run("--rules", "decks=2,simple=true", "--json", "--fresh", cache_dir=tmp_path) == first


def test_chart_as_text_and_as_a_picture(tmp_path: Path) -> None:
    picture = tmp_path / "chart.svg"
    text = run("--base", "table", "--chart", "--svg", str(picture), cache_dir=tmp_path / "cache")
    assert "Soft totals" in text
    assert "dealer_hits_soft_17=true" in picture.read_text()


def test_unknown_options_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no such option: deck"):
        run("--rules", "deck=6", cache_dir=tmp_path)


def test_the_documentation_has_the_computed_figures(tmp_path: Path) -> None:
    table = run("--documented", cache_dir=tmp_path)
    assert all(f"| {name} |" in table for name in COMMON)
    page = (DOCS / "blackjack-mathematics.md").read_text()
    assert table.strip() in page
    assert chart_text(house_edge(TABLE_RULES).chart) in page


def test_the_documented_picture_is_the_drawn_one(tmp_path: Path) -> None:
    picture = tmp_path / "chart.svg"
    run("--base", "table", "--svg", str(picture), cache_dir=tmp_path / "cache")
    assert picture.read_text() == (DOCS / "blackjack-chart.svg").read_text()
