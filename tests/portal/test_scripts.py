"""Rules for scripts, styles and templates, for any set of games."""

import re
from collections import Counter
from hashlib import sha256
from pathlib import Path

import pytest

from apps.portal import script_words
from apps.portal.panel_words import PANEL_WORDS
from apps.portal.words import WORDS, words
from apps.rounds.registry import games

ROOT = Path(__file__).resolve().parents[2]
VENDOR = ROOT / "static" / "vendor"
VENDORED = {
    "uplot/LICENSE": "8f989229699b4fe2f1a0432d0e9edc338a8a911e250e2d1b01ecd770a5f5b1bd",
    "uplot/uPlot.d.ts": "af44374f6e808be4f7f3fa5888b9c7574dca9f8a15a66d54b6763535802c8080",
    "uplot/uPlot.esm.js": "5dd9b3281aa64b461b42d9945f6adb2649d346502b12281a9ae0d46599a80eba",
    "uplot/uPlot.min.css": "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
}
"""The SHA-256 of each file in the published package (docs/dependencies.md)."""
SENTENCES = [script_words.SHARED, script_words.TABLE, script_words.CHECK, script_words.CHECK_PAGES, WORDS, PANEL_WORDS]
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


def test_no_sentence_has_two_names_but_those_of_refusals() -> None:
    named = [each for group in SENTENCES for each in group.items()]
    texts = [str(text) for name, text in named if not name.startswith("refused-")]  # named after their codes
    assert len(texts) > 80
    assert [text for text, count in Counter(texts).items() if count > 1] == []


def test_nothing_is_inline() -> None:
    pages = [*(ROOT / "templates" / "portal").rglob("*.html"), *ROOT.glob("apps/*/templates/**/*.html")]
    inline = re.compile(r"<style|\sstyle=|\son[a-z]+=|<script(?![^>]*\bsrc=)", re.IGNORECASE)
    assert len(pages) > 15
    assert [path.name for path in pages if inline.search(path.read_text())] == []


def test_the_files_of_others_are_as_they_were_published() -> None:
    files = [path for path in VENDOR.rglob("*") if path.is_file()]
    assert {str(path.relative_to(VENDOR)): sha256(path.read_bytes()).hexdigest() for path in files} == VENDORED


TOLD = re.compile(r"(?<!\.)\btell\(\s*(?:[^\"`,]+\? )?\"([\w-]+)\"(?: : \"([\w-]+)\")?")
"""The names of sentences that a script tells, where they are literal."""
AT_LIVE_TABLES = ("table-view.js", "table-deal.js")


def told(path: Path) -> set[str]:
    return {name for names in TOLD.findall(path.read_text()) for name in names if name}


@pytest.mark.parametrize("page", ["table", "live", "live-table"])
def test_a_page_has_each_sentence_that_its_scripts_tell(page: str) -> None:
    shared = ["static/portal/js"] if page == "table" else ["static/portal/js", "static/tables/js"]
    names = {name for folder in shared for path in (ROOT / folder).rglob("*.js") for name in told(path)}
    assert len(names) > 40
    assert names - set(words(page) | words("check")) == set()
    for game in games():
        scripts = list((ROOT / "apps" / game.slug / "static" / game.slug).glob("*.js"))
        here = [path for path in scripts if page != "table" or path.name not in AT_LIVE_TABLES]
        own = {name for path in here for name in told(path)}
        assert own - set(words(page) if page == "live" else words(page, game)) == set(), game.slug
