"""The interface between a game and the tables: the type of each `TABLE` (`apps/<game>/table.py`). Pure.

A table knows seats, windows, turns and deadlines; the game knows bets, cards and results. Amounts are integers in the
currency's smallest unit, or points. A position is the index of a seat among the seats that stake in a round, from 0.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from enum import Enum
from typing import Any, ClassVar, Final, Generic, TypeVar

import msgspec

from apps.cards.shoe import INFINITE_DECKS, Shoe
from apps.core.money import MAX_AMOUNT, plain
from apps.paytables.paytable_rows import PaytableRow

Json = dict[str, Any]
Bets = Mapping[str, int]
"""The stakes of a seat in a round by type of bet, none of them 0."""

PLACE_BET: Final = "place_bet"
CLEAR_BETS: Final = "clear_bets"
READY: Final = "ready"
NO_BET: Final = "no_bet"
WINDOW_ACTIONS: Final = (PLACE_BET, CLEAR_BETS, READY, NO_BET)

MAX_SEATS: Final = 14
"""The most seats of a table of any game."""
WINDOW_MS: Final = (1_000, 60_000)
"""The shortest and the longest betting window of any game."""
TURN_MS: Final = (5_000, 60_000)
PAUSE_MS: Final = (0, 30_000)


class GameModel(Enum):
    """The turn order: one seat at a time, or all at once. The values are the names on the wire."""

    TURN_BASED = "turn_based"
    PHASE_BASED = "phase_based"


class ActionRefusalCode(Enum):
    """The reasons why a table refuses an action."""

    INVALID_ACTION = "INVALID_ACTION"
    INVALID_AMOUNT = "INVALID_AMOUNT"
    NOT_YOUR_TURN = "NOT_YOUR_TURN"
    ROUND_COMPLETE = "ROUND_COMPLETE"
    BETTING_WINDOW_CLOSED = "BETTING_WINDOW_CLOSED"
    TIMEOUT = "TIMEOUT"
    INSUFFICIENT_BALANCE = "INSUFFICIENT_BALANCE"
    """Sent as the code of an `error`."""
    PLAYER_BLOCKED = "PLAYER_BLOCKED"
    """Sent as the code of an `error`, too."""


class TableRefusal(Exception):
    """The refusal of an action; the message is for the player."""

    def __init__(self, code: ActionRefusalCode, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class PayloadInvalid(ValueError):
    """A `submit_action` whose payload has a field of the wrong type (`INVALID_MESSAGE`); the message names it."""


class TermsError(ValueError):
    """Invalid terms of a table; the message names the field."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field


class BetLimits(msgspec.Struct, frozen=True):
    """The lowest and highest stake of a type of bet."""

    least: int
    most: int


class TableTerms(msgspec.Struct, frozen=True, kw_only=True):
    """All terms that decide how a round is played and paid; fixed when its betting window opens.

    `TableGame.terms_read` makes and checks them.
    """

    is_points: bool
    decimals: int
    """The decimals of the currency; 0 at a points table."""
    contribution_required: bool
    """For real money: a seat without a contribution to the client seed sits out."""
    seats: int
    rules: Mapping[str, Any]
    """All options of the game by their names on the wire, with `decks`, which is null for infinite decks."""
    limits: Mapping[str, BetLimits]
    """The limits by type of bet; a missing type is not on offer."""
    odds: Mapping[str, str]
    """X to 1, as exact fractions (`19/20`)."""
    cut_card: int
    """A new shoe is opened when at most this number of cards is left."""
    window_ms: int
    turn_ms: int
    pause_ms: int

    @property
    def decks(self) -> int:
        """1 to 8, or INFINITE_DECKS."""
        decks: int | None = self.rules["decks"]
        return INFINITE_DECKS if decks is None else decks

    def amount(self, units: int) -> int | Decimal:
        """Return an amount for the wire: exact, without trailing zeros."""
        whole, rest = divmod(units, int(10**self.decimals))
        if not rest:
            return whole
        return Decimal(format(Decimal(units).scaleb(-self.decimals), "f").rstrip("0"))

    def units(self, amount: int | Decimal, field: str) -> int:
        """Return an amount of the wire in smallest units. Raises TableRefusal if it has too many decimals."""
        if not -(10**15) < amount < 10**15:
            raise TableRefusal(
                ActionRefusalCode.INVALID_AMOUNT, f"{field} is larger than a wallet can hold, {MAX_AMOUNT}"
            )
        scaled = Decimal(amount).scaleb(self.decimals)
        if scaled != scaled.to_integral_value():
            raise TableRefusal(ActionRefusalCode.INVALID_AMOUNT, f"{field} has more than {self.decimals} decimals")
        return int(scaled)


