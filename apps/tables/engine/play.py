"""The transitions of a table. Pure: `(game, state, …, context) -> Change`.

Every transition first does what is due by `context.now`, so that an action never overtakes a deadline.
"""

from typing import TypeVar

from apps.rounds.table_game import TableAction, TableGame
from apps.tables.engine.state import Change, Event, Json, TableContext, TableState

S = TypeVar("S")


class JoinRefused(Exception):
    """A seat that is not taken; `code` is that of the REST error."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def table_new(game: TableGame[S], context: TableContext) -> Change[S]:
    """Return a table that waits for its first player, with its first chain."""
    raise NotImplementedError


def table_open(game: TableGame[S], state: TableState[S], context: TableContext) -> Change[S]:
    """Open a closed table again."""
    raise NotImplementedError


def table_close(game: TableGame[S], state: TableState[S], context: TableContext) -> Change[S]:
    """Close a table: at once, with stakes of an open window back, or as soon as the cards on it are settled."""
    raise NotImplementedError


def round_void(game: TableGame[S], state: TableState[S], context: TableContext) -> Change[S]:
    """Give back all stakes of the running round and end it; without a running round nothing happens."""
    raise NotImplementedError


def seat_join(
    game: TableGame[S],
    state: TableState[S],
    context: TableContext,
    *,
    player: str,
    player_id: str,
    name: str,
    seat: int | None = None,
    contribution: str = "",
    is_bot: bool = False,
    has_socket: bool = True,
) -> Change[S]:
    """Take a seat, the given one or the first that is free; for a player who sits there, replace the contribution.

    Raises JoinRefused: TABLE_NOT_FOUND for a closed table, TABLE_FULL, SEAT_TAKEN, CONTRIBUTION_REQUIRED,
    INSUFFICIENT_BALANCE.
    """
    raise NotImplementedError


def seat_leave(game: TableGame[S], state: TableState[S], context: TableContext, *, player: str) -> Change[S]:
    """Leave the seat: at once without an open stake, else when the round is settled, played by default actions."""
    raise NotImplementedError


def seat_drop(game: TableGame[S], state: TableState[S], context: TableContext, *, player: str) -> Change[S]:
    """The player's last socket has gone: the seat is left in `context.drop_ms`, unless it is back by then."""
    raise NotImplementedError


def seat_back(game: TableGame[S], state: TableState[S], context: TableContext, *, player: str) -> Change[S]:
    """The player has a socket again."""
    raise NotImplementedError


def action_submit(
    game: TableGame[S], state: TableState[S], context: TableContext, *, player: str, action: TableAction
) -> Change[S]:
    """Carry out what a player has sent (`game.action_read`), or say in `refusal` why not."""
    raise NotImplementedError


def deadline_pass(game: TableGame[S], state: TableState[S], context: TableContext) -> Change[S]:
    """Do what is due."""
    raise NotImplementedError


def state_view(game: TableGame[S], state: TableState[S], seat: int | None = None) -> Json:
    """Return the public state, road maps included; with a seat, also that seat's own bets while others' are hidden."""
    raise NotImplementedError


def pending_again(
    game: TableGame[S], state: TableState[S], context: TableContext, seat: int | None
) -> tuple[Event, ...]:
    """Return the open request of a seat, or the open window, with the time left, for somebody who has just come."""
    raise NotImplementedError
