"""The state of a table between two transitions, and the result of a transition. Pure.

Seats are counted from 1, as on the wire. Times are PostgreSQL's, in Unix milliseconds. Amounts are integers in smallest
units. Nothing here contains a face-down card or an unrevealed seed: cards and seeds come from the context of a
transition, and the state can be stored, logged and read by everybody who may read the table.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any, Final, Generic, TypeVar

import msgspec

from apps.rounds.table_game import ActionRefusalCode, Bets, SeatAction, TableTerms

Json = dict[str, Any]

STAKES_BLOCKED: Final = "you may not stake here: the player or the wallet is blocked"
S = TypeVar("S")


class TablePhase(Enum):
    """The phase of a table; `gameStatus` on the wire."""

    WAITING = "waiting"
    """Nobody is seated."""
    BETTING = "betting"
    PLAYING = "playing"
    PAUSE = "pause"
    """After a result, or after a window that nobody staked in."""
    CLOSED = "closed"


class TableSeatState(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An occupied seat."""

    seat: int
    player: str
    """The player's id in the database; never sent."""
    player_id: str
    """The player's id on the wire."""
    name: str
    """The display name, which the other players see."""
    is_bot: bool = False
    contribution: str = ""
    """The contribution to the client seeds of rounds whose windows open from now on; empty: none."""
    points: int = 0
    """The score at a points table."""
    bets: Bets = {}
    """The stakes in the running round before its deal."""
    added: int = 0
    """The stakes after the deal: doubles, splits, insurance."""
    is_in_window: bool = False
    """Whether it may stake in the running round: it was occupied when the window opened, with a contribution if one is
    required."""
    is_ready: bool = False
    idle_windows: int = 0
    """The number of successive windows without a stake; -1: the player came too late for the open window."""
    is_leaving: bool = False
    """The player has left or was away too long; the seat is freed as soon as it has no open stake."""
    drop_deadline: int | None = None
    """The player has no socket; at this time the seat counts as left."""
    timed_out: bool = False
    """Whether the deadline ended its last request."""


class OpenRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A decision that the table waits for."""

    seat: int
    id: str
    """The `messageId` of the first request; a repeated request has it as `repeats`."""
    deadline: int
    answer: SeatAction | None = None
    """An answer that is accepted and booked, and carried out when all requested seats have answered."""
    is_timeout: bool = False
    """`answer` is the default action."""


class TableChainState(msgspec.Struct, frozen=True, kw_only=True):
    """The public part of the running chain of server seeds."""

    id: str
    commitment: str
    """s_0."""
    length: int
    first_round: int
    """The number of the round that is dealt with s_1."""
    used: int = 0
    """The number of its revealed seeds."""
    last_revealed: str
    """s_used: the hash of the next one."""


class TableRoundState(msgspec.Struct, Generic[S], frozen=True, kw_only=True):
    """The running round, from the opening of its window to its result."""

    id: str
    number: int
    """The round's number, which is also its nonce."""
    position: int
    """The position of its seed in the chain: s_position."""
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
    """Their players' ids on the wire, because a seat may be free by the end of the pause."""
    play: S | None = None
    """The game's own state once cards are dealt."""


class TableState(msgspec.Struct, Generic[S], frozen=True, kw_only=True):
    """One table."""

    phase: TablePhase
    chain: TableChainState
    round_number: int = 0
    """The number of the running round, or of the last one."""
    round: TableRoundState[S] | None = None
    """The running round; during the pause the last one, whose cards stay visible."""
    seats: tuple[TableSeatState, ...] = ()
    """The taken seats, in seat order."""
    requests: tuple[OpenRequest, ...] = ()
    """In seat order."""
    shoe: tuple[int, ...] | None = None
    """The cards left in the shoe between rounds; None: an infinite deck, or no shoe yet."""
    shoe_decks: int = 0
    """The decks of `shoe`; 0: no shoe yet."""
    history: tuple[tuple[int, str], ...] = ()
    """The rounds of this shoe: their numbers, and the game's summaries."""
    phase_deadline: int | None = None
    """The time when the window closes or the pause ends."""
    is_closing: bool = False
    """Whether it closes after the round and its pause."""

    @property
    def deadline(self) -> int | None:
        """The earliest deadline of any kind; the store keeps it in a column."""
        times = [request.deadline for request in self.requests if request.answer is None]
        times += [seat.drop_deadline for seat in self.seats if seat.drop_deadline is not None]
        if self.phase_deadline is not None:
            times.append(self.phase_deadline)
        return min(times, default=None)

    @property
    def awaited(self) -> int:
        """The number of seats that may act now."""
        if self.phase is TablePhase.BETTING:
            return sum(seat.is_in_window and not seat.is_ready and not seat.is_leaving for seat in self.seats)
        return sum(request.answer is None for request in self.requests)

    def seat_of(self, player: str) -> TableSeatState | None:
        """Return the seat of a player."""
        return next((seat for seat in self.seats if seat.player == player), None)

    def seat_at(self, number: int) -> TableSeatState | None:
        """Return the seat of that number if it is occupied."""
        return next((seat for seat in self.seats if seat.seat == number), None)


