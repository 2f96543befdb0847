"""Players who play by a script at tables over real sockets, and resume their sessions at whichever server runs."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import count
from typing import Any, Final

from websockets.exceptions import ConnectionClosed, InvalidHandshake

from apps.accounts.models import Player
from apps.partners.models import Partner
from apps.rounds.models import Round
from apps.tables.models import GameTable, TableRound, TableSession
from apps.wallet.models import Wallet
from casino.settings.waits import WAIT_S
from tests.support.factories import partner_make, player_make
from tests.support.server import Server
from tests.support.tables import CONTRIBUTION, ConnectionEnded, Message, Seated, seated, session_make, sit, table_make
from tests.support.waiting import and_close

SLEEPS: Final = 0.05
"""The chance that a player lets a turn pass. The first player of a table also lets the first turn pass."""
BETS: Final[Mapping[str, Sequence[Mapping[str, Any]]]] = {
    "blackjack": ({"amount": 10},),
    "baccarat": ({"betType": "player", "amount": 5}, {"betType": "tie", "amount": 1}),
    "dragon_tiger": ({"betType": "dragon", "amount": 5}, {"betType": "tie", "amount": 1}),
}
FUNDS_APART: Final = 10_000_000
"""Each wallet holds a different multiple of it, so that a balance identifies its player."""


@dataclass
class ScriptedPlayer:
    """Plays at one table. `frames` holds all messages that it got, in order."""

    table: GameTable
    session: TableSession
    token: str
    funds: int
    servers: Sequence[Server]
    chance: random.Random
    frames: list[str] = field(default_factory=list)
    results: dict[str, Message] = field(default_factory=dict)
    player_id: str = ""
    is_asleep: bool = False
    reconnections: int = 0
    last_seen: str | None = None

    async def play(self, stop: asyncio.Event) -> None:
        """Play until stopped. After the end of a connection, connect to the next server."""
        for attempt in count():
            if stop.is_set():
                return
            server = self.servers[attempt % len(self.servers)]
            try:
                async with seated(server) as client:
                    try:
                        await client.reconnect(self.token, str(self.session.session_id), self.last_seen)
                        self.player_id = client.player_id
                        self.reconnections += 1
                        await self._react(client, stop)
                    finally:
                        self.frames += client.frames
            except (OSError, ConnectionClosed, InvalidHandshake, ConnectionEnded):
                await asyncio.sleep(0.1)  # the server is being started again

    async def _react(self, client: Seated, stop: asyncio.Event) -> None:
        while not stop.is_set():
            message = await client.until(lambda _: True)
            self.last_seen = message["messageId"]
            match message["type"]:
                case "betting_window_open":
                    for bet in BETS[self.table.game_type]:
                        await self._send(client, {"action": "place_bet", **bet})
                case "game_action_request":
                    await self._decide(client, message["payload"])
                case "round_result":
                    self.results[message["payload"]["roundId"]] = message["payload"]
                case "game_state_update":
                    await self._seat_keep(message["payload"])
                case "reconnect_state":
                    await self._seat_keep(message["currentState"])

    async def _decide(self, client: Seated, payload: Message) -> None:
        if self.is_asleep or self.chance.random() < SLEEPS:
            self.is_asleep = False
            return
        offered = [action["type"] for action in payload["availableActions"]]
        await self._send(client, {"action": self.chance.choice([name for name in offered if name in {"hit", "stand"}])})

    async def _seat_keep(self, state: Message) -> None:
        """Take a seat again if the table has freed this one, because the player was away for too many windows."""
        if self.player_id not in [seat["playerId"] for seat in state["seats"]]:
            await asyncio.to_thread(and_close(self.sit))

    def sit(self) -> None:
        """Take a seat as the lobby does."""
        sit(self.session, self.table, contribution=CONTRIBUTION)

    async def _send(self, client: Seated, payload: dict[str, Any]) -> None:
        await client.send("submit_action", gameType=self.table.game_type, tableId=str(self.table.pk), payload=payload)


def scripted_make(
    tables: Sequence[Mapping[str, Any]], players_a_table: int, servers: Sequence[Server]
) -> list[ScriptedPlayer]:
    """Return players in seats of new tables of one partner. Each begins at a random server."""
    partner = partner_make()
    scripted = []
    for wish in tables:
        table = table_make(partner, **wish)
        for place in range(players_a_table):
            funds = FUNDS_APART * (len(scripted) + 1)
            player = _player_make(partner, table.currency_id or "FUN", funds)
            session, token = session_make(player, currency=table.currency_id or "FUN")
            chance = random.Random(len(scripted))
            one = ScriptedPlayer(
                table, session, token, funds, servers[:: chance.choice([1, -1])], chance, is_asleep=not place
            )
            one.sit()
            scripted.append(one)
    return scripted


async def play_during(scripted: Sequence[ScriptedPlayer], disturbance: Callable[[], Awaitable[None]]) -> None:
    """Have all play during the disturbance, and until each has the result of a round that began after it. Return when
    no stake is open any more: the servers play out the rounds that the players have left.
    """
    stop = asyncio.Event()
    async with asyncio.TaskGroup() as tasks:
        for one in scripted:
            tasks.create_task(one.play(stop))
        await disturbance()
        await results_await(scripted, 2)
        stop.set()
    is_open = and_close(_is_stake_open)
    async with asyncio.timeout(WAIT_S):
        while await asyncio.to_thread(is_open):  # noqa: ASYNC110 - servers act
            await asyncio.sleep(0.1)


def _is_stake_open() -> bool:
    """Return whether a stake is open. A stake of points is only an action of a table's round."""
    return (
        Round.objects.filter(how_ended="").exists()
        or TableRound.objects.filter(ending="", actions__isnull=False).exists()
    )


async def results_await(scripted: Sequence[ScriptedPlayer], more: int) -> None:
    """Return when every player has received this many more results. With two, the second result is of a round that
    begins after the call."""
    before = {id(one): len(one.results) for one in scripted}
    async with asyncio.timeout(WAIT_S):
        while any(len(one.results) < before[id(one)] + more for one in scripted):  # noqa: ASYNC110 - servers act
            await asyncio.sleep(0.1)


def money_check(scripted: Sequence[ScriptedPlayer]) -> None:
    """Expect every wallet to hold its first balance plus the results of its rounds."""
    for one in scripted:
        rounds = Round.objects.filter(player=one.session.player)
        net = sum((row.payout - row.stake for row in rounds), start=Decimal(0))
        assert Wallet.objects.get(player=one.session.player).balance == one.funds + net


def _player_make(partner: Partner, currency: str, funds: int) -> Player:
    return player_make(partner=partner, balance=Decimal(funds), currency=currency)