class SeatAction(msgspec.Struct, frozen=True, omit_defaults=True):
    """An action of a player, parsed, with amounts in smallest units."""

    name: str
    """The name on the wire."""
    amount: int | None = None
    bet_type: str = ""
    extra: Mapping[str, int] = {}
    """Further stakes in the same action, by their names on the wire (`perfectPairs`)."""


class SeatDecision(msgspec.Struct, frozen=True):
    """A decision that a player took in a round."""

    play: Any
    """The state of the round before it."""
    position: int
    action: SeatAction


class SeatFunds(msgspec.Struct, frozen=True):
    """The funds of a seat."""

    balance: int | None
    """The wallet's balance without booked stakes; None at a points table, where the balance refuses no stake."""
    points: int = 0
    """Its score at a points table."""
    stake_limit: int | None = None
    """The highest sum of its bets in a round before the deal."""


class SeatResult(msgspec.Struct, frozen=True):
    """The result of a round for a seat, all its bets together."""

    staked: int
    paid: int
    """The payout, returned stakes included; below 0 only at an inverted points table."""
    hands: Sequence[Json]
    """The hands in the form of `results` of `round_result`."""
    extra: Json = {}
    """Further fields of the entry in `results`."""


class TableMessages(msgspec.Struct, frozen=True, kw_only=True):
    """The types of the game's payloads: JSON Schemas are generated from them, and every sent message fits them."""

    action: Any
    """The `payload` of `submit_action`: a union with the tag `action`."""
    window: type[msgspec.Struct]
    """The `payload` of `betting_window_open`."""
    request: type[msgspec.Struct] | None
    """The `payload` of `game_action_request`; None for a game without decisions."""
    broadcast: type[msgspec.Struct]
    """The `payload` of `player_action_broadcast`."""
    state: type[msgspec.Struct]
    """The public state: the `payload` of `game_state_update`, and every `resultingState` and `currentState`."""
    result: type[msgspec.Struct]
    """The `payload` of `round_result`."""


class TableTexts(msgspec.Struct, frozen=True, kw_only=True):
    """The prose of the game's specification, as Markdown without headings above `####`."""

    overview: str
    """The aim of the game and how a player wins, in a paragraph or two."""
    rules: str
    """The order of a round, the values of cards, and the payouts."""
    strategy: str
    """Advice for a first-time player."""
    variants: str
    """The options that a table may set, by their names in `rules`."""


class BetEdge(msgspec.Struct, frozen=True):
    """The house edge of a bet under the table's terms, as text: `1.06%`."""

    bet: str
    label: str
    edge: str
    """The house edge as text; empty while it is unknown."""
    favours_player: bool = False
    """Whether the house would lose money on the bet in the long run."""
    edge_pct: Decimal | None = None
    """The same figure in percent with six decimals; None while it is unknown."""
    lines: Sequence[PaytableRow] = ()
    """Every result of the bet; empty if the results depend on the player's decisions."""


S = TypeVar("S")


