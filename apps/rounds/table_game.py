"""What a game tells the tables about itself: the type of each `TABLE` (`apps/<game>/table.py`). Pure.

A table knows seats, windows, turns and deadlines; the game knows bets, cards and results. Amounts are integers in the
currency's smallest unit, or points. A position is the place of a seat among the seats that stake in a round, from 0.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from enum import Enum
from typing import Any, ClassVar, Final, Generic, TypeVar

import msgspec

from apps.cards.shoe import INFINITE_DECKS, Shoe

Json = dict[str, Any]
Bets = Mapping[str, int]
"""The bets of a seat in a round by their types, none of them 0."""

PLACE_BET: Final = "place_bet"
CLEAR_BETS: Final = "clear_bets"
READY: Final = "ready"
NO_BET: Final = "no_bet"
WINDOW_ACTIONS: Final = (PLACE_BET, CLEAR_BETS, READY, NO_BET)


class GameModel(Enum):
    """Who may act when; the names on the wire."""

    TURN_BASED = "turn_based"
    PHASE_BASED = "phase_based"


class GameCode(Enum):
    """The codes of `game_error`."""

    INVALID_ACTION = "INVALID_ACTION"
    INVALID_AMOUNT = "INVALID_AMOUNT"
    NOT_YOUR_TURN = "NOT_YOUR_TURN"
    ROUND_COMPLETE = "ROUND_COMPLETE"
    BETTING_WINDOW_CLOSED = "BETTING_WINDOW_CLOSED"
    TIMEOUT = "TIMEOUT"
    INSUFFICIENT_BALANCE = "INSUFFICIENT_BALANCE"
    """On the wire it is the code of an `error`."""


class TableRefusal(Exception):
    """An action that is not carried out; the sentence is for the player."""

    def __init__(self, code: GameCode, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class PayloadInvalid(ValueError):
    """A `submit_action` whose payload has a field of the wrong type (`INVALID_MESSAGE`); the sentence names it."""


class TermsError(ValueError):
    """Terms that no table is played under; the sentence names the field."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field


class BetLimits(msgspec.Struct, frozen=True):
    """The lowest and highest stake of a type of bet."""

    least: int
    most: int


class TableTerms(msgspec.Struct, frozen=True, kw_only=True):
    """All that decides how a round is played and paid; pinned when its betting window opens.

    `TableGame.terms_read` makes and checks them.
    """

    is_points: bool
    decimals: int
    """Of the currency; 0 at a points table."""
    contribution_required: bool
    """Real money: a seat without a contribution to the client seed sits out."""
    seats: int
    rules: Mapping[str, Any]
    """The game's options, all of them, by their names on the wire. `decks` is among them, null for infinite."""
    limits: Mapping[str, BetLimits]
    """By type of bet; a type that is missing is not on offer."""
    odds: Mapping[str, str]
    """X to 1, as exact fractions (`19/20`)."""
    cut_card: int
    """A shoe with at most that many cards left is not dealt from again."""
    window_ms: int
    turn_ms: int
    pause_ms: int

    @property
    def decks(self) -> int:
        """1 to 8, or INFINITE_DECKS."""
        decks: int | None = self.rules["decks"]
        return INFINITE_DECKS if decks is None else decks

    def amount(self, units: int) -> int | Decimal:
        """Return an amount as it is written on the wire: exact, without zeros behind it."""
        whole, rest = divmod(units, int(10**self.decimals))
        if not rest:
            return whole
        return Decimal(format(Decimal(units).scaleb(-self.decimals), "f").rstrip("0"))

    def units(self, amount: int | Decimal, field: str) -> int:
        """Return the smallest units of an amount of the wire. Raises TableRefusal for one that is not exact."""
        if not -(10**15) < amount < 10**15:
            raise TableRefusal(GameCode.INVALID_AMOUNT, f"{field} is larger than any wallet")
        scaled = Decimal(amount).scaleb(self.decimals)
        if scaled != scaled.to_integral_value():
            raise TableRefusal(GameCode.INVALID_AMOUNT, f"{field} has more than {self.decimals} decimals")
        return int(scaled)


class TableAction(msgspec.Struct, frozen=True, omit_defaults=True):
    """A decision of a player, read and in smallest units."""

    name: str
    """As on the wire."""
    amount: int | None = None
    bet_type: str = ""
    extra: Mapping[str, int] = {}
    """Further stakes in the same action, by their names on the wire (`perfectPairs`)."""


class SeatFunds(msgspec.Struct, frozen=True):
    """What a seat can stake."""

    balance: int | None
    """What its wallet holds now, stakes that are booked taken off; None at a points table, where nothing is refused."""
    points: int = 0
    """Its score at a points table."""
    stake_limit: int | None = None
    """The most that it may stake in a round before the deal, all bets together."""


