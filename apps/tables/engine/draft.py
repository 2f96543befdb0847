"""A transition in progress: the state and the effects so far. Pure, and never stored."""

from collections.abc import Iterator
from typing import Any, Generic, TypeVar

import msgspec

from apps.fairness.engine import TableShoe, stream
from apps.rounds.table_game import SeatAction, SeatFunds, TableGame
from apps.tables.engine.state import (
    ActionRow,
    ChainStart,
    EventAudience,
    GameplayEvent,
    Json,
    MoveKind,
    RoundClosed,
    SeatFreed,
    SeatMovement,
    TableChange,
    TableContext,
    TableRoundState,
    TableSeatState,
    TableState,
)

S = TypeVar("S")


class TableDraft(msgspec.Struct, Generic[S]):
    """The mutable working copy of a transition; `change` returns its result."""

    game: TableGame[S]
    context: TableContext
    state: TableState[S]
    events: list[GameplayEvent] = []
    movements: list[SeatMovement] = []
    actions: list[ActionRow] = []
    opened: list[TableRoundState[Any]] = []
    closed: list[RoundClosed] = []
    chains: list[tuple[ChainStart, int]] = []
    freed: list[SeatFreed] = []
    moved: dict[int, int] = {}
    """The amount that this transition has taken from each seat's wallet."""

    def change(self) -> TableChange[S]:
        """Return the result of the transition."""
        return TableChange(
            state=self.state,
            events=tuple(self.events),
            movements=tuple(self.movements),
            actions=tuple(self.actions),
            opened=tuple(self.opened),
            closed=tuple(self.closed),
            chains=tuple(self.chains),
            freed=tuple(self.freed),
        )

    @property
    def round(self) -> TableRoundState[S]:
        """The running round; the caller has checked that there is one."""
        assert self.state.round is not None
        return self.state.round

    @property
    def play(self) -> S:
        """The game's own state; the caller has checked that cards are dealt."""
        assert self.round.play is not None
        return self.round.play

    def put(self, **changes: Any) -> None:
        """Change fields of the state."""
        self.state = msgspec.structs.replace(self.state, **changes)

    def round_put(self, **changes: Any) -> None:
        """Change fields of the running round."""
        self.put(round=msgspec.structs.replace(self.round, **changes))

    def seat(self, number: int) -> TableSeatState:
        """Return the occupied seat of that number."""
        found = self.state.seat_at(number)
        assert found is not None
        return found

    def seat_put(self, number: int, **changes: Any) -> TableSeatState:
        """Change fields of a seat."""
        changed = msgspec.structs.replace(self.seat(number), **changes)
        self.put(seats=tuple(changed if seat.seat == number else seat for seat in self.state.seats))
        return changed

    def seats_put(self, **changes: Any) -> None:
        """Change fields of all seats."""
        self.put(seats=tuple(msgspec.structs.replace(seat, **changes) for seat in self.state.seats))

    def say(
        self,
        kind: str,
        fields: Json,
        *,
        event_id: str | None = None,
        audience: EventAudience = EventAudience.ALL,
        seat: int | None = None,
        live: Json | None = None,
    ) -> None:
        """Add an event."""
        event_id = event_id or self.context.id_new()
        self.events.append(
            GameplayEvent(id=event_id, type=kind, audience=audience, seat=seat, fields=fields, live=live or {})
        )

    def log(self, seat: int, action: SeatAction, *, timeout: bool) -> None:
        """Add a row to the round's log."""
        self.actions.append(ActionRow(round_id=self.round.id, seat=seat, action=action, timeout=timeout))

    def move(self, seat: TableSeatState, kind: MoveKind, units: int) -> None:
        """Add a movement of a seat's money; at a points table no money moves."""
        if units <= 0 or self.round.terms.is_points:
            return
        self.movements.append(SeatMovement(self.round.id, seat.seat, seat.player, kind, units))
        self.moved[seat.seat] = self.moved.get(seat.seat, 0) + (units if kind is MoveKind.BET else -units)

    def seat_funds(self, seat: TableSeatState) -> SeatFunds:
        """Return what the seat can stake now."""
        if self.round.terms.is_points:
            return SeatFunds(None, seat.points)
        funds = self.context.funds.get(seat.seat, 0) - self.moved.get(seat.seat, 0)
        return SeatFunds(funds, stake_limit=self.context.stake_limits.get(seat.seat))

    def server_seed(self) -> str:
        """Return the secret seed of the running round."""
        return self.context.server_seed(self.state.chain.id, self.round.position)

    def shoe(self) -> TableShoe:
        """Return the running round's shoe, from its first card on. The seed is computed when a card is drawn."""
        running = self.round
        return TableShoe(self._integers(), running.shoe, decks=running.terms.decks)

    def _integers(self) -> Iterator[int]:
        running = self.round
        yield from stream(self.server_seed(), running.client_seed, running.number)
