"""The type `GameSpec` of each game's `GAME` (`apps/<game>/game.py`): all that the product knows about a game."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import Enum
from typing import Any, Final, Protocol
from uuid import UUID

from django.utils.functional import Promise
from drf_spectacular.utils import OpenApiExample

from apps.accounts.models import Player
from apps.core.body_limit import Application
from apps.core.staff_scope import Viewer
from apps.fairness.round_seeds import Seeds
from apps.partners.models import Partner
from apps.paytables.paytable_rows import BetFigures
from apps.rounds.bulk_check import BulkCheck
from apps.rounds.explanation import Explanation, Redeal
from apps.rounds.models import Round
from apps.rounds.table_game import BetEdge, SeatDecision, TableTerms

WAITING_SHOWN: Final = 20
"""The most pending rows of a game on the back office's first page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LobbyTile:
    """The game's texts in the lobby; current limits, house edge and players are added."""

    cards: tuple[str, str]
    pitch: str
    welcome: str
    """For visitors who are not logged in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableVisit:
    """The player who opens a game's page."""

    player: Player
    currency_code: str
    results_since: datetime
    """A round that ended before this time is not shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GamePage:
    """The game's player page. The result of `table` is for the template and, as JSON, for the page's script."""

    template: str
    table: Callable[[TableVisit], dict[str, Any]]
    socket_path: str = ""
    """The URL of the page's socket; empty if the page plays by HTTP."""
    words: Mapping[str, str | Promise] = field(default_factory=dict)
    """The sentences of the game's scripts, which are translated. Their names differ from those of other games."""
    rules_template: str
    """The rules in full, without limits."""
    live_rules: Callable[[TableTerms], dict[str, Any]] | None = None
    """Returns the data of `rules_template` for a live table; None if it needs no data."""
    texts: Sequence[str] = ()
    """Further texts that pages show in the reader's language, besides titles and the labels of bets and results."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DealingText:
    """The game's texts on the pages about fairness."""

    order: str
    """The order in which its cards are dealt."""
    example: str
    """The meaning of the page's example, H3 D7 S10 D9, in this game."""
    places_help: str = ""
    """The notation of each card's hand in a game with decisions (`Dealt.places`)."""
    places_example: str = ""


class RedealFunction(Protocol):
    """Deals a round from its seeds up to the last of `actions`; `quantum` is the currency's smallest unit. Raises
    BadParams."""

    def __call__(
        self, seeds: Seeds, *, rules: Mapping[str, Any], actions: Sequence[Any], quantum: Decimal
    ) -> Redeal: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """How a round is dealt again from its seeds alone."""

    redeal: RedealFunction
    rules_from_text: Callable[[str], dict[str, Any]]
    """Parses the command's `--rules`. Raises ValueError with a message for the user."""
    rules_help: str
    """An example of rules in JSON, for the OpenAPI document."""
    actions_help: str = ""
    """An example of actions; empty if the game has no decisions."""
    logged_actions: Collection[str] = ()
    """Names of actions in the log, accepted beside those of the wire."""
    examples: Sequence[OpenApiExample] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GameOffer:
    """A partner's offer of the game in a currency: the lowest and highest first stake."""

    bet_min: Decimal
    bet_max: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseEdge:
    """The house edge of a bet, the average loss of a stake of 1, with the standard deviation of one bet's result."""

    bet: str
    """By its name on the wire."""
    label: str
    edge: Decimal | None
    """With eight decimals; None until it is computed."""
    standard_deviation: Decimal | None
    """None if it is not known."""


class Advise(Protocol):
    """Returns the best play of a player's round as JSON; `is_exact` asks for exact values too. It reveals nothing about
    cards that the player does not see. Raises NotFound, Unavailable."""

    def __call__(self, played: Round, *, is_exact: bool) -> dict[str, Any]: ...


class AdviseSeat(Protocol):
    """Returns the same for the open decision of a position of a live table's running round, given its state."""

    def __call__(self, state: Any, position: int, *, is_exact: bool) -> dict[str, Any]: ...


class ReviewSeat(Protocol):
    """Returns the same for each decision that a player took in a finished round of a live table."""

    def __call__(self, decisions: Iterable[SeatDecision], *, is_exact: bool) -> dict[str, Any]: ...


class MenuGroup(Enum):
    """The groups of the back office's sidebar that games have entries in."""

    PLAY = "Play"
    OFFER = "Offer"


