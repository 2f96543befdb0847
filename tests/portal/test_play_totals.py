"""The number of a player's rounds and their net result, which the lobby shows."""

from decimal import Decimal

import psycopg
import pytest

from apps.accounts.models import Role
from apps.portal.selectors import play_totals
from apps.rounds.models import Round
from apps.rounds.services import round_void
from tests.support.factories import player_make, staff_make
from tests.support.folds import all_folded
from tests.support.played import baccarat_session

pytestmark = pytest.mark.usefixtures("committed")


def test_totals_count_each_round_once_before_and_after_the_fold_and_no_voided_one(
    superuser: psycopg.Connection,
) -> None:
    player, _ = baccarat_session(bets=3)
    first, second, third = Round.objects.filter(player=player).order_by("started_at")

    def net_of(*rounds: Round) -> tuple[int, Decimal]:
        return len(rounds), sum((each.payout - each.stake for each in rounds), Decimal(0))

    assert play_totals(player, "FUN") == net_of(first, second, third)
    all_folded()
    assert play_totals(player, "FUN") == net_of(first, second, third)
    assert play_totals(player, "EUR") == (0, 0)
    round_void(operator=staff_make(Role.OPERATOR), round=second, reason="a fault")
    assert play_totals(player, "FUN") == net_of(first, third)
    all_folded()
    assert play_totals(player, "FUN") == net_of(first, third)
    # The rounds of years are not read: they could as well be another player's.
    superuser.execute("SET session_replication_role = replica")
    superuser.execute("UPDATE game_round SET player_id = %s", [player_make().pk])
    superuser.execute("SET session_replication_role = origin")
    assert play_totals(player, "FUN") == net_of(first, third)
