"""The type `OneDealGame`: a game's definitions for the code that all one-deal games share. It contains no rules."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from apps.cards.shoe import Shoe
from apps.one_deal.engine import BetKind, BetSettle, ResultType
from apps.one_deal.models import OneDealConfig, OneDealOdds, OneDealRecord
from apps.paytables.paytable_rows import PaytableRow
from apps.rounds.explanation import Tone


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OneDealGame:
    """One game, defined in `apps/<game>/one_deal_game.py`. One request places its bets, deals and settles."""

    id: str
    """The id on the wire and in the records."""
    name: str
    """The name of its folder. Its tables, SQL functions and URLs begin with it."""
    title: str
    """As used in sentences: `<title> is not offered in EUR`."""
    bets: type[BetKind]
    bets_by_name: Mapping[str, BetKind]
    """The names that are accepted: those on the wire and their aliases."""
    bet_prefix: str
    """The prefix of the names on the wire; the back office omits it."""
    schema_name: str
    """The prefix of the names of its schemas in the OpenAPI document."""
    shared_schema_name: str
    """The same for schemas that every such game has; empty for the game that was published first."""
    standard_odds: Mapping[Any, Fraction]
    """X to 1."""
    first_bets: Sequence[BetKind]
    """The bets that a new configuration offers; the others are off until the partner gives them odds."""
    bet_labels: Mapping[Any, str]
    bet_help: Mapping[Any, str]
    bet_places: Sequence[BetKind]
    """The bets in their arrangement on the felt."""
    result_labels: Mapping[ResultType, tuple[str, Tone]]
    sides: tuple[str, str]
    """In dealing order. A record's column `<side>_cards` contains each side's cards."""
    cards_a_side: tuple[int, int]
    """The lowest and the highest number."""
    deal: Callable[[Shoe], Any]
    """Deals one round from the front of a shoe. Each side's cards are the attribute with its name."""
    outcome: Callable[[Any], dict[str, object]]
    """Returns a deal in the form of records, answers and verification."""
    settle: BetSettle
    house_edge: Callable[[Any, Fraction, int], Fraction]
    """Returns the house edge of a bet at odds to 1 with that many decks."""
    deviation: Callable[[Any, Fraction, int], Decimal]
    """Returns the standard deviation of the winnings from a stake of 1."""
    paytable_rows: Callable[[Any, Fraction, int], Sequence[PaytableRow]]
    """Returns the results of a bet at odds to 1 with that many decks, with their probabilities and payouts."""
    chances_left: Callable[[Sequence[int]], Mapping[Any, Mapping[ResultType, float]] | None]
    """Takes the number of each card that a shoe has left, and returns the chances of each bet's results in a round from
    it; None if the shoe may be filled up in that round."""
    face_chances: Callable[[int, int], Sequence[float] | None] | None = None
    """The same as `GameSpec.face_chances`."""
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
