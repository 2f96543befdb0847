"""What a game tells the rest of the product about itself: the type of each `GAME` (`apps/<game>/game.py`)."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import Enum
from typing import Any, Final, Protocol

from django.db.models import Expression
from drf_spectacular.utils import OpenApiExample

from apps.accounts.models import Player
from apps.core.bodies import Application
from apps.core.viewers import Viewer
from apps.fairness.seeds import Seeds
from apps.partners.models import Partner
from apps.rounds.bulk_check import BulkCheck
from apps.rounds.explanation import Explanation, Redeal

WAITING_SHOWN: Final = 20
"""The most rows of a game that the office's first page lists as waiting for a confirmation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LobbyTile:
    """How the lobby shows the game; limits, house edge and players are added as they are now."""

    cards: tuple[str, str]
    pitch: str
    welcome: str
    """For visitors who have not signed up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableVisit:
    """Who looks at a table."""

    player: Player
    currency_code: str
    results_since: datetime
    """A round that ended before this time is not shown again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GamePage:
    """The player's page of the game. What `table` returns goes to the template and, as JSON, to the page's script."""

    template: str
    table: Callable[[TableVisit], dict[str, Any]]
    socket_path: str = ""
    """Where the page opens a socket to play; empty: it plays by HTTP."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DealingText:
    """What the pages about fairness say of the game."""

    order: str
    """In which order its cards are dealt."""
    example: str
    """What the page's example, H3 D7 S10 D9, is in this game."""
    places_help: str = ""
    """How the hand of each card is written in a game with decisions (`Dealt.places`)."""
    places_example: str = ""


class RedealFunction(Protocol):
    """Deals a round from seeds as far as `actions` go; `quantum` is the currency's smallest unit. Raises BadParams."""

    def __call__(
        self, seeds: Seeds, *, rules: Mapping[str, Any], actions: Sequence[Any], quantum: Decimal
    ) -> Redeal: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """How a round is dealt again for somebody who knows no more than its seeds."""

    redeal: RedealFunction
    rules_from_text: Callable[[str], dict[str, Any]]
    """Read the command's `--rules`. Raises ValueError with a sentence."""
    rules_help: str
    """How rules are written in JSON, for the OpenAPI document."""
    actions_help: str = ""
    """How actions are; empty where they decide nothing."""
    logged_actions: Collection[str] = ()
    """Names that the log has for actions, read beside those of the wire."""
    examples: Sequence[OpenApiExample] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GameOffer:
    """What a partner offers of the game in a currency: the lowest and highest first stake."""

    bet_min: Decimal
    bet_max: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseEdge:
    """What the house keeps of a stake of 1 on a bet on average, and how far one bet's result lies from that."""

    bet: str
    """By its name on the wire."""
    label: str
    edge: Decimal | None
    """With eight decimals; None while it is being computed."""
    standard_deviation: Decimal | None
    """None where it is not known."""


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
    """A row that does not hold until an operator has confirmed it in writing."""

    url: str
    title: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoOffer:
    """What the demo has a partner offer in a currency; `actor` is who did it, for the history."""

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
    """Add to the generated document what the generator does not see."""
    asyncapi: Callable[[], dict[str, Any]] | None = None
    """Returns `channels`, `operations` and `components` of its socket."""
    round_examples: Sequence[OpenApiExample] = ()
    listed_round_example: Mapping[str, Any] | None = None
    """A round as the partner API lists it, without what all rounds have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameSpec:
    """One game. Everything here is read, and nothing of it is called before all models are loaded."""

    id: str
    """On the wire and in the records."""
    slug: str
    """In addresses: `/play/<slug>/`, `/api/game/<slug>/bet`."""
    title: str
    tile: LobbyTile
    page: GamePage
    dealing: DealingText
    explanation: type[Explanation]
    bulk_check: BulkCheck | None = None
    """Proves many rounds with little, for a game of which there are many. None: each is proven by its explanation."""
    verification: Verification
    offer: Callable[[int, str], GameOffer | None]
    """Take a partner's id and a currency's code; None where the partner does not offer the game there."""
    house_edges: Callable[[int, str], Sequence[HouseEdge]]
    """Take the same, and return each bet on offer."""
    bet_count: Callable[[], Expression]
    """Return the expression that counts the bets of a row of `game_round`."""
    menu: Sequence[MenuEntry]
    waiting: Callable[[Viewer], Sequence[WaitingRow]]
    """Return what waits for a confirmation, as far as the viewer may know of it."""
    demo_offer: Callable[[DemoOffer], None]
    """Make the offer; one that is there stays as it is."""
    documents: GameDocuments
    schedule: Mapping[str, Mapping[str, Any]]
    """Tasks that are run by the clock: Celery's entries by their titles."""
    endpoints: Mapping[str, Application]
    """By path, what the game serves on the event loop: its `BetEndpoint`."""
