"""Practice bots: they play over the real socket, are marked, contribute nothing, and no report counts them."""

import asyncio
import re
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from asgiref.sync import sync_to_async
from django.core.management import call_command
from django.core.management.base import CommandError

from apps.partners.models import Partner
from apps.rounds.models import Round
from apps.rounds.selectors import players_now
from apps.tables.models import GameTable, RoundEnding, TablePlayer, TableRound
from apps.tables.practice_bots import BotSeat, bots_play
from apps.tables.practice_players import bot_players, bot_session_open, bot_tables, bot_wallet_fill
from apps.tables.selectors import bots
from apps.tables.table_creation import RoomOptions, player_table_create
from apps.wallet.models import Wallet
from casino.settings.waits import WAIT_S
from tests.support.factories import partner_make, player_make
from tests.support.folds import revenue_now
from tests.support.server import Server
from tests.support.tables import seated, session_make, sit, table_make

pytestmark = [
    pytest.mark.usefixtures("committed"),
    pytest.mark.xdist_group("waits"),
]


@pytest.fixture
def house(committed: None) -> Partner:
    return partner_make(is_house=True)


def seats_of(partner: Partner, *tables: GameTable) -> list[BotSeat]:
    """Two bots at each table."""
    players = bot_players(partner, 2 * len(tables), "FUN")
    return [
        BotSeat(player.pk, "FUN", str(tables[place // 2].pk), tables[place // 2].game_type)
        for place, player in enumerate(players)
    ]


async def play_until(server: Server, seats: list[BotSeat], is_enough: Callable[[], bool]) -> None:
    """Run the bots until the condition holds."""
    playing = asyncio.create_task(bots_play(server.url, seats))
    try:
        async with asyncio.timeout(WAIT_S):
            while not await sync_to_async(is_enough)():
                assert not playing.done(), playing.exception()
                await asyncio.sleep(0.1)
    finally:
        playing.cancel()
        with suppress(asyncio.CancelledError):
            await playing


def settled(table: GameTable) -> int:
    return TableRound.objects.filter(table=table, ending=RoundEnding.SETTLED).count()


def test_bots_play_rounds_that_are_marked_and_that_no_report_counts(house: Partner, shared_server: Server) -> None:
    points = table_make(house, name="Points", window_s=5)
    money = table_make(house, game_type="baccarat", currency="FUN", name="Play money", window_s=5)
    seats = seats_of(house, points, money)
    asyncio.run(play_until(shared_server, seats, lambda: settled(points) >= 1 and settled(money) >= 1))
    assert Round.objects.filter(table_round__isnull=False, stake__gt=0).count() >= 1
    assert all(played.contributions == [] for played in TableRound.objects.all())
    assert set(TablePlayer.objects.filter(is_bot=True).values_list("display_name", flat=True)) == {
        "Ada", "Blaise", "Carl", "Daniel",
    }  # fmt: skip
    today = datetime.now(UTC).date()
    assert revenue_now() == []
    midnight = datetime.combine(today, datetime.min.time(), UTC)
    assert players_now(partner_id=house.pk, since=midnight) == {"og-baccarat": 2}
    assert players_now(partner_id=house.pk, since=midnight, excluded=bots()) == {}


def test_a_person_at_the_table_sees_that_the_others_are_bots_and_does_not_wait_for_them(
    house: Partner, shared_server: Server
) -> None:
    table = table_make(house, window_s=30, turn_s=5)
    person = player_make(partner=house, balance=Decimal(100))
    session, token = session_make(person)
    seats = seats_of(house, table)

    async def play_with_bots() -> None:
        async with seated(shared_server, token) as client:
            await sync_to_async(sit)(session, table)
            bots_at = asyncio.create_task(bots_play(shared_server.url, seats))
            try:
                state = await client.until(
                    lambda message: message["type"] == "game_state_update" and len(message["payload"]["seats"]) == 3
                )
                assert sorted(seat["bot"] for seat in state["payload"]["seats"]) == [False, True, True]
                assert (await client.act(table, "place_bet", amount=2))["type"] == "ack"
                assert (await client.act(table, "ready"))["type"] == "ack"
                await client.until("betting_window_closed")
                await client.until("round_result")
            finally:
                bots_at.cancel()
                with suppress(asyncio.CancelledError):
                    await bots_at

    asyncio.run(play_with_bots())


def test_bots_sit_at_open_tables_for_points_and_play_money_alone(house: Partner) -> None:
    points = table_make(house, name="Points")
    play_money = table_make(house, game_type="baccarat", currency="FUN", name="Play money")
    table_make(house, game_type="baccarat", currency="EUR", name="Real money")
    table_make(house, name="Private", is_private=True)
    owner = player_make(partner=house)
    player_table_create(player=owner, options=RoomOptions(game_type="blackjack", currency_code=None, name="A player's"))
    assert bot_tables(house) == [points, play_money]


def test_a_bot_without_play_money_gets_more_and_other_bots_keep_theirs(house: Partner) -> None:
    (bot,) = bot_players(house, 1, "FUN")
    wallet = Wallet.objects.get(player=bot)
    assert wallet.balance == 1000
    bot_wallet_fill(bot.pk, "FUN")
    assert Wallet.objects.get(player=bot).balance == 1000
    assert re.fullmatch(r"[\w-]{43}", bot_session_open(bot.pk, "FUN"))
    assert bot_players(house, 1, "FUN") == [bot]


def test_the_command_needs_a_house(committed: None) -> None:
    with pytest.raises(CommandError, match="no house"):
        call_command("table_bots", server="http://127.0.0.1:1")
