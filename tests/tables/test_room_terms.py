"""A table for real money is refused if its terms favour the player, or may do so."""

from typing import Any

import pytest
import redis
from django.conf import settings as django_settings
from django.core.cache import cache

from apps.accounts.models import Role
from apps.blackjack.table import TABLE, rules_of
from apps.core.errors import BadRequest, RateLimited
from apps.core.models import Currency
from apps.tables.forms import TableForm
from apps.tables.models import GameTable
from apps.tables.table_administration import table_configure
from apps.tables.table_creation import RoomOptions, partner_table_create, room_terms
from tests.support.factories import partner_make, user_make
from tests.support.tables import table_make

GENEROUS = {"tie": 12}
WITHOUT_SPLITS = {"splitNonAce": 0, "splitAce": 0, "decks": 1}
"""Rules whose edge is computed quickly and is not among the shipped ones."""
EARLY = WITHOUT_SPLITS | {"surrender": "early"}


def euro_options(rules: dict[str, Any]) -> RoomOptions:
    return RoomOptions(game_type="blackjack", currency_code="EUR", rules=rules)


@pytest.fixture(autouse=True)
def edges_unknown() -> None:
    """Delete the figures that another test has computed, and its count of them."""
    client = redis.Redis.from_url(django_settings.REDIS_URL)
    for counted in client.scan_iter("*table-edges*"):
        client.delete(counted)
    for rules in (WITHOUT_SPLITS, EARLY):
        terms = TABLE.terms_read(is_points=False, decimals=2, contribution_required=True, rules=rules)
        key = f"blackjack-edge:{rules_of(terms).fingerprint()}"
        cache.delete_many([key, f"{key}:asked"])


@pytest.mark.django_db
def test_rules_of_unknown_edge_are_refused_for_real_money_until_the_worker_has_computed_it() -> None:
    partner = partner_make()
    with pytest.raises(BadRequest, match="not known yet") as refused:
        partner_table_create(partner=partner, actor="staff", options=euro_options(WITHOUT_SPLITS))
    assert refused.value.field == "rules"
    assert not GameTable.objects.exists()
    table = partner_table_create(partner=partner, actor="staff", options=euro_options(WITHOUT_SPLITS))
    assert TableForm(None, table=table).edges[0].edge == "0.48%"


@pytest.mark.django_db
def test_the_worker_gets_a_limited_number_of_rules_of_unknown_edge(settings: Any) -> None:
    settings.PUNTO_TABLE_EDGES_PER_5_MINUTES = 1
    partner = partner_make()
    with pytest.raises(BadRequest, match="not known yet"):
        partner_table_create(partner=partner, actor="staff", options=euro_options(WITHOUT_SPLITS))
    for _ in range(2):
        with pytest.raises(RateLimited, match="this partner sent more than 1 such rules in 300 s") as refused:
            partner_table_create(partner=partner, actor="staff", options=euro_options(EARLY))
        assert 1 <= refused.value.retry_after_s <= 300
        assert refused.value.field == "rules"
    with pytest.raises(BadRequest, match="not known yet"):
        partner_table_create(partner=partner_make(), actor="staff", options=euro_options(EARLY))
    # What is known by now needs nothing of the worker.
    partner_table_create(partner=partner, actor="staff", options=euro_options(WITHOUT_SPLITS))


def test_rules_that_favour_the_player_are_refused_for_real_money_also_where_a_table_is_changed(
    committed: None,
) -> None:
    table = table_make(partner_make(), currency="EUR")
    for _ in range(2):
        with pytest.raises(BadRequest) as refused:
            table_configure(table=table, user=user_make(role=Role.OPERATOR), options=euro_options(EARLY))
    assert str(refused.value) == "rules: Main bet would favour the player (-0.18%)"
    table.refresh_from_db()
    assert table.rules == {}


@pytest.mark.django_db
@pytest.mark.parametrize("currency", ["FUN", None])
def test_rules_that_favour_the_player_need_no_figure_for_play_money_and_points(currency: str | None) -> None:
    assert table_make(partner_make(), currency=currency, rules=EARLY).rules == EARLY


@pytest.mark.django_db
def test_only_a_table_for_points_has_the_option_inverted_in_its_form() -> None:
    tables = [table_make(partner_make(), currency=currency) for currency in (None, "FUN", "EUR")]
    assert ["rule_inverted" in TableForm(None, table=table).fields for table in tables] == [True, False, False]


@pytest.mark.django_db
def test_odds_that_favour_the_player_are_refused_for_real_money_by_their_field() -> None:
    euro = Currency.objects.get(code="EUR")
    with pytest.raises(BadRequest) as refused:
        room_terms(RoomOptions(game_type="baccarat", currency_code="EUR", odds=GENEROUS), euro, partner_id=None)
    assert refused.value.field == "odds.tie"


@pytest.mark.django_db
def test_odds_that_favour_the_player_are_allowed_for_play_money_and_points() -> None:
    for currency in (Currency.objects.get(code="FUN"), None):
        code = None if currency is None else currency.code
        terms = room_terms(
            RoomOptions(game_type="baccarat", currency_code=code, odds=GENEROUS), currency, partner_id=None
        )
        assert terms.odds["tie"] == "12"
