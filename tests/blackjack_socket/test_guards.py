"""Changes of blackjack's rows that the database refuses, to the servers' role and to the owner."""

from decimal import Decimal

import psycopg
import pytest
from django.db import DatabaseError, connection, transaction
from psycopg import errors

from apps.blackjack.models import BlackjackRound
from apps.rounds.models import RoundEnd
from tests.support.baccarat import offer_make
from tests.support.blackjack import blackjack_offer
from tests.support.factories import player_make
from tests.support.ledger import round_make

pytestmark = pytest.mark.django_db

HISTORIES = (
    "baccarat_config_history",
    "baccarat_odds_config_history",
    "blackjack_config_history",
    "blackjack_terms_history",
)


def refusal(statement: str, *, as_owner: bool) -> psycopg.Error:
    """Run one statement that must be refused, and return PostgreSQL's refusal."""

    def run() -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            if as_owner:
                cursor.execute("RESET ROLE")
            cursor.execute(statement)

    with pytest.raises(DatabaseError) as refused:
        run()
    cause = refused.value.__cause__
    assert isinstance(cause, psycopg.Error)
    return cause


def round_row(how_ended: RoundEnd) -> BlackjackRound:
    """Return the state row of a round that is open or ended in this way."""
    player = player_make(balance=Decimal(10))
    terms = blackjack_offer(player.partner).terms.get()
    parent = round_make(player, stake="1", payout="0", how_ended=how_ended)
    return BlackjackRound.objects.create(round=parent, terms=terms, state={"phase": "players"})


@pytest.mark.parametrize("as_owner", [False, True])
@pytest.mark.parametrize("how_ended", [RoundEnd.PLAYED, RoundEnd.AUTO_COMPLETED, RoundEnd.VOIDED])
def test_the_state_of_an_ended_round_cannot_change(how_ended: RoundEnd, as_owner: bool) -> None:
    round_row(how_ended)
    error = refusal("UPDATE blackjack_round SET state = '{}', action_count = 2", as_owner=as_owner)
    assert isinstance(error, errors.RestrictViolation)
    assert "has ended" in str(error)


@pytest.mark.parametrize("change", ["action_count = 1, state = '{}'", "action_count = 2, terms_id = terms_id + 1"])
def test_the_action_count_of_an_open_round_can_only_grow(change: str) -> None:
    row = round_row(RoundEnd.OPEN)
    assert isinstance(refusal(f"UPDATE blackjack_round SET {change}", as_owner=False), errors.RestrictViolation)
    row.action_count, row.state = 2, {"phase": "dealer"}
    row.save(update_fields=["action_count", "state"])
    row.refresh_from_db()
    assert row.state == {"phase": "dealer"}


@pytest.mark.parametrize("as_owner", [False, True])
def test_a_round_s_state_cannot_be_deleted(as_owner: bool) -> None:
    round_row(RoundEnd.OPEN)
    assert isinstance(refusal("DELETE FROM blackjack_round", as_owner=as_owner), errors.RestrictViolation)


@pytest.mark.parametrize("table", HISTORIES)
@pytest.mark.parametrize("change", ["UPDATE {} SET history_change_reason = 'nobody'", "DELETE FROM {}"])
def test_the_history_of_limits_and_odds_is_append_only(table: str, change: str) -> None:
    player = player_make(balance=Decimal(10))
    offer_make(player.partner)
    blackjack_offer(player.partner)
    assert isinstance(refusal(change.format(table), as_owner=False), errors.InsufficientPrivilege)
    assert isinstance(refusal(change.format(table), as_owner=True), errors.RestrictViolation)
