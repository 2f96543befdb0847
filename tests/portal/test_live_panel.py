"""The panel beside a live table: who may read it, and what it shows of rounds that have not ended."""

from decimal import Decimal
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from apps.accounts.models import Player
from apps.baccarat.one_deal_game import BACCARAT
from apps.blackjack.engine.state import Phase, RoundState
from apps.dragon_tiger.one_deal_game import DRAGON_TIGER
from apps.fairness.engine import TableShoe
from apps.one_deal.one_deal_game import OneDealGame
from apps.one_deal.table import OneDealRound
from apps.rounds.game_sessions import game_session_open
from apps.tables.models import TableRound
from apps.tables.registry import table_games
from tests.support.dealt_tables import table_dealing
from tests.support.factories import partner_make, player_make
from tests.support.table_play import PlayedTable
from tests.support.tables import players_make, session_make, sit, table_make

pytestmark = pytest.mark.usefixtures("committed")


def test_a_table_is_read_by_who_may_see_it_and_a_running_round_by_nobody(client: Client, settings: Any) -> None:
    settings.PUNTO_ADVICE_PER_S = 100
    player = player_make(balance=Decimal(1000), currency="FUN")
    session, _ = session_make(player)
    table = table_make(player.partner, currency="FUN")
    sit(session, table)
    running = TableRound.objects.get(table=table)
    parts = ("about", "rounds", f"rounds/{running.pk}/data", f"rounds/{running.pk}/advice", "advice")

    def statuses(table_id: object, game: str = "") -> list[int]:
        _, token = game_session_open(player=player, currency_code="FUN", game=game)
        headers = {"Authorization": f"Bearer {token}"}
        return [client.get(f"/tables/{table_id}/{part}", headers=headers).status_code for part in parts]

    assert statuses(table.pk) == [200, 200, 404, 404, 404]  # nothing is dealt and nothing is revealed
    assert statuses(table.pk, "og-blackjack") == [200, 200, 404, 404, 404]
    assert statuses(table.pk, "og-baccarat") == [404] * 5
    assert statuses(table_make(player.partner, currency="EUR").pk) == [404] * 5
    assert statuses(table_make(partner_make(), currency="FUN").pk) == [404] * 5
    assert [client.get(f"/tables/{table.pk}/{part}").status_code for part in parts] == [302] * 5


def is_tie(state: OneDealRound, _shoe: TableShoe) -> bool:
    """Return whether dragon and tiger have cards of one rank."""
    return state.cards[0].rank == state.cards[1].rank


def test_the_lobby_marks_a_tie_apart_from_every_side(client: Client) -> None:
    partner, players = players_make(1)
    dealt = table_dealing(partner, is_tie, [{"tie": 1000}], game_type="dragon_tiger", currency="FUN", seats=1)
    table = PlayedTable(dealt, players, contribution="")
    table.stake(0, bet="tie")
    table.window_end()
    cache.delete(f"lobby:{partner.pk}:FUN")
    token = game_session_open(player=players[0], game="og-dragon-tiger", currency_code="FUN")[1]
    client.get("/launch/", {"game_session_id": token})
    answer: Any = client.get("/")
    assert [each.results for each in answer.context["tiles"] if each.facts.is_live] == [["="]]


@pytest.mark.parametrize("game", [BACCARAT, DRAGON_TIGER], ids=lambda game: game.title)
def test_the_spots_of_a_live_table_have_the_order_of_the_solo_table(game: OneDealGame) -> None:
    at_tables = table_games()[game.name]
    assert list(at_tables.bet_places) == [bet.name.lower() for bet in game.bet_places]
    assert set(at_tables.bet_places) == set(at_tables.bet_labels)


def stiff_against_six(state: RoundState, _shoe: TableShoe) -> bool:
    """Return whether both seats have a hard 13 to 16 of two ranks against a six: standing is best by far."""
    hands = [[card.value for card in seat.hands[0].cards] for seat in state.seats]
    return (
        state.phase is Phase.PLAYERS
        and state.upcard.value == 6
        and all(13 <= sum(values) <= 16 and 1 not in values and values[0] != values[1] for values in hands)
    )


def test_after_a_round_each_player_hears_of_the_own_decisions_alone(client: Client) -> None:
    partner, players = players_make(3)
    watcher = players.pop()
    stakes = [{"main": 1000}, {"main": 1000}]
    dealt = table_dealing(partner, stiff_against_six, stakes, currency="FUN", seats=2)
    table = PlayedTable(dealt, players, contribution="")
    for place in range(2):
        table.stake(place)
    table.window_end()
    assert table.act(0, "hit") is None
    if table.state["requests"][0]["seat"] == 1:
        assert table.act(0, "stand") is None
    table.deadline_pass()  # the time of the second player is over: its hand stands
    played = table.round

    def advice(player: Player) -> list[tuple[str, str]]:
        _, token = game_session_open(player=player, currency_code="FUN", game="og-blackjack")
        url = f"/tables/{dealt.pk}/rounds/{played.pk}/advice?exact=1"
        answer = client.get(url, headers={"Authorization": f"Bearer {token}"}).json()
        assert answer["isReady"]
        assert not answer["isOpen"]
        return [(each["taken"], each["best"]) for each in answer["decisions"]]

    assert advice(players[0])[0] == ("Hit", "Stand")
    assert len(advice(players[0])) == played.actions.filter(player=players[0]).count() - 2  # the bet, and "ready"
    assert advice(players[1]) == []
    assert advice(watcher) == []
