"""The data of a table that a change reads: its state, its terms, its seats, and the time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, NamedTuple

import msgspec

from apps.core import json
from apps.core.money import quantum_of
from apps.rounds.table_game import TableGame, TableTerms
from apps.tables.chain_seeds import NewChain, chain_seeds
from apps.tables.engine.state import ChainStart, MoveKind, TableChange, TableContext, TableState
from apps.tables.messages import message_id_make
from apps.tables.registry import table_game_of


@dataclass(frozen=True, slots=True)
class TableConfig:
    """The settings of a table, which a change of its state leaves unchanged."""

    version: int
    partner_id: int
    game: TableGame[Any]
    currency: str | None
    """None: points."""
    decimals: int
    is_play: bool
    name: str
    terms: TableTerms

    @property
    def quantum(self) -> Decimal:
        return quantum_of(self.decimals)


class SeatHolder(NamedTuple):
    """The player of a seat, and the balance of the wallet."""

    seat: int
    player_id: int
    session_id: int
    wallet_id: int | None
    balance: Decimal | None
    max_stake: Decimal | None
    may_stake: bool
    has_socket: bool


@dataclass(frozen=True, slots=True)
class Caller:
    """A session, its socket, and the message that it has sent."""

    session_id: int
    socket: str
    message_id: str


class CallerStanding(NamedTuple):
    """The database's facts about a caller."""

    is_live: bool
    """Whether the session is still valid."""
    is_held: bool
    """Whether the socket holds the session."""
    is_used: bool
    """Whether the session has sent a message with this id before."""


@dataclass(frozen=True, slots=True)
class TableSnapshot:
    """A table and all data from which a change is computed, read at one time."""

    table_id: str
    now_ms: int
    version: int
    state: TableState[Any]
    config: TableConfig
    holders: Mapping[int, SeatHolder]
    """By seat."""
    callers: Sequence[CallerStanding] = ()
    is_recalled: bool = False
    """Whether it comes from this process's memory: the database then checks it before it writes the change."""
    funds_read: set[int] = field(default_factory=set)
    """The seats whose funds the change depends on."""
    new_chains: list[NewChain] = field(default_factory=list)
    """The new chains that the change has requested."""

    def holder_of(self, session_id: int) -> SeatHolder | None:
        """Return the seat that a session acts for."""
        return next((holder for holder in self.holders.values() if holder.session_id == session_id), None)

    def after(self, change: TableChange[Any]) -> "TableSnapshot":
        """Return the table after the change, for a further change at the same time."""
        freed = {seat.seat for seat in change.freed}
        holders = {seat: holder for seat, holder in self.holders.items() if seat not in freed}
        for move in change.movements:
            holder = holders.get(move.seat)
            if holder is not None and holder.balance is not None:
                units = -move.units if move.kind is MoveKind.BET else move.units
                holders[move.seat] = holder._replace(balance=holder.balance + units * self.config.quantum)
        return replace(self, state=change.state, holders=holders)

    def context(self, *, drop_ms: int) -> TableContext:
        """Return the engine's context. A player who may not stake has funds of 0 in it."""
        terms, quantum = self.config.terms, self.config.quantum
        funds = {} if terms.is_points else {
            seat: int((holder.balance or 0) / quantum) if holder.may_stake else 0
            for seat, holder in self.holders.items()
        }  # fmt: skip
        return TableContext(
            now=self.now_ms,
            terms=terms,
            server_seed=chain_seeds.seed,
            chain_new=self._chain_new,
            id_new=message_id_make,
            funds=_FundsRead(funds, self.funds_read),
            blocked=frozenset(seat for seat, holder in self.holders.items() if not holder.may_stake),
            stake_limits={
                seat: int(holder.max_stake / quantum)
                for seat, holder in self.holders.items()
                if holder.max_stake is not None
            },
            drop_ms=drop_ms,
        )

    def _chain_new(self) -> ChainStart:
        chain = chain_seeds.make()
        self.new_chains.append(chain)
        return chain.start


class _FundsRead(dict[int, int]):
    """Funds by seat, which records the seats that were read."""

    def __init__(self, funds: Mapping[int, int], read: set[int]) -> None:
        super().__init__(funds)
        self._read = read

    def get(self, seat: int, default: Any = None, /) -> Any:
        self._read.add(seat)
        return super().get(seat, default)


class SeatTakenBy(NamedTuple):
    """A seat that the change assigns to a session: a new seat, or the seat of another session of the player."""

    seat: int
    player_id: int
    session_id: int
    wallet_id: int | None


class Notice(NamedTuple):
    """An event for one session, or, if `recipient` is None, for all sessions at the table but `excluded` ones."""

    recipient: int | None
    excluded: Sequence[int]
    tail: str
    """The message without its opening brace, `sequence` and `timestamp`: the part that is the same for everybody."""

    def is_for(self, session_id: int) -> bool:
        """Return whether a session at the table receives it."""
        return session_id not in self.excluded if self.recipient is None else session_id == self.recipient


class Delivery(NamedTuple):
    """The events of a committed change."""

    table_id: str
    version: int
    notices: Sequence[Notice]


def table_config_read(version: int, text: str) -> TableConfig:
    config = json.decode_object(text)
    game = table_game_of(str(config["game_type"]))
    currency = config["currency"]
    given: dict[str, Any] = {
        name: config[name]
        for name in ("seats", "rules", "limits", "odds", "cut_card", "window_ms", "turn_ms", "pause_ms")
    }
    decimals = int(config["decimals"] or 0)  # type: ignore[call-overload]
    is_play = bool(config["is_play"])
    terms = table_terms(game, is_points=currency is None, decimals=decimals, is_play=is_play, given=given)
    return TableConfig(
        version,
        int(config["partner_id"]),  # type: ignore[call-overload]
        game,
        None if currency is None else str(currency),
        decimals,
        is_play,
        str(config["name"]),
        terms,
    )


def table_terms(
    game: TableGame[Any], *, is_points: bool, decimals: int, is_play: bool, given: Mapping[str, Any]
) -> TableTerms:
    """Return a table's terms, with the game's defaults for missing members. Raises TermsError."""
    return game.terms_read(
        is_points=is_points,
        decimals=decimals,
        contribution_required=not is_points and not is_play,
        **{name: value for name, value in given.items() if value is not None and value != {}},
    )


def caller_standings_read(text: str | None) -> list[CallerStanding]:
    return [] if text is None else [CallerStanding(*row) for row in msgspec.json.decode(text)]


def seat_holders_read(text: str | None) -> dict[int, SeatHolder]:
    if text is None:
        return {}
    return {
        row["seat"]: SeatHolder(
            row["seat"],
            row["player"],
            row["session"],
            row["wallet"],
            None if row["balance"] is None else Decimal(row["balance"]),
            None if row["max_stake"] is None else Decimal(row["max_stake"]),
            row["may_stake"],
            row["has_socket"],
        )
        for row in msgspec.json.decode(text)
    }
