"""Rules for scripts, styles and templates, for any set of games."""

import re
from pathlib import Path

from apps.rounds.registry import games

ROOT = Path(__file__).resolve().parents[2]
SHARED = [*(ROOT / "static").rglob("*.js"), *(ROOT / "static" / "portal").rglob("*.css")]


def test_no_shared_script_or_style_names_a_game() -> None:
    assert len(SHARED) > 20
    names = re.compile("|".join(game.slug for game in games()), re.IGNORECASE)
    assert [path.name for path in SHARED if names.search(path.read_text())] == []


def test_each_game_has_its_template_and_scripts_in_its_folder() -> None:
    for game in games():
        app = ROOT / "apps" / game.slug
        needed = [
            app / "templates" / app.name / "table.html",
            app / "static" / app.name / "table.js",
            app / "static" / app.name / "redeal.js",
        ]
        assert [path.name for path in needed if not path.is_file()] == []


def test_nothing_is_inline() -> None:
    pages = [*(ROOT / "templates" / "portal").rglob("*.html"), *ROOT.glob("apps/*/templates/**/*.html")]
    inline = re.compile(r"<style|\sstyle=|\son[a-z]+=|<script(?![^>]*\bsrc=)", re.IGNORECASE)
    assert len(pages) > 15
    assert [path.name for path in pages if inline.search(path.read_text())] == []
