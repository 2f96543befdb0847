"""A game's served specification: its form, its schemas, and examples that fit them."""

import re
from functools import cache
from typing import Any

import pytest

from apps.rounds.table_game import GameModel
from apps.tables.message_schemas import all_schemas
from apps.tables.registry import table_games
from apps.tables.specification import specification_text
from tests.tables.specification import Specification

GAMES = tuple(table_games())
SECTIONS = (
    "Overview", "Rules", "Actions", "State Schema", "Action Schema", "Result Schema", "Examples", "Rake",
    "Strategy Hints", "Variants", "Fairness",
)  # fmt: skip


@cache
def specification(game_type: str) -> Specification:
    return Specification(specification_text(table_games()[game_type]))


def test_every_hosted_game_has_a_specification() -> None:
    assert {"baccarat", "blackjack", "dragon_tiger"} <= set(GAMES)


@pytest.mark.parametrize("game_type", GAMES)
def test_the_front_matter_says_what_the_game_is(game_type: str) -> None:
    game, front = table_games()[game_type], specification(game_type).front_matter
    assert list(front) == [
        "gameType", "version", "name", "category", "gameModel", "players", "houseEdge", "defaultTimeoutAction",
        "schemaFormat",
    ]  # fmt: skip
    assert (front["gameType"], front["gameModel"], front["schemaFormat"]) == (
        game_type, game.model.value, "json-schema",
    )  # fmt: skip
    assert re.fullmatch(r"\d+\.\d+\.\d+", front["version"])
    assert re.fullmatch(r"\d+\.\d\d%", front["houseEdge"])
    assert front["players"] == {"min": 1, "max": game.seats_max}


def test_the_house_edge_is_that_of_the_cheapest_bet() -> None:
    assert specification("baccarat").front_matter["houseEdge"] == "1.06%"


@pytest.mark.parametrize("game_type", GAMES)
def test_the_sections_stand_in_the_protocols_order(game_type: str) -> None:
    sections = list(specification(game_type).sections)
    assert sections[: len(SECTIONS)] == list(SECTIONS)
    assert all(specification(game_type).sections.values())


@pytest.mark.parametrize("game_type", GAMES)
def test_schemas_list_required_members_and_say_whether_more_are_allowed(game_type: str) -> None:
    """Each object lists its required members and states whether further ones are allowed."""
    document = specification(game_type)
    for section in ("State Schema", "Action Schema", "Result Schema", "Messages"):
        [schema] = document.blocks(section)
        assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        objects = [part for part in parts(schema) if part.get("type") == "object" and "properties" in part]
        assert objects, section
        for part in objects:
            assert "additionalProperties" in part, part
            assert set(part.get("required", [])) <= set(part["properties"]), part
        assert any("required" in part for part in objects)


@pytest.mark.parametrize("game_type", GAMES)
def test_the_examples_keep_to_the_schemas(game_type: str) -> None:
    document = specification(game_type)
    rounds = document.blocks("Examples")
    assert 2 <= len(rounds) <= 3
    for messages in rounds:
        for message in messages:
            sent = message["type"] == "submit_action"
            document.check(message, sender="ClientMessage" if sent else "ServerMessage")
    assert sum(message["type"] == "round_result" for messages in rounds for message in messages) == 2
    if table_games()[game_type].model is GameModel.TURN_BASED:
        assert any(message["type"] == "game_action_request" for messages in rounds for message in messages)
        assert any(message.get("payload", {}).get("timeout") for messages in rounds for message in messages)


@pytest.mark.parametrize("game_type", GAMES)
def test_every_action_is_listed_with_what_it_takes(game_type: str) -> None:
    document = specification(game_type)
    actions = document.blocks("Action Schema")[0]["discriminator"]["mapping"]
    assert {"place_bet", "clear_bets", "ready", "no_bet"} <= set(actions)
    for name in actions:
        assert f"| `{name}` |" in document.sections["Actions"]


def test_what_a_client_may_leave_out_is_not_required() -> None:
    validator = specification("blackjack").action
    assert validator.is_valid({"action": "place_bet", "amount": 2})
    assert validator.is_valid({"action": "insurance"})
    assert validator.is_valid({"action": "hit", "unknown": True})
    assert not validator.is_valid({"action": "place_bet"})
    assert not validator.is_valid({"action": "place_bet", "amount": "2"})


def test_the_state_schema_refuses_unknown_and_missing_fields() -> None:
    document = specification("baccarat")
    state = next(
        message["payload"] for message in document.blocks("Examples")[0] if message["type"] == "game_state_update"
    )
    assert document.state.is_valid(state)
    assert not document.state.is_valid(state | {"holeCard": "H1"})
    assert not document.state.is_valid({name: value for name, value in state.items() if name != "seats"})


def test_the_schemas_of_all_games_have_distinct_names() -> None:
    names = all_schemas("#/components/schemas/{name}")
    assert not [name for name in names if "." in name], "two types of one name"


def parts(schema: Any) -> list[dict[str, Any]]:
    if isinstance(schema, list):
        return [part for member in schema for part in parts(member)]
    if not isinstance(schema, dict):
        return []
    return [schema, *(part for member in schema.values() for part in parts(member))]
