"""Each refusal that a player's page can meet has a sentence for players."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.utils import translation

from apps.portal.words import words
from apps.rounds.documents import asyncapi_document
from apps.tables import errors
from apps.tables.messages import GameErrorCode, ProtocolErrorCode

PLAYER_PATHS = re.compile(r"/api/game/\w+/bet|/api/(?:auth/token|lobby|rooms)")
"""The paths that scripts of players' pages call over HTTP. They also use the sockets."""


def codes_in(part: Any) -> Iterator[str]:
    """Yield the values of the member `code` in a document: in examples, and in schemas as `enum` or `const`."""
    if isinstance(part, list):
        for each in part:
            yield from codes_in(each)
    if not isinstance(part, dict):
        return
    for name, value in part.items():
        if name == "code" and isinstance(value, str):
            yield value
        elif name == "code" and isinstance(value, dict):
            yield from value.get("enum", [])
            yield from [value["const"]] if "const" in value else []
        yield from codes_in(value)


@pytest.mark.django_db
def test_each_code_of_the_documents_has_a_sentence_for_players(client: Client) -> None:
    schema = json.loads(client.get("/api/schema/?format=json", headers={"Accept": "application/json"}).content)
    paths = {path: call for path, call in schema["paths"].items() if PLAYER_PATHS.match(path)}
    assert len(paths) > 5
    found = {
        *codes_in(paths),
        *codes_in(asyncapi_document()),
        *(error.code for error in vars(errors).values() if isinstance(error, type) and hasattr(error, "code")),
        *(code.value for enum in (ProtocolErrorCode, GameErrorCode) for code in enum),
    }
    assert {"INSUFFICIENT_FUNDS", "INVALID_NEXT_ACTION", "TABLE_FULL", "BETTING_WINDOW_CLOSED"} <= found
    assert found - codes_with_a_sentence("live") == set()
    bets = {path: call for path, call in paths.items() if path.startswith("/api/game/")}
    of_one_player = {*codes_in(bets), *codes_in(asyncapi_document())}
    assert len(of_one_player) > 15
    assert of_one_player - codes_with_a_sentence("table") == set()
    assert "TABLE_FULL" not in codes_with_a_sentence("table")  # each page has the sentences that it may need


def codes_with_a_sentence(page: str) -> set[str]:
    return {name.removeprefix("refused-") for name in words(page) if name.startswith("refused-")}


def test_no_sentence_of_a_refusal_is_the_english_one_in_another_language() -> None:
    def sentences(language: str) -> dict[str, str]:
        with translation.override(language):
            return {name: text for name, text in words("live").items() if name.startswith("refused-")}

    english = sentences("en")
    assert len(english) > 40
    for language in ("de", "es", "fr", "ja", "pt"):
        assert [name for name, text in sentences(language).items() if text == english[name]] == []