class SeatResult(msgspec.Struct, frozen=True):
    """What a round came to for a seat, all its bets together."""

    staked: int
    paid: int
    """Stakes that came back included; below 0 only where a points table is inverted."""
    hands: Sequence[Json]
    """As `results` of `round_result` lists them."""
    extra: Json = {}
    """What else an entry of `results` says."""


class TableMessages(msgspec.Struct, frozen=True, kw_only=True):
    """The types of the game's parts of the messages: JSON Schemas are made of them, and all that is sent fits them."""

    action: Any
    """The `payload` of `submit_action`: a union, told apart by `action`."""
    window: type[msgspec.Struct]
    """The `payload` of `betting_window_open`."""
    request: type[msgspec.Struct] | None
    """The `payload` of `game_action_request`; None where nobody is asked."""
    broadcast: type[msgspec.Struct]
    """The `payload` of `player_action_broadcast`."""
    state: type[msgspec.Struct]
    """The public state: the `payload` of `game_state_update`, and every `resultingState` and `currentState`."""
    result: type[msgspec.Struct]
    """The `payload` of `round_result`."""


class TableTexts(msgspec.Struct, frozen=True, kw_only=True):
    """What the game's specification says in words, as Markdown without headings above `####`."""

    overview: str
    """What the game is about and how one wins, in a paragraph or two."""
    rules: str
    """The order of a round, what cards count, who wins what."""
    strategy: str
    """Advice for somebody who has never played."""
    variants: str
    """What a table may set otherwise, by its names in `rules`."""


class BetEdge(msgspec.Struct, frozen=True):
    """What the house keeps of a bet under the table's terms, as text: `1.06%`."""

    bet: str
    label: str
    edge: str
    """Empty while it is not known."""
    favours_player: bool = False
    """The house would lose money on it in the long run."""


S = TypeVar("S")


