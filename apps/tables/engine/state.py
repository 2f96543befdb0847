"""A table between two transitions, and what a transition brings about. Pure.

Seats are counted from 1, as on the wire. Times are PostgreSQL's, in Unix milliseconds. Amounts are integers in smallest
units. Nothing here holds a card that lies face down or a seed that is not revealed: cards and seeds come from the
context of a transition, and the state can be stored, logged and read by whoever may read the table.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any, Generic, TypeVar

import msgspec

from apps.rounds.table_game import Bets, GameCode, TableAction, TableTerms

Json = dict[str, Any]
S = TypeVar("S")


class TablePhase(Enum):
    """Where a table stands; `gameStatus` on the wire."""

    WAITING = "waiting"
    """Nobody is seated."""
    BETTING = "betting"
    PLAYING = "playing"
    PAUSE = "pause"
    """After a result, or after a window that nobody staked in."""
    CLOSED = "closed"


class TableSeat(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A seat that is taken."""

    seat: int
    player: str
    """Who sits there, as the store knows them; never sent."""
    player_id: str
    """Who sits there, on the wire."""
    name: str
    """For co-players."""
    is_bot: bool = False
    contribution: str = ""
    """To the client seeds of rounds whose windows open from now on; empty: none."""
    points: int = 0
    """The score at a points table."""
    bets: Bets = {}
    """What is staked in the running round before its deal."""
    added: int = 0
    """What was staked after the deal: doubles, splits, insurance."""
    is_in_window: bool = False
    """It may stake in the running round: it was there when the window opened, with a contribution where one is due."""
    is_ready: bool = False
    idle_windows: int = 0
    """Windows in a row that it has not staked in; -1: it came too late for the window that is open."""
    is_leaving: bool = False
    """It has left, or was away too long; the seat is freed as soon as no stake of it is open."""
    drop_deadline: int | None = None
    """Its player has no socket; at this time the seat is left."""
    timed_out: bool = False
    """Its last request was ended by its deadline."""


class OpenRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A decision that is waited for."""

    seat: int
    id: str
    """The `messageId` of the first request; one that is sent again has it as `repeats`."""
    deadline: int
    answer: TableAction | None = None
    """Taken and booked, and carried out when all who are asked have answered."""
    is_timeout: bool = False
    """`answer` is the default action."""


class TableChain(msgspec.Struct, frozen=True, kw_only=True):
    """The running chain of server seeds, as far as all may know it."""

    id: str
    commitment: str
    """s_0."""
    length: int
    first_round: int
    """The number of the round that is dealt with s_1."""
    used: int = 0
    """How many of its seeds have been revealed."""
    last_revealed: str
    """s_used: the hash of the next one."""


class TableRound(msgspec.Struct, Generic[S], frozen=True, kw_only=True):
    """The running round, from the opening of its window to its result."""

    id: str
    number: int
    """Also its nonce."""
    position: int
    """Which seed of the chain it is dealt with: s_position."""
    seed_hash: str
    contributions: tuple[tuple[int, str], ...]
    """By seat, in seat order; frozen when the window opened."""
    client_seed: str
    shoe: tuple[int, ...] | None
    """52 counts at its start; None: an infinite deck."""
    terms: TableTerms
    window_id: str
    """The `messageId` of `betting_window_open`."""
    started: int
    seats: tuple[int, ...] = ()
    """The seats that have staked, by position, once the window is closed."""
    player_ids: tuple[str, ...] = ()
    """Who sits there, on the wire: a seat may be free by the end of the pause."""
    play: S | None = None
    """The game's own state once cards are dealt."""


class TableState(msgspec.Struct, Generic[S], frozen=True, kw_only=True):
    """One table."""

    phase: TablePhase
    chain: TableChain
    round_number: int = 0
    """Of the running round, or of the last one."""
    round: TableRound[S] | None = None
    """The running round, and in the pause the last one, whose cards still lie there."""
    seats: tuple[TableSeat, ...] = ()
    """Those that are taken, in seat order."""
    requests: tuple[OpenRequest, ...] = ()
    """In seat order."""
    shoe: tuple[int, ...] | None = None
    """What is left of the shoe, between rounds; None: an infinite deck, or none laid out yet."""
    shoe_decks: int = 0
    """The decks of `shoe`; 0: none laid out yet."""
    history: tuple[tuple[int, str], ...] = ()
    """The rounds of this shoe: their numbers, and what the game keeps of them."""
    phase_deadline: int | None = None
    """When the window closes, or the pause ends."""
    is_closing: bool = False
    """It is closed as soon as the round is settled."""

    @property
    def deadline(self) -> int | None:
        """When the next thing is due, whatever it is; the store keeps it in a column."""
        times = [request.deadline for request in self.requests if request.answer is None]
        times += [seat.drop_deadline for seat in self.seats if seat.drop_deadline is not None]
        if self.phase_deadline is not None:
            times.append(self.phase_deadline)
        return min(times, default=None)

    def seat_of(self, player: str) -> TableSeat | None:
        """Return the seat of a player."""
        return next((seat for seat in self.seats if seat.player == player), None)

    def seat_at(self, number: int) -> TableSeat | None:
        """Return the seat of that number, where it is taken."""
        return next((seat for seat in self.seats if seat.seat == number), None)


