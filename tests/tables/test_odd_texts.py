"""Texts that would fail only later: control characters in a name, a value of the wrong type."""

import pytest

from apps.baccarat.table import TABLE as BACCARAT
from apps.blackjack.table import TABLE as BLACKJACK
from apps.rounds.table_bets import action_parse
from apps.rounds.table_game import PayloadInvalid
from apps.tables.models import GameTable
from tests.support.tables import players_make
from tests.tables.test_lobby import POINTS, caller_of


@pytest.mark.parametrize(
    "name", ["a\x00b", "\x1b[31m", "line\nbreak", "\u202eelbat", "a\u2066b", "   ", "\u200b\u200d", "\u3164"]
)
def test_a_name_that_nobody_sees_or_that_changes_the_text_beside_it_is_refused(committed: None, name: str) -> None:
    player = players_make(1)[1][0]
    refused = caller_of(player).post("/api/rooms", POINTS | {"name": name})
    assert (refused.status, refused.code) == (400, "BAD_REQUEST")
    assert "name" in refused.body["message"]
    assert not GameTable.objects.exists()


def test_a_name_of_any_writing_is_kept_without_spaces_around_it(committed: None) -> None:
    player = players_make(1)[1][0]
    names = ["طاولة الجمعة", "👩\u200d👩\u200d👧", "\u0645\u06cc\u200c\u062e", "7"]
    for name in names:
        room = caller_of(player).post("/api/rooms", POINTS | {"name": f" {name} "}).body
        assert GameTable.objects.get(pk=room["id"]).name == name


@pytest.mark.parametrize(
    ("payload", "said"),
    [
        ({"action": "place_bet", "betType": "player", "amount": "5"}, "payload.amount must be a number"),
        ({"action": "place_bet", "betType": 5, "amount": 5}, "payload.betType must be a string"),
        ({"action": "place_bet", "amount": 5}, "payload.betType must be a string"),
    ],
)
def test_a_value_of_the_wrong_type_is_refused_with_the_field_and_what_is_expected(
    payload: dict[str, object], said: str
) -> None:
    with pytest.raises(PayloadInvalid) as refused:
        action_parse(payload, BACCARAT.messages.action)
    assert str(refused.value) == said


def test_a_side_bet_of_null_is_refused_as_no_number() -> None:
    with pytest.raises(PayloadInvalid) as refused:
        action_parse({"action": "place_bet", "amount": 2, "poker": None}, BLACKJACK.messages.action)
    assert str(refused.value) == "payload.poker must be a number"
