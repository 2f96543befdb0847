"""The OpenAPI document: one schema for each error format, named enums, exact amounts, formats of texts."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from drf_spectacular.generators import SchemaGenerator

from apps.core.openapi import component
from apps.rounds.table_game import TermsError
from apps.tables.registry import table_games

FORMS = {"/api/": "Error", "/v1/games": "WireError", "/v1/player/": "WireError", "/v1/": "Problem"}
FREE_TEXTS = {"message", "detail", "title", "field", "reason", "void_reason", "next_cursor", "result"}
"""Texts for people, or texts that are returned unchanged."""


@pytest.fixture(scope="module")
def document() -> Any:
    return SchemaGenerator().get_schema(request=None, public=True)


def calls(document: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for call in methods.values():
            yield path, call


def nodes(value: Any, name: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every schema within a value with its name."""
    if isinstance(value, dict):
        yield name, value
        for key, member in value.items():
            if key not in {"example", "examples", "description"}:
                yield from nodes(member, key)
    elif isinstance(value, list):
        for member in value:
            yield from nodes(member, name)


def test_each_error_format_is_one_schema(document: Any) -> None:
    for path, call in calls(document):
        form = next(form for start, form in FORMS.items() if path.startswith(start))
        for status, response in call["responses"].items():
            if int(status) >= 400:
                (content,) = response["content"].values()
                assert content["schema"] == {"$ref": f"#/components/schemas/{form}"}, (path, status)


def test_enums_have_names_and_their_numbers_descriptions(document: Any) -> None:
    named = {id(schema) for schema in document["components"]["schemas"].values()}
    for name, schema in nodes(document):
        if "enum" in schema and "type" in schema:
            assert id(schema) in named, name
            if schema["type"] == "integer":
                assert len(schema["x-enum-varnames"]) == len(schema["enum"])


def test_every_number_with_decimals_is_exact(document: Any) -> None:
    numbers = [schema for _, schema in nodes(document) if schema.get("type") == "number"]
    assert numbers
    assert {schema.get("format") for schema in numbers} == {"decimal"}


def test_every_text_has_a_format(document: Any) -> None:
    forms = {"format", "pattern", "enum", "const", "maxLength"}
    open_texts = {
        name
        for name, schema in nodes(document)
        if "string" in (schema.get("type") or ()) and not forms & schema.keys() and name not in FREE_TEXTS
    }
    assert open_texts <= {"additionalProperties", "items"}


def test_every_list_of_odds_has_the_number_of_rows_that_is_saved_at_once(document: Any) -> None:
    lists = [
        call["requestBody"]["content"]["application/json"]["schema"]
        for path, call in calls(document)
        if path.endswith("_odds_config") and "requestBody" in call
    ]
    assert lists
    assert {(rows["type"], rows["minItems"], rows["maxItems"]) for rows in lists} == {("array", 1, 100)}


def test_a_list_that_may_not_be_empty_has_one_row_at_least(document: Any) -> None:
    schemas = document["components"]["schemas"]
    assert schemas["GameConfigsInput"]["properties"]["data"]["minItems"] == 1
    assert "minItems" not in schemas["PlayerOutput"]["properties"]["wallets"]


def is_possible(member: str, number: int) -> bool:
    """Return whether a room of any game may have this number of seats or seconds."""
    option, factor = {
        "seats": ("seats", 1),
        "windowSeconds": ("window_ms", 1000),
        "turnSeconds": ("turn_ms", 1000),
        "pauseSeconds": ("pause_ms", 1000),
    }[member]
    given: dict[str, Any] = {option: number * factor}
    for game in table_games().values():
        with suppress(TermsError):
            game.terms_read(is_points=True, decimals=0, contribution_required=False, **given)
            return True
    return False


@pytest.mark.parametrize("member", ["seats", "windowSeconds", "turnSeconds", "pauseSeconds"])
def test_a_room_s_seats_and_seconds_have_the_bounds_that_hold(document: Any, member: str) -> None:
    schema = document["components"]["schemas"]["RoomInput"]["properties"][member]
    least, most = schema["minimum"], schema["maximum"]
    assert [number for number in range(-2, most + 50) if is_possible(member, number)] == list(range(least, most + 1))


def test_a_second_schema_of_one_name_is_refused() -> None:
    with pytest.raises(ValueError, match="another Amount"):
        component("Amount", {"type": "string"})