class ChainStart(msgspec.Struct, frozen=True):
    """A new chain that the store has made: s_n is sealed there."""

    id: str
    commitment: str
    length: int


class TableContext(msgspec.Struct, frozen=True, kw_only=True):
    """What a transition is told of the world. The functions are called for what is needed alone."""

    now: int
    terms: TableTerms
    """Those that the next window is opened under."""
    server_seed: Callable[[str, int], str]
    """Return s_i of a chain, by the chain's id and i."""
    chain_new: Callable[[], ChainStart]
    id_new: Callable[[], str]
    """Return a new UUID v4, for rounds and messages."""
    funds: Mapping[int, int] = {}
    """By seat, what its wallet holds; read under the same lock. Empty at points tables."""
    stake_limits: Mapping[int, int] = {}
    """By seat, the most that its player may stake in a round."""
    drop_ms: int = 120_000
    """How long a seat without a socket is kept."""


class Audience(Enum):
    """Who gets an event."""

    ALL = "all"
    """Every seat and every watcher."""
    SEAT = "seat"
    WATCHERS = "watchers"
    """All who look on without a seat."""


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """A gameplay message, without the envelope's `gameType`, `tableId`, `timestamp` and `sequence`."""

    id: str
    """Its `messageId`, the same for all who get it."""
    type: str
    audience: Audience = Audience.ALL
    seat: int | None = None
    """Of Audience.SEAT."""
    fields: Json
    """All beside the envelope: `payload`, and what stands beside it (`timeoutSeconds`, `protocolVersion`)."""
    live: Json = {}
    """What is added to `payload` where the event is delivered now, and is not stored with it (road maps)."""


class MoveKind(Enum):
    """What money is moved for."""

    BET = "bet"
    REFUND = "refund"
    REWARD = "reward"


class Movement(msgspec.Struct, frozen=True):
    """Money of a seat, above 0; none at points tables. In the order in which it is booked."""

    round_id: str
    seat: int
    player: str
    kind: MoveKind
    units: int


class ActionRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the round's log: an action that was carried out."""

    round_id: str
    seat: int
    action: TableAction
    timeout: bool = False


class RoundEnding(Enum):
    """How a table round ended."""

    SETTLED = "settled"
    UNSTAKED = "unstaked"
    """Nobody had staked when its window closed: no card was dealt."""
    VOIDED = "voided"
    """All stakes went back."""


class SeatOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """What a round came to for a seat that staked."""

    seat: int
    player: str
    player_id: str
    bets: Bets
    """Before the deal."""
    staked: int
    """In all."""
    paid: int
    hands: Sequence[Json]
    extra: Json
    """What else `results` says of the seat."""


class RoundClosed(msgspec.Struct, frozen=True, kw_only=True):
    """A round that has ended; with `TableRound` it is the whole record."""

    round: TableRound[Any]
    ending: RoundEnding
    seed: str
    ended: int
    outcomes: tuple[SeatOutcome, ...]
    """Of the seats that staked, in seat order."""
    public: Json
    """The public state at its end, without the seats: the cards."""
    drawn: int
    """How many cards were dealt."""


class SeatFreed(msgspec.Struct, frozen=True):
    """A seat that is no longer taken."""

    seat: int
    player: str
    reason: str
    """`left`, `dropped`, `idle` or `closed`."""


class Refusal(msgspec.Struct, frozen=True):
    """Why an action was not carried out: a `game_error` to the offender, before the events that come with it."""

    code: GameCode
    message: str


class Change(msgspec.Struct, Generic[S], frozen=True, kw_only=True):
    """What a transition comes to; the store writes all of it in one transaction, or nothing."""

    state: TableState[S]
    """The very object that the transition was given where nothing has changed."""
    events: tuple[Event, ...] = ()
    movements: tuple[Movement, ...] = ()
    actions: tuple[ActionRow, ...] = ()
    opened: tuple[TableRound[Any], ...] = ()
    """Rounds whose windows were opened."""
    closed: tuple[RoundClosed, ...] = ()
    chains: tuple[tuple[ChainStart, int], ...] = ()
    """Chains that begin, each with the number of its first round."""
    freed: tuple[SeatFreed, ...] = ()
    refusal: Refusal | None = None
    """Also with changes: a deadline may have passed before the action came."""