class ChainStart(msgspec.Struct, frozen=True):
    """A new chain from the store, which has stored s_n encrypted."""

    id: str
    commitment: str
    length: int


class TableContext(msgspec.Struct, frozen=True, kw_only=True):
    """The inputs of a transition from outside. The functions are called only for values that are needed."""

    now: int
    terms: TableTerms
    """The terms of the next window."""
    server_seed: Callable[[str, int], str]
    """Return s_i of a chain, by the chain's id and i."""
    chain_new: Callable[[], ChainStart]
    id_new: Callable[[], str]
    """Return a new UUID v4, for rounds and messages."""
    funds: Mapping[int, int] = {}
    """The balance of each seat's wallet, which is checked again when the change is written. Empty at points tables."""
    blocked: frozenset[int] = frozenset()
    """The seats whose players may not stake. Their funds are 0; a refusal says why."""
    stake_limits: Mapping[int, int] = {}
    """The highest stake of each seat's player in a round."""
    drop_ms: int = 120_000
    """Milliseconds for which a seat without a socket is kept."""


class EventAudience(Enum):
    """The receivers of an event."""

    ALL = "all"
    """Every seat and every watcher."""
    SEAT = "seat"
    WATCHERS = "watchers"
    """Every watcher, without the seats."""


class GameplayEvent(msgspec.Struct, frozen=True, kw_only=True):
    """A gameplay message, without the envelope's `gameType`, `tableId`, `timestamp` and `sequence`."""

    id: str
    """Its `messageId`, the same for all who get it."""
    type: str
    audience: EventAudience = EventAudience.ALL
    seat: int | None = None
    """The seat for EventAudience.SEAT."""
    fields: Json
    """The message without the envelope: `payload` and the fields beside it (`timeoutSeconds`, `protocolVersion`)."""
    live: Json = {}
    """Fields of `payload` that are delivered but not stored with the event (road maps)."""


class MoveKind(Enum):
    """The reason of a movement of money."""

    BET = "bet"
    REFUND = "refund"
    REWARD = "reward"


class SeatMovement(msgspec.Struct, frozen=True):
    """A movement of a seat's money, above 0, in booking order; points tables have none."""

    round_id: str
    seat: int
    player: str
    kind: MoveKind
    units: int


class ActionRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the round's log: an action that was carried out."""

    round_id: str
    seat: int
    action: SeatAction
    timeout: bool = False


class Ending(Enum):
    """The ends of a table's round."""

    SETTLED = "settled"
    UNSTAKED = "unstaked"
    """Nobody staked in its window: no card was dealt."""
    VOIDED = "voided"
    """All stakes were refunded."""


class SeatOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of a round for a seat that staked."""

    seat: int
    player: str
    player_id: str
    bets: Bets
    """The stakes before the deal."""
    staked: int
    """The sum of all stakes."""
    paid: int
    hands: Sequence[Json]
    extra: Json
    """Further fields of the seat in `results`."""


class RoundClosed(msgspec.Struct, frozen=True, kw_only=True):
    """A round that has ended; with `TableRoundState` it is the whole record."""

    round: TableRoundState[Any]
    ending: Ending
    seed: str
    ended: int
    outcomes: tuple[SeatOutcome, ...]
    """The outcomes of the seats that staked, in seat order."""
    public: Json
    """The public state at its end without the seats, so the table's cards."""
    drawn: int
    """The number of dealt cards."""


class SeatFreed(msgspec.Struct, frozen=True):
    """A freed seat."""

    seat: int
    player: str
    reason: str
    """`left`, `dropped`, `idle` or `closed`."""


class ActionRefusal(msgspec.Struct, frozen=True):
    """The refusal of an action: a `game_error` or `error` to its sender, before the events that come with it."""

    code: ActionRefusalCode
    message: str


class TableChange(msgspec.Struct, Generic[S], frozen=True, kw_only=True):
    """The result of a transition; the store writes all of it in one transaction, or nothing."""

    state: TableState[S]
    """If nothing has changed, the same object that the transition was given."""
    events: tuple[GameplayEvent, ...] = ()
    movements: tuple[SeatMovement, ...] = ()
    actions: tuple[ActionRow, ...] = ()
    opened: tuple[TableRoundState[Any], ...] = ()
    """Rounds whose windows were opened."""
    closed: tuple[RoundClosed, ...] = ()
    chains: tuple[tuple[ChainStart, int], ...] = ()
    """Chains that begin, each with the number of its first round."""
    freed: tuple[SeatFreed, ...] = ()
    refusal: ActionRefusal | None = None
    """A refusal may come with changes, because a deadline may have passed before the action."""
