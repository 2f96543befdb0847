"""A table for real money is not made on terms that lose the house money."""

import pytest

from apps.core.errors import BadRequest
from apps.core.models import Currency
from apps.tables.rooms import RoomWish, room_terms

GENEROUS = {"tie": 12}


@pytest.mark.django_db
def test_odds_that_favour_the_player_are_refused_for_real_money_by_their_field() -> None:
    euro = Currency.objects.get(code="EUR")
    with pytest.raises(BadRequest) as refused:
        room_terms(RoomWish(game_type="baccarat", currency_code="EUR", odds=GENEROUS), euro)
    assert refused.value.field == "odds.tie"


@pytest.mark.django_db
def test_odds_that_favour_the_player_are_a_matter_of_taste_for_play_money_and_points() -> None:
    for currency in (Currency.objects.get(code="FUN"), None):
        code = None if currency is None else currency.code
        terms = room_terms(RoomWish(game_type="baccarat", currency_code=code, odds=GENEROUS), currency)
        assert terms.odds["tie"] == "12"