class TableGame(ABC, Generic[S]):
    """A game at tables. `S` is the state of its round: frozen, and without face-down cards."""

    game_type: ClassVar[str]
    """The name on the wire."""
    game_id: ClassVar[str]
    """The id in the registry (`apps/rounds/registry.py`) of the game that the table's rounds and records belong to."""
    title: ClassVar[str]
    category: ClassVar[str] = "table"
    model: ClassVar[GameModel]
    seats_max: ClassVar[int] = MAX_SEATS
    spec_version: ClassVar[str] = "1.1.0"
    default_timeout_action: ClassVar[str]
    window_ms: ClassVar[int]
    window_max_ms: ClassVar[int] = WINDOW_MS[1]
    turn_ms: ClassVar[int]
    pause_ms: ClassVar[int]
    bet_labels: ClassVar[Mapping[str, str]]
    """The labels of the types of bets, by their names on the wire."""
    bet_places: ClassVar[Sequence[str]]
    """The names of the types of bets in the order of their spots, which is the solo table's."""
    rule_choices: ClassVar[Mapping[str, Sequence[Any]]] = {"decks": (*range(1, 9), None)}
    """The choices of each option that is not a boolean, by its name on the wire."""
    points_rules: ClassVar[frozenset[str]] = frozenset()
    """The options that only points tables have, by their names on the wire."""
    result_labels: ClassVar[Mapping[str, str]]
    """The names of bets' results for people, by those on the wire."""
    messages: ClassVar[TableMessages]
    texts: ClassVar[TableTexts]

    # Terms

    def terms_read(
        self,
        *,
        is_points: bool,
        decimals: int,
        contribution_required: bool,
        seats: int | None = None,
        rules: Mapping[str, Any] | None = None,
        limits: Mapping[str, Any] | None = None,
        odds: Mapping[str, Any] | None = None,
        cut_card: int | None = None,
        window_ms: int | None = None,
        turn_ms: int | None = None,
        pause_ms: int | None = None,
    ) -> TableTerms:
        """Return terms with the game's defaults for missing members. Raises TermsError.

        `rules` are options by their names on the wire; `limits` are `{betType: {minAmount, maxAmount}}` in units of
        the currency; `odds` are X to 1, as texts or numbers.
        """
        read = self.rules_read(rules or {}, is_points=is_points)
        if limits is None:
            all_limits = self.limits_default(read, is_points=is_points, decimals=decimals)
        else:
            all_limits = limits_read(limits, self.bet_labels, decimals=decimals)
        terms = TableTerms(
            is_points=is_points,
            decimals=decimals,
            contribution_required=contribution_required,
            seats=_within("seats", seats, self.seats_max, 1, self.seats_max),
            rules=read,
            limits=all_limits,
            odds=self.odds_read(odds or {}),
            cut_card=0,
            window_ms=_within("windowSeconds", window_ms, self.window_ms, WINDOW_MS[0], self.window_max_ms),
            turn_ms=_within("turnSeconds", turn_ms, self.turn_ms, *TURN_MS),
            pause_ms=_within("pauseSeconds", pause_ms, self.pause_ms, *PAUSE_MS),
        )
        default, least = self.cut_card_default_and_least(terms)
        if terms.decks == INFINITE_DECKS:
            default = least = most = 0
        else:
            most = 52 * terms.decks * 3 // 4
        if not terms.limits:
            raise TermsError("limits", "a bet has to be on offer")
        self.terms_check(terms)
        return msgspec.structs.replace(terms, cut_card=_within("cutCard", cut_card, default, least, most))

    def terms_check(self, terms: TableTerms) -> None:
        """Check rules that span several fields. Raises TermsError."""

    @abstractmethod
    def rules_read(self, rules: Mapping[str, Any], *, is_points: bool) -> Json:
        """Return all options of the game, with the defaults for missing ones. Raises TermsError."""

    @abstractmethod
    def limits_default(self, rules: Mapping[str, Any], *, is_points: bool, decimals: int) -> dict[str, BetLimits]:
        """Return the default limits."""

    @abstractmethod
    def odds_read(self, odds: Mapping[str, Any]) -> dict[str, str]:
        """Return all odds of the game, with the standard odds for missing ones. Raises TermsError."""

    @abstractmethod
    def cut_card_default_and_least(self, terms: TableTerms) -> tuple[int, int]:
        """Return the default cut card, and the lowest one that is allowed."""

    @abstractmethod
    def house_edges(self, terms: TableTerms) -> Sequence[BetEdge]:
        """Return each bet on offer with its house edge, the main bet first."""

    @abstractmethod
    def stake_span(self, terms: TableTerms, points: int = 0) -> BetLimits:
        """Return the lowest stake for a round, and the highest stake on one bet."""

    # Betting

    @abstractmethod
    def action_read(self, terms: TableTerms, payload: Mapping[str, Any]) -> SeatAction:
        """Read the payload of a `submit_action`. Raises TableRefusal for an unknown action, PayloadInvalid."""

    @abstractmethod
    def window_actions(self, terms: TableTerms, funds: SeatFunds) -> Sequence[Json]:
        """Return `availableActions` of a betting window."""

    @abstractmethod
    def bets_after(self, terms: TableTerms, bets: Bets, action: SeatAction, funds: SeatFunds) -> Bets:
        """Return the bets of a seat after `place_bet`. Raises TableRefusal."""

    @abstractmethod
    def highest_payout(self, terms: TableTerms, bets: Bets) -> int:
        """Return an upper bound of the payout of a round with these stakes of a seat, in smallest units."""

    def bets_view(self, terms: TableTerms, bets: Bets) -> Json:
        """Return a seat's bets in the form of the public state (`stakes`)."""
        return {name: terms.amount(stake) for name, stake in bets.items()}

    # The round

    @abstractmethod
    def round_start(self, terms: TableTerms, stakes: Sequence[Bets], shoe: Shoe) -> S:
        """Deal a round for the seats that stake, and play it to the first decision."""

    def waits_for(self, state: S) -> Sequence[int]:
        """Return the positions that have to decide now."""
        return ()

    def is_collected(self, state: S) -> bool:
        """Return whether the answers are collected, and carried out together in seat order after the last one."""
        return False

    def request_view(self, terms: TableTerms, state: S, position: int, funds: SeatFunds) -> Json:
        """Return the fields of `game_action_request` beside the public state: `availableActions`, the hand."""
        raise NotImplementedError

    def action_cost(self, terms: TableTerms, state: S, position: int, action: SeatAction) -> int:
        """Return the amount that a decision adds to its seat's stakes. Raises TableRefusal if it is not on offer."""
        raise NotImplementedError

    def action_full(self, terms: TableTerms, state: S, position: int, action: SeatAction) -> SeatAction:
        """Return the decision with its amount, which the player may have left out (`insurance`)."""
        return action

    def action_apply(self, terms: TableTerms, state: S, position: int, action: SeatAction, shoe: Shoe) -> S:
        """Carry out a decision that `action_cost` has accepted."""
        raise NotImplementedError

    def practice_action(self, request: Json, seat: Json) -> Json:
        """Return a practice bot's answer to the payload of a `game_action_request`; `seat` is the bot's seat in it."""
        return {"action": self.default_timeout_action}

    def default_action(self, state: S, position: int) -> SeatAction:
        """Return the action that is taken for a position after a time-out."""
        raise NotImplementedError

    def card_places(
        self, terms: TableTerms, stakes: Mapping[int, Bets], decisions: Sequence[tuple[int, SeatAction]], shoe: Shoe
    ) -> Sequence[str]:
        """Return the place of each card of a finished round, in dealing order, face-down cards included. `stakes` and
        `decisions` are by the numbers of seats. Empty if the dealing order alone determines it.
        """
        return ()

    @abstractmethod
    def is_over(self, state: S) -> bool:
        """Return whether the round is over."""

    @abstractmethod
    def drawn(self, state: S) -> int:
        """Return the number of cards taken from the shoe, face-down cards included."""

    @abstractmethod
    def public_view(self, terms: TableTerms, state: S) -> Json:
        """Return the public view of the round without the seats."""

    @abstractmethod
    def seat_view(self, terms: TableTerms, state: S, position: int) -> Json:
        """Return the public view of a seat: its hands, its stakes."""

    @abstractmethod
    def results(self, terms: TableTerms, state: S) -> Sequence[SeatResult]:
        """Return the results by position."""

    # History

    @abstractmethod
    def summary(self, state: S) -> str:
        """Return a short code of the round, which is kept while its shoe lasts and which `summary_view` reads."""

    @abstractmethod
    def summary_view(self, summary: str) -> Json:
        """Return the entry of a round in `previousResults`, without its number."""

    def history_view(self, summaries: Sequence[str]) -> Json:
        """Return the public state's view of the rounds of the shoe, oldest first (road maps)."""
        return {}

    # Storage

    @abstractmethod
    def state_to_json(self, state: S) -> Json:
        """Return a round as JSON without its rules, which are in the terms."""

    @abstractmethod
    def state_from_json(self, terms: TableTerms, data: Json) -> S:
        """Return the round that `state_to_json` wrote."""