@dataclass(frozen=True, slots=True)
class MenuEntry:
    """A list of the back office: `model` as `app.Model`, and its icon."""

    group: MenuGroup
    model: str
    icon: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingRow:
    """A row that applies only after an operator's written confirmation."""

    url: str
    title: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoOffer:
    """Creates the demo's offer in a currency; `actor` is for the history."""

    partner: Partner
    currency_code: str
    bet_min: Decimal
    bet_max: Decimal
    actor: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GameDocuments:
    """The game's parts of the OpenAPI and AsyncAPI documents."""

    bets: Sequence[str]
    """The names of its bets on the wire."""
    actions: Sequence[str]
    """The names of its actions on the wire."""
    openapi_add: Callable[[dict[str, Any]], None] | None = None
    """Adds to the generated document what the generator does not find."""
    asyncapi: Callable[[], dict[str, Any]] | None = None
    """Returns `channels`, `operations` and `components` of its socket."""
    round_examples: Sequence[OpenApiExample] = ()
    listed_round_example: Mapping[str, Any] | None = None
    """The game's own fields of a round in the partner API."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableEdges:
    """The house edges of a game at tables whose figures take long to compute."""

    known: Callable[[TableTerms], Sequence[BetEdge]]
    """Returns each bet on offer, with shipped or previously computed figures."""
    compute: Callable[[TableTerms, int | None], None]
    """Lets the worker compute the unknown figures for a partner."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LuckMeasure:
    """How the results of a bet whose results depend on decisions are compared with its published figures."""

    kind: str
    """The bet, by its name in pay tables."""
    of_rounds: Callable[[Sequence[UUID]], Mapping[UUID, tuple[float, float]]]
    """Returns the luck of solo rounds and the loss by decisions that were not the best, in first stakes. Luck is the
    result of a round beyond the expectation of its decisions: with fair cards its mean is 0 however anybody plays. It
    is between -10 and 50. Rounds without a stake are left out."""
    deviation: Callable[[Mapping[str, Any]], Decimal | None]
    """Returns the bet's standard deviation per unit staked, by the terms of a pay table that was made before it was
    known; None if it still is not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePay:
    """The pay of bets at the game's live tables, for pay tables and statistics."""

    terms: Callable[[TableTerms], dict[str, Any]]
    """Returns the terms of a table's pay table: those of the solo game if both pay alike."""
    figures: Callable[[TableTerms], Sequence[BetFigures] | None]
    """Returns the figures of each bet on offer; None while one of them is being computed."""
    kinds: Mapping[str, str]
    """The names of bets in pay tables, by the names at tables, where the two differ."""
    is_shared_deal: bool
    """Whether all seats bet on the same cards. If not, each seat's bet is counted separately."""
    dealt_cards_sql: str
    """Like that of `GameSpec`, for the rows of `ended` that are rounds at tables of this game, each table's round
    once."""
    chances_left: Callable[[Sequence[int]], Mapping[str, Mapping[str, float]] | None] | None = None
    """Takes the number of each card that the shoe had before a round, and returns the chances of the results by bet,
    both by their names in pay tables; None if the shoe may be filled up in that round. None: results depend on
    decisions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameSpec:
    """One game. Nothing here is called before all models are loaded."""

    id: str
    """The id on the wire and in the records."""
    slug: str
    """The name in URLs: `/play/<slug>/`, `/api/game/<slug>/bet`."""
    title: str
    tile: LobbyTile
    page: GamePage
    bet_labels: Mapping[str, str]
    """The bets' names for people, by their names on the wire."""
    dealing: DealingText
    explanation: type[Explanation]
    bulk_check: BulkCheck | None = None
    """A fast check of many rounds. None: each round is checked by its explanation."""
    verification: Verification
    offer: Callable[[int, str], GameOffer | None]
    """Takes a partner's id and a currency's code; returns None if the partner does not offer the game in it."""
    house_edges: Callable[[int, str], Sequence[HouseEdge]]
    """Takes the same and returns each bet on offer."""
    advice: Advise | None = None
    """None: the game has no decisions."""
    table_advice: AdviseSeat | None = None
    """The same at live tables."""
    table_review: ReviewSeat | None = None
    """Given together with `table_advice`."""
    table_edges: TableEdges | None = None
    """None: the game's `table.py` knows all of them at once."""
    paytables_add_missing: Callable[[], int]
    """Gives a pay table to each offer that was saved before there were pay tables; returns their number."""
    settled_bets_sql: str
    """The query for the bets of those rows of `ended` (apps/statistics/stretch_sums.py) that are solo rounds of it.
    A round has at most one row of a kind. Columns: those of `ended`, kind, the number of bets, bet_stake, bet_payout,
    and the result's name in the pay table."""
    dealt_cards_sql: str
    """The query for the cards of rows of `ended` at places of the dealing order that do not depend on decisions. Its
    columns: at, game, paytable_id, place from 0, and the card's code. It covers solo rounds of this game that are not
    voided. A place that not every round has is included if its chances are known; its card is NULL in rounds without
    it."""
    face_chances: Callable[[int, int], Sequence[float] | None] | None = None
    """Takes the number of decks and a place of the dealing order, and returns the chance of each of `CARDS` given that
    a card is dealt there. None: all faces are equally likely."""
    luck: LuckMeasure | None = None
    """None: no result depends on decisions."""
    table_pay: TablePay | None = None
    """None: the game has no tables."""
    result_labels: Mapping[str, str]
    """The names of bets' results for people, by those in the pay tables."""
    menu: Sequence[MenuEntry]
    waiting: Callable[[Viewer], Sequence[WaitingRow]]
    """Returns the rows that wait for a confirmation and that the viewer may see."""
    unplayable: Callable[[Viewer], Sequence[WaitingRow]]
    """Returns the active limits under which no bet can be placed, and that the viewer may see."""
    demo_offer: Callable[[DemoOffer], None]
    """Creates the offer; an existing one stays unchanged."""
    documents: GameDocuments
    schedule: Mapping[str, Mapping[str, Any]]
    """Scheduled tasks: Celery's entries by their titles."""
    endpoints: Mapping[str, Application]
    """The game's ASGI applications on the event loop by path, such as `BetEndpoint` (apps/one_deal/bet_endpoint.py)."""