class TableGame(ABC, Generic[S]):
    """A game at tables. `S` is its round: frozen, and without a card that lies face down."""

    game_type: ClassVar[str]
    """On the wire."""
    game_id: ClassVar[str]
    """Of the game in the registry (`apps/rounds/registry.py`), whose rounds and records the table's belong to."""
    title: ClassVar[str]
    category: ClassVar[str] = "table"
    model: ClassVar[GameModel]
    seats_max: ClassVar[int]
    spec_version: ClassVar[str] = "1.0.0"
    default_timeout_action: ClassVar[str]
    window_ms: ClassVar[int]
    window_most_ms: ClassVar[int] = 60_000
    turn_ms: ClassVar[int]
    pause_ms: ClassVar[int]
    bet_labels: ClassVar[Mapping[str, str]]
    """The types of bets by their names on the wire, with what people call them."""
    rule_choices: ClassVar[Mapping[str, Sequence[Any]]] = {"decks": (*range(1, 9), None)}
    """What an option that is neither true nor false may be, by its name on the wire."""
    points_rules: ClassVar[frozenset[str]] = frozenset()
    """Options that only tables for points have, by their names on the wire."""
    result_labels: ClassVar[Mapping[str, str]] = {}
    """What people call results that are not words of their own, by their names on the wire."""
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
        """Return terms with the game's defaults for all that is not given. Raises TermsError.

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
            window_ms=_within("windowSeconds", window_ms, self.window_ms, _WINDOW_LEAST_MS, self.window_most_ms),
            turn_ms=_within("turnSeconds", turn_ms, self.turn_ms, *_TURN_MS),
            pause_ms=_within("pauseSeconds", pause_ms, self.pause_ms, *_PAUSE_MS),
        )
        default, least = self.cut_card_span(terms)
        if terms.decks == INFINITE_DECKS:
            default = least = most = 0
        else:
            most = 52 * terms.decks * 3 // 4
        if not terms.limits:
            raise TermsError("limits", "a bet has to be on offer")
        self.terms_check(terms)
        return msgspec.structs.replace(terms, cut_card=_within("cutCard", cut_card, default, least, most))

    def terms_check(self, terms: TableTerms) -> None:
        """Look at the terms as a whole. Raises TermsError."""

    @abstractmethod
    def rules_read(self, rules: Mapping[str, Any], *, is_points: bool) -> Json:
        """Return all options of the game, with its defaults for those that are missing. Raises TermsError."""

    @abstractmethod
    def limits_default(self, rules: Mapping[str, Any], *, is_points: bool, decimals: int) -> dict[str, BetLimits]:
        """Return the limits of a table that is given none."""

    @abstractmethod
    def odds_read(self, odds: Mapping[str, Any]) -> dict[str, str]:
        """Return all odds of the game, the standard ones for those that are missing. Raises TermsError."""

    @abstractmethod
    def cut_card_span(self, terms: TableTerms) -> tuple[int, int]:
        """Return the cut card of a table that is given none, and the lowest one that is allowed."""

    @abstractmethod
    def house_edges(self, terms: TableTerms) -> Sequence[BetEdge]:
        """Return each bet on offer with its house edge, the main bet first."""

    @abstractmethod
    def stake_span(self, terms: TableTerms, points: int = 0) -> BetLimits:
        """Return the lowest stake that a round is entered with, and the highest of one bet."""

    # Betting

    @abstractmethod
    def action_read(self, terms: TableTerms, payload: Mapping[str, Any]) -> TableAction:
        """Read the payload of a `submit_action`. Raises TableRefusal for an action there is not, PayloadInvalid."""

    @abstractmethod
    def window_actions(self, terms: TableTerms, funds: SeatFunds) -> Sequence[Json]:
        """Return `availableActions` of a betting window."""

    @abstractmethod
    def bets_after(self, terms: TableTerms, bets: Bets, action: TableAction, funds: SeatFunds) -> Bets:
        """Return the bets of a seat after `place_bet`. Raises TableRefusal."""

    def bets_view(self, terms: TableTerms, bets: Bets) -> Json:
        """Return a seat's bets as the public state has them (`stakes`)."""
        return {name: terms.amount(stake) for name, stake in bets.items()}

    # The round

    @abstractmethod
    def round_start(self, terms: TableTerms, stakes: Sequence[Bets], shoe: Shoe) -> S:
        """Deal a round for the seats that stake, and play it to the first decision there is."""

    def waits_for(self, state: S) -> Sequence[int]:
        """Return the positions that a decision is waited for from."""
        return ()

    def is_collected(self, state: S) -> bool:
        """Say whether the answers of all who are asked are carried out together, in seat order, when all are in."""
        return False

    def request_view(self, terms: TableTerms, state: S, position: int, funds: SeatFunds) -> Json:
        """Return what `game_action_request` says beside the public state: `availableActions`, the hand."""
        raise NotImplementedError

    def action_cost(self, terms: TableTerms, state: S, position: int, action: TableAction) -> int:
        """Return what a decision adds to the stakes of its seat. Raises TableRefusal for one that is not on offer."""
        raise NotImplementedError

    def action_full(self, terms: TableTerms, state: S, position: int, action: TableAction) -> TableAction:
        """Return the decision with the amount that it leaves to the game (`insurance` without one)."""
        return action

    def action_apply(self, terms: TableTerms, state: S, position: int, action: TableAction, shoe: Shoe) -> S:
        """Carry out a decision that `action_cost` has accepted."""
        raise NotImplementedError

    def practice_action(self, request: Json, seat: Json) -> Json:
        """Return what a practice bot answers to the payload of a `game_action_request`; `seat` is its own in it."""
        return {"action": self.default_timeout_action}

    def default_action(self, state: S, position: int) -> TableAction:
        """Return what is done for a position whose time is over."""
        raise NotImplementedError

    @abstractmethod
    def is_over(self, state: S) -> bool:
        """Say whether nothing is open any more."""

    @abstractmethod
    def drawn(self, state: S) -> int:
        """Return how many cards the round has taken from its shoe, cards that lie face down included."""

    @abstractmethod
    def public_view(self, terms: TableTerms, state: S) -> Json:
        """Return what all may see of the round, beside the seats."""

    @abstractmethod
    def seat_view(self, terms: TableTerms, state: S, position: int) -> Json:
        """Return what all may see of a seat of the round: its hands, its stakes."""

    @abstractmethod
    def results(self, terms: TableTerms, state: S) -> Sequence[SeatResult]:
        """Return by position what the round came to."""

    # History

    @abstractmethod
    def summary(self, state: S) -> str:
        """Return what is kept of a round while its shoe lasts: a short code, which `summary_view` reads."""

    @abstractmethod
    def summary_view(self, summary: str) -> Json:
        """Return what `previousResults` says of a round, beside its number."""

    def history_view(self, summaries: Sequence[str]) -> Json:
        """Return what the public state shows of the rounds of the shoe, the oldest first (road maps)."""
        return {}

    # Storage

    @abstractmethod
    def state_to_json(self, state: S) -> Json:
        """Return a round as JSON. The rules are left out: the terms have them."""

    @abstractmethod
    def state_from_json(self, terms: TableTerms, data: Json) -> S:
        """Return the round that `state_to_json` wrote."""


def limits_read(limits: Mapping[str, Any], known: Mapping[str, str], *, decimals: int) -> dict[str, BetLimits]:
    """Return limits as `terms_read` takes them, in smallest units. Raises TermsError."""
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
        raise TermsError(field, f"an amount above 0 with at most {decimals} decimals is expected")
    return int(scaled)


_WINDOW_LEAST_MS: Final = 1_000
_TURN_MS: Final = (5_000, 60_000)
_PAUSE_MS: Final = (0, 30_000)
MAX_UNITS: Final = 10**20
