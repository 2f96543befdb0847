"""What a game of one deal with bets by name tells the code that all such games share: the type `OneDealGame`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from apps.cards.shoe import Shoe
from apps.one_deal.engine import BetKind, BetSettle, ResultType
from apps.one_deal.models import OneDealConfig, OneDealOdds, OneDealRecord
from apps.rounds.explanation import Tone


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OneDealGame:
    """One game. `apps/<game>/rules.py` holds it; one request places its bets, deals and settles."""

    id: str
    """On the wire and in the records."""
    name: str
    """That of its folder. Its tables, SQL functions and addresses begin with it."""
    title: str
    """In sentences: `<title> is not offered in EUR`."""
    bets: type[BetKind]
    bets_by_name: Mapping[str, BetKind]
    """What is read: the names on the wire, and other names that are understood."""
    bet_prefix: str
    """What the names on the wire begin with; the office leaves it out."""
    schema_name: str
    """What the names of its parts of the OpenAPI document begin with."""
    shared_schema_name: str
    """The same for what every such game has. It is empty for the game whose document was published first."""
    standard_odds: Mapping[Any, Fraction]
    """X to 1."""
    first_bets: Sequence[BetKind]
    """The bets that a new configuration offers; the others are off until the partner gives them odds."""
    bet_labels: Mapping[Any, str]
    bet_help: Mapping[Any, str]
    bet_places: Sequence[BetKind]
    """The bets as they lie on the felt."""
    result_labels: Mapping[ResultType, tuple[str, Tone]]
    sides: tuple[str, str]
    """In dealing order. A record has the cards of each in the column `<side>_cards`."""
    cards_a_side: tuple[int, int]
    """The fewest and the most."""
    deal: Callable[[Shoe], Any]
    """Deals one round from the front of a shoe; the cards of each side are found under its name."""
    outcome: Callable[[Any], dict[str, object]]
    """Returns a deal as records, answers and verification show it."""
    settle: BetSettle
    house_edge: Callable[[Any, Fraction, int], Fraction]
    """Returns what the house keeps of a stake of 1 on a bet, at odds to 1, with that many decks."""
    deviation: Callable[[Any, Fraction, int], Decimal]
    """Returns the standard deviation of what a stake of 1 brings."""
    config_model: type[OneDealConfig]
    odds_model: type[OneDealOdds]
    record_model: type[OneDealRecord]

    @property
    def bet_path(self) -> str:
        return f"/api/game/{self.name}/bet"

    @property
    def config_path(self) -> str:
        return f"api/game/{self.name}_config"

    @property
    def odds_path(self) -> str:
        return f"api/game/{self.name}_odds_config"

    @property
    def config_field(self) -> str:
        """The foreign key of odds to limits."""
        return f"{self.name}_config"

    @property
    def records_field(self) -> str:
        """The relation of a round to its records."""
        return f"{self.name}_records"
