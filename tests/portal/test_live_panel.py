"""The panel beside a live table: who may read it, and what it says of rounds that have not ended."""

from decimal import Decimal

import pytest
from django.test import Client

from apps.rounds.services import game_session_open
from apps.tables.models import TableRound
from tests.support.factories import partner_make, player_make
from tests.support.tables import session_make, sit, table_make

pytestmark = pytest.mark.usefixtures("committed")


def test_a_table_is_read_by_who_may_see_it_and_a_running_round_by_nobody(client: Client) -> None:
    player = player_make(balance=Decimal(1000), currency="FUN")
    session, _ = session_make(player)
    table = table_make(player.partner, currency="FUN")
    sit(session, table)
    running = TableRound.objects.get(table=table)
    parts = ("about", "rounds", f"rounds/{running.pk}/data", "advice")

    def statuses(table_id: object, game: str = "") -> list[int]:
        _, token = game_session_open(player=player, currency_code="FUN", game=game)
        headers = {"Authorization": f"Bearer {token}"}
        return [client.get(f"/tables/{table_id}/{part}", headers=headers).status_code for part in parts]

    assert statuses(table.pk) == [200, 200, 404, 404]  # nothing is dealt and nothing is revealed
    assert statuses(table.pk, "og-blackjack") == [200, 200, 404, 404]
    assert statuses(table.pk, "og-baccarat") == [404] * 4
    assert statuses(table_make(player.partner, currency="EUR").pk) == [404] * 4
    assert statuses(table_make(partner_make(), currency="FUN").pk) == [404] * 4
    assert [client.get(f"/tables/{table.pk}/{part}").status_code for part in parts] == [302] * 4
