"""Each text of a player's page has a finished translation in each language."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from django.conf import settings
from django.template.base import Lexer, TokenType
from django.utils import translation
from django.utils.translation import gettext

from apps.portal.words import PAGES, words
from casino.messages.catalogues import (
    LANGUAGES,
    catalogue_read,
    compiled,
    library_corrections,
    library_paths,
    missing_texts,
    po_path,
)
from casino.messages.extract import MARKS, texts_of

ROOT = Path(__file__).resolve().parents[2]

# All of them in one worker of pytest, since each worker would collect the texts of the code.
pytestmark = pytest.mark.xdist_group("translations")

NAMES = {"21+3", "Perfect Pairs", "Blackjack", "Blackjack!", "blackjack", "Dragon 7", "Panda 8", "Super 6", "Punto"}
"""Names of games and side bets that are the same in every language."""
SAME_WORDS = {
    "de": {
        "Browser",
        "Commitment",
        "Dealer",
        "Decks",
        "Fair",
        "Fairness",
        "Filter",
        "Flush",
        "Hand {number}",
        "Lobby",
        "Nonce",
        "Normal",
        "Seeds",
        "Tiger",
    },
    "es": {"Normal", "no"},
    "fr": {"Dragon", "Normal", "Points", "six"},
    "ja": set(),
    "pt": {"Dealer", "Email", "Normal"},
}
"""Words that a language shares with English."""

MARKED = ("blocktranslate", "comment")
ATTRIBUTE_BLOCKS = [["block", name] for name in ("main_class", "state_url", "table_class", "table_data")]
"""Blocks within a tag, whose text no reader sees."""
ENDS = ("endblocktranslate", "endcomment", "endblock")
CODE = {"0123456789abcdef" * 4, "punto, 0", "H3 D7 S10 D9 D7 S8 H7 S1 CK H3"}
"""The example of "How to check us"."""
_PLACE = re.compile(r"%\(\w+\)s|%%|\{\w+\}|</?[a-z]+[^>]*>")
_TAG = re.compile(r"<!--.*?-->|<(?:code|kbd|script|title)\b.*?</(?:code|kbd|script|title)>|<[^>]*>", re.DOTALL)
_ATTRIBUTE = re.compile(r'\s(?:aria-label|title|placeholder|alt|data-label)="([^"]*)"')
_WORD = re.compile(r"[A-Za-z]{2,}")
_ENTITY = re.compile(r"&[a-z]+;|id=\"example-commitment\">[0-9a-f]+")


@cache
def texts() -> Catalog:
    return texts_of(ROOT)


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_text_of_the_code_is_translated(language: str) -> None:
    assert len(texts()) > 200
    assert missing_texts(ROOT, language, texts()) == []


def test_no_text_is_marked_within_an_f_string() -> None:
    """The collector reads tokens, and an f-string is one: a call in it gets into no catalogue."""
    found = [
        f"{path.relative_to(ROOT)}:{call.lineno}"
        for path in sorted(ROOT.glob("apps/**/*.py"))
        if "gettext" in (source := path.read_text())
        for text in ast.walk(ast.parse(source))
        if isinstance(text, ast.JoinedStr)
        for call in ast.walk(text)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in MARKS
    ]
    assert found == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_catalogue_has_no_text_that_the_code_has_not(language: str) -> None:
    catalogue = catalogue_read(po_path(ROOT, language))
    assert {(m.id, m.context) for m in catalogue if m.id} == {(m.id, m.context) for m in texts() if m.id}
    assert not catalogue.obsolete


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translation_has_the_places_and_tags_of_its_text(language: str) -> None:
    wrong = []
    for message in catalogue_read(po_path(ROOT, language)):
        plural = message.id[-1] if isinstance(message.id, tuple) else message.id
        last = message.string[-1] if isinstance(message.string, tuple) else message.string
        if message.id and sorted(_PLACE.findall(plural)) != sorted(_PLACE.findall(last)):
            wrong.append(message.id)
    assert wrong == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_translation_is_the_english_text(language: str) -> None:
    same = {
        message.id
        for message in catalogue_read(po_path(ROOT, language))
        if message.id and message.id == message.string and _WORD.search(_PLACE.sub("", message.id))
    }
    assert same - NAMES == SAME_WORDS[language]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_compiled_catalogue_is_the_one_of_the_texts(language: str) -> None:
    path = po_path(ROOT, language)
    assert path.with_suffix(".mo").read_bytes() == compiled(catalogue_read(path))


def test_scripts_join_texts_with_the_commas_of_the_language() -> None:
    scripts = [*ROOT.glob("static/*/js/**/*.js"), *ROOT.glob("apps/*/static/**/*.js")]
    assert len(scripts) > 100
    found = {path.name for path in scripts if re.search(r"""join\(["'][,;] ["']\)""", path.read_text())}
    assert found == {"frame.js"}  # its message is for the developer of the surrounding page


def test_no_sentence_of_a_script_has_a_plural_after_a_number() -> None:
    """A script has one form of each sentence, which must be right for one round as well."""
    said = {text for page in PAGES for text in words(page).values()}
    assert {text for text in said if re.search(r"(?<!All )\{count\} \w+s\b", text)} == set()


def test_every_language_of_the_settings_has_a_catalogue() -> None:
    assert {code for code, _ in settings.LANGUAGES} == {"en", *LANGUAGES}


def test_portuguese_has_the_texts_of_the_locked_django_allauth() -> None:
    theirs, ours = library_paths(ROOT)
    assert ours.read_bytes() == theirs.read_bytes()


def test_english_texts_write_email_as_the_libraries_do() -> None:
    """A page has texts of both."""
    written = [str(message.id) for message in [*texts(), *library_texts()]]
    assert any("email" in text for text in written)
    assert [text for text in written if "e-mail" in text.lower()] == []


def library_texts() -> list[Message]:
    """Return django-allauth's German texts, without those about log-ins of other sites, which we do not offer."""
    theirs = library_paths(ROOT)[0].parents[2] / "de" / "LC_MESSAGES" / "django.po"
    others = re.compile("socialaccount|idp|openid")
    return [
        message
        for message in catalogue_read(theirs)
        if message.id and not message.fuzzy and not all(others.search(path) for path, _ in message.locations)
    ]


FAMILIAR = {
    "de": r"\b([Dd]u|[Dd]ein\w*|[Dd]ich|[Dd]ir|([Ww]ähle|[Gg]ib|[Bb]estätige|[Vv]ersuche|[Kk]ontaktiere)(?! Sie))\b",
    "es": r"\b([Tt]us?|[Tt]e|[Tt]i|[Tt]ienes|[Pp]uedes|[Ee]stás|[Hh]as|[Tt]en|[Vv]ete|[Ii]ntroduce|[Uu]tiliza)\b",
}
"""Words of a text that addresses a friend, by language."""


@pytest.mark.parametrize("language", FAMILIAR)
def test_django_allauth_addresses_players_as_our_pages_do(language: str) -> None:
    with translation.override(language):
        shown = [gettext(_singular(message)) for message in library_texts()]
    assert [text for text in shown if re.search(FAMILIAR[language], text)] == []


def test_a_corrected_text_is_still_a_text_of_django_allauth_and_is_compiled() -> None:
    known = {message.id for message in library_texts()}
    paths = library_corrections(ROOT)
    assert [path.parts[-3] for path in paths] == ["de", "es", "fr", "ja"]
    for path in paths:
        catalogue = catalogue_read(path)
        assert {message.id for message in catalogue if message.id} <= known
        assert path.with_suffix(".mo").read_bytes() == compiled(catalogue)


def _singular(message: Message) -> str:
    return str(message.id if isinstance(message.id, str) else message.id[0])


def literals(path: Path) -> list[str]:
    """Return the words of a template that are not marked for translation."""
    source, found = [], []
    is_inside = False
    for token in Lexer(path.read_text()).tokenize():
        words = token.contents.split() if token.token_type == TokenType.BLOCK else []
        if words and (words[0] in MARKED or words[:2] in ATTRIBUTE_BLOCKS or words[0] in ENDS):
            is_inside = words[0] not in ENDS
        elif token.token_type == TokenType.TEXT and not is_inside:
            source.append(token.contents)
        else:
            source.append("\N{WHITE SQUARE}")  # stands for a value
    page = _ENTITY.sub("", "".join(source))
    found += _ATTRIBUTE.findall(page)
    found += _TAG.sub("\n", page).splitlines()
    return [text.strip() for text in found if _WORD.search(text)]


def templates() -> list[Path]:
    """Return the templates of players' pages."""
    folders = ("portal", "tables", "allauth", "account", "mfa", "usersessions")
    patterns = ("*.html", *(f"{folder}/**/*.html" for folder in folders))
    shared = [path for pattern in patterns for path in (ROOT / "templates").glob(pattern)]
    return sorted([*shared, *ROOT.glob("apps/*/templates/*/table.html")])


def test_no_word_of_a_template_is_outside_the_machinery() -> None:
    assert len(templates()) > 40
    found = {path.relative_to(ROOT).as_posix(): set(literals(path)) - NAMES - CODE for path in templates()}
    assert {name: words for name, words in found.items() if words} == {}
