"""Collects the texts of players' pages that can be translated, from Python files and templates."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_python
from django.utils.translation import templatize

from casino.messages.data_texts import data_texts

PYTHON_FOLDERS: Final = ("apps", "casino")
TEMPLATE_FOLDERS: Final = ("templates", *("apps/*/templates",))
NOT_FOR_PLAYERS: Final = ("apps/office/", "templates/office/", "templates/admin/", "templates/unfold/")
"""The back office is in English."""

COMMENT: Final = "Translators:"
"""The beginning of a comment in the code that translators see."""

MARKS: Final = (
    "_",
    "gettext",
    "gettext_lazy",
    "gettext_noop",
    "ngettext",
    "ngettext_lazy",
    "pgettext",
    "pgettext_lazy",
)
"""The functions that mark a text. Within an f-string they are not found."""
_LITERAL: Final = r"""u?('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
_CALL: Final = re.compile(rf"\b(_|p?gettext|ngettext)\(\s*{_LITERAL}(?:\s*,\s*{_LITERAL})?", re.DOTALL)
"""A call in the text that Django's `templatize` makes of a template."""


def texts_of(checkout: Path) -> Catalog:
    """Return a catalogue of all texts, without translations, with the files that have them."""
    found = Catalog(project="Punto", charset="utf-8")
    for path in _files(checkout, PYTHON_FOLDERS, "**/*.py"):
        name = path.relative_to(checkout).as_posix()
        with path.open("rb") as file:
            # Babel's annotation has another order of the members.
            calls: Iterator[Any] = iter(extract_python(file, dict.fromkeys(MARKS), [COMMENT], {}))
            for _line, function, message, comments in calls:
                _add(found, function, message, name, comments)
    for path in _files(checkout, TEMPLATE_FOLDERS, "**/*.html", "**/*.txt"):
        name = path.relative_to(checkout).as_posix()
        for function, message in template_texts(path.read_text()):
            _add(found, function, message, name, [])
    for text in data_texts():
        _add(found, "gettext", text, "casino/messages/data_texts.py", [])
    return found


def template_texts(source: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Return the function and the literals of each text of a template."""
    for call in _CALL.finditer(templatize(source)):
        function, *literals = call.groups()
        yield function, tuple(ast.literal_eval(literal) for literal in literals if literal)


def _files(checkout: Path, folders: tuple[str, ...], *patterns: str) -> list[Path]:
    found = {
        path
        for name in folders
        for folder in checkout.glob(name)
        for pattern in patterns
        for path in folder.glob(pattern)
        if not path.relative_to(checkout).as_posix().startswith(NOT_FOR_PLAYERS)
    }
    return sorted(found)


def _add(
    found: Catalog, function: str, message: str | tuple[str | None, ...] | None, name: str, comments: list[str]
) -> None:
    texts = [text for text in ((message,) if isinstance(message, str) else message or ()) if text]
    if not texts:
        return  # A variable: its texts are marked where they are written.
    place = [(name, 0)]
    match function.removesuffix("_lazy").removesuffix("_noop"):
        case "pgettext":
            found.add(texts[1], context=texts[0], locations=place, auto_comments=comments)
        case "ngettext":
            found.add((texts[0], texts[1]), locations=place, auto_comments=comments)
        case _:
            found.add(texts[0], locations=place, auto_comments=comments)
