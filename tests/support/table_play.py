"""Rounds at tables played through the services alone: no socket, and no waiting."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final
from uuid import uuid4

from django.db import transaction
from django.utils import timezone

from apps.accounts.models import Player
from apps.rounds.table_game import PLACE_BET, READY, GameModel
from apps.tables.change_items import Caller
from apps.tables.models import GameTable, RoundEnding, TableRound, TableSession
from apps.tables.registry import table_game_of
from apps.tables.services import table_action_take, table_deadline_pass
from tests.support.loop import run_alone
from tests.support.tables import CONTRIBUTION, session_make, sit

MAX_ACTIONS: Final = 200


def deadlines_set(table: GameTable, left: timedelta) -> None:
    """Let every deadline of the table end after this time. A running server fires it then."""
    end = timezone.now() + left
    end_ms = int(end.timestamp() * 1000)
    with transaction.atomic():
        row = GameTable.objects.select_for_update().get(pk=table.pk)
        requests = [{**request, "deadline": end_ms} for request in row.state["requests"]]
        phase = {} if row.state.get("phase_deadline") is None else {"phase_deadline": end_ms}
        row.state = {**row.state, "requests": requests, **phase}
        row.version += 1
        row.deadline = end
        row.save(update_fields=["state", "version", "deadline"])


class PlayedTable:
    """A table with its players, each with a seat from the first one on."""

    def __init__(self, table: GameTable, players: list[Player], *, contribution: str = CONTRIBUTION) -> None:
        self.table = table
        self.players = players
        currency = table.currency_id or "FUN"
        self.sessions: list[TableSession] = [session_make(player, currency=currency)[0] for player in players]
        for session in self.sessions:
            sit(session, table, contribution=contribution)

    def act(self, place: int, action: str, **payload: Any) -> str | None:
        """Have a player act; return the code of a refusal."""
        refusals: list[Any] = []
        caller = Caller(self.sessions[place].pk, "", str(uuid4()))
        run_alone(
            table_action_take(
                caller=caller,
                table_id=str(self.table.pk),
                payload={"action": action, **payload},
                answer=lambda refusal, *_: refusals.append(refusal),
            )
        )
        return None if refusals[0] is None else str(refusals[0].code.value)

    def stake(self, place: int, amount: int = 10, *, bet: str = "") -> None:
        """Place a bet: the given one, or the first if the game has several."""
        assert self.act(place, PLACE_BET, **self.bet(amount, bet)) is None

    def bet(self, amount: int, bet: str = "") -> Mapping[str, Any]:
        """Return the payload of a bet."""
        game = table_game_of(self.table.game_type)
        if game.model is GameModel.TURN_BASED:
            return {"amount": amount}
        return {"amount": amount, "betType": bet or next(iter(game.bet_labels))}

    def window_end(self) -> None:
        """Have all say that they are ready: the round is dealt, or ends without a stake."""
        for place in range(len(self.players)):
            if self.round.ending == RoundEnding.RUNNING and self.state["phase"] == "betting":
                assert self.act(place, READY) in (None, "BETTING_WINDOW_CLOSED")

    def play_out(self, action: str = "stand") -> TableRound:
        """Answer every request with the action, or stand if the action is refused; return the ended round."""
        played = self.round
        for _ in range(MAX_ACTIONS):
            requests = [request for request in self.state["requests"] if request.get("answer") is None]
            if not requests:
                break
            place = self.seat_place(requests[0]["seat"])
            if self.act(place, action) is not None:
                assert self.act(place, "stand") is None
        played.refresh_from_db()
        assert played.ending == RoundEnding.SETTLED
        return played

    def round_play(self, *, amount: int = 10, action: str = "stand") -> TableRound:
        """Play a round in which all stake."""
        self.next_window()
        for place in range(len(self.players)):
            self.stake(place, amount)
        self.window_end()
        return self.play_out(action)

    def next_window(self) -> None:
        """Let the pause end, as if its time had passed."""
        if self.state["phase"] == "pause":
            self.deadline_pass()

    def deadline_pass(self) -> None:
        """Set the deadlines of the table and of its requests to now, and fire them."""
        deadlines_set(self.table, timedelta(seconds=-1))
        run_alone(table_deadline_pass(table_id=str(self.table.pk)))

    def seat_place(self, seat: int) -> int:
        """Return which of the players has the seat."""
        player = next(row["player"] for row in self.state["seats"] if row["seat"] == seat)
        return [str(each.pk) for each in self.players].index(player)

    @property
    def state(self) -> dict[str, Any]:
        self.table.refresh_from_db()
        state: dict[str, Any] = self.table.state
        return state

    @property
    def round(self) -> TableRound:
        """The running round, or the last one."""
        return TableRound.objects.filter(table=self.table).latest("number")