def limits_read(limits: Mapping[str, Any], known: Mapping[str, str], *, decimals: int) -> dict[str, BetLimits]:
    """Return the limits that `terms_read` takes, converted to smallest units. Raises TermsError."""
    read = {}
    for bet, span in limits.items():
        if bet not in known:
            raise TermsError("limits", f"{bet[:20]!r} is no bet of this game; there is {', '.join(known)}")
        if not isinstance(span, Mapping) or set(span) != {"minAmount", "maxAmount"}:
            raise TermsError(f"limits.{bet}", "minAmount and maxAmount are expected")
        least, most = (_limit(f"limits.{bet}.{name}", span[name], decimals) for name in ("minAmount", "maxAmount"))
        if least > most:
            raise TermsError(f"limits.{bet}.minAmount", "it is above maxAmount")
        read[bet] = BetLimits(least, most)
    return read


def _within(field: str, value: int | None, default: int, least: int, most: int) -> int:
    if value is None:
        return default
    if type(value) is not int or not least <= value <= most:
        shown = (least // 1000, most // 1000) if field.endswith("Seconds") else (least, most)
        raise TermsError(field, f"{shown[0]} to {shown[1]} are possible")
    return value


def _limit(field: str, amount: Any, decimals: int) -> int:
    if isinstance(amount, bool) or not isinstance(amount, int | Decimal | str):
        raise TermsError(field, "an amount is expected")
    try:
        scaled = Decimal(amount).scaleb(decimals)
        is_exact = 1 <= scaled <= MAX_UNITS and scaled == scaled.to_integral_value()
    except InvalidOperation:
        raise TermsError(field, "an amount is expected") from None
    if not is_exact:
        most = plain(Decimal(MAX_UNITS).scaleb(-decimals))
        raise TermsError(field, f"an amount above 0, up to {most}, with at most {decimals} decimals is expected")
    return int(scaled)


MAX_UNITS: Final = 10**20
