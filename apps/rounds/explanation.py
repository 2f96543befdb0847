"""The explanation of a round for players and operators, in the same form for every game.

The player's history and replay, the auditor's pages, verification, the partner API and the commands use only this. Each
game builds it from its own records (`apps/<game>/explain.py`). Amounts are in units of the round's currency; payouts
include the stakes. Cards are written as `H1` or `C10`.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, ClassVar, Literal

from django.db.models import prefetch_related_objects

from apps.fairness.round_seeds import RoundSeeds, Seeds
from apps.fairness.services import draw_again
from apps.rounds.models import Round

Tone = Literal["win", "loss", "push", ""]


@dataclass(frozen=True, slots=True)
class ExplainedBet:
    """One stake and its result. Until the result is known, `payout` is 0 and `result` None."""

    bet: str
    """By its name on the wire."""
    label: str
    """For people."""
    hand: int | None
    """The index of the hand that the bet is on, if there are several hands."""
    stake: Decimal
    odds: Decimal | None
    """X to 1; None for a lost bet whose odds depend on the outcome."""
    pays: str
    """The odds as text; empty if they depend on the outcome."""
    payout: Decimal
    result: str | None
    """On the wire."""
    result_label: str
    """For people."""
    tone: Tone


@dataclass(frozen=True, slots=True)
class ExplainedAction:
    """One action, in the form of the wire, and the money that it moved."""

    number: int
    by: str
    action: str
    data: Mapping[str, object]
    summary: str
    """The decision as text, with amounts in the currency."""
    stake: Decimal
    payout: Decimal
    time: datetime


@dataclass(frozen=True, slots=True)
class ExplainedHand:
    """A row of cards. The code of a face-down card is empty."""

    label: str
    cards: Sequence[str]
    total: str = ""
    note: str = ""
    """Its result."""


@dataclass(frozen=True, slots=True)
class ExplainedStep:
    """One step of the round: the event, its author, and the table afterwards."""

    text: str
    by: str
    hands: Sequence[ExplainedHand]


@dataclass(frozen=True, slots=True)
class Dealt:
    """A round's cards in the order they left the shoe; `?` is a card that was never shown.

    `places` contains the hand of each card in a game with decisions, for the page that redeals the round.
    """

    cards: Sequence[str]
    places: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedRound:
    """The public facts of the table's round that a seat's round belongs to, without stakes and names."""

    contributions: Sequence[tuple[int, str]]
    """The number of each seat that was taken when the window opened, and its contribution to the client seed."""
    decisions: Sequence[tuple[int, str]]
    """The number of the seat and the action, in the order in which they were carried out."""
    places: Sequence[str]
    """The place of each card in dealing order; empty if the order alone determines it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundSource:
    """The seeds and the shoe of a round, as far as its reader may know them."""

    commitment: str
    client_seed: str
    """At a table the joined contributions of its seats; empty if none contributed."""
    nonce: int
    server_seed: str
    """Empty until it is revealed."""
    hidden_until: str
    """The event that reveals the server seed, for people."""
    shoe: Sequence[int] | None = None
    """The number of each card that was left in a table's shoe; None: a fresh shoe, or an infinite deck."""


@dataclass(frozen=True, slots=True)
class Redeal:
    """A round, dealt again from its seeds."""

    rules: dict[str, Any]
    cards: list[str]
    """In dealing order, face-down cards included."""
    outcome: dict[str, Any]
    """In the game's own form of a round."""


@dataclass(frozen=True, slots=True)
class RecordCheck:
    """The comparison of a record with the round dealt again."""

    cards: list[str]
    """In dealing order."""
    differences: list[str]
    """One sentence for each difference."""
    unseen: Sequence[ExplainedHand] = ()
    """Cards that were dealt but never shown. Nobody may see those of an open round."""


class Explanation(ABC):
    """One round, explained from its record.

    Only `redeal` and `record_check` reveal face-down cards.
    """

    reads: ClassVar[tuple[str, ...]]
    """The relations of a round to prefetch, so that many rounds need few queries."""
    hands_read: ClassVar[tuple[str, ...]]
    """The relations that `hands` needs."""

    def __init__(self, played: Round) -> None:
        self.played = played

    @classmethod
    def read_with(cls, rounds: Sequence[Round], *, hands_only: bool) -> None:
        """Read the data that the explanations of these rounds need, so that many are explained with few queries."""
        prefetch_related_objects(rounds, *(cls.hands_read if hands_only else cls.reads))

    @property
    def source(self) -> RoundSource:
        """The seeds and the shoe of the round; the server seed once it is revealed."""
        pair = self.played.seed_pair
        assert pair is not None
        return RoundSource(
            commitment=pair.commitment,
            client_seed=pair.client_seed,
            nonce=self.played.nonce,
            server_seed=pair.server_seed,
            hidden_until="the player changes the seed",
        )

    def seeds_open(self) -> RoundSeeds:
        """Return the seeds themselves. An unrevealed seed must never leave the process."""
        pair = self.played.seed_pair
        assert pair is not None
        draw = draw_again(pair, self.played.nonce)
        return Seeds(draw.server_seed, draw.client_seed, draw.nonce)

    @property
    @abstractmethod
    def bets(self) -> Sequence[ExplainedBet]:
        """Every stake, in the order they were placed."""

    @property
    @abstractmethod
    def actions(self) -> Sequence[ExplainedAction]:
        """Every action, in order."""

    @property
    @abstractmethod
    def hands(self) -> Sequence[ExplainedHand]:
        """The cards at the end of the round, or the present ones."""

    @property
    @abstractmethod
    def steps(self) -> Sequence[ExplainedStep]:
        """The round card by card."""

    @property
    @abstractmethod
    def outcome(self) -> Mapping[str, Any]:
        """The public outcome in the game's own form; empty until the round has ended."""

    @property
    @abstractmethod
    def shown_state(self) -> Mapping[str, Any]:
        """The outcome, or the visible cards of a round that has not been played to its end."""

    @property
    @abstractmethod
    def decks(self) -> int:
        """The number of decks in the shoe; 0 if the record does not contain it."""

    @property
    @abstractmethod
    def dealt(self) -> Dealt:
        """The cards that were shown, in the order they left the shoe."""

    @property
    def shared(self) -> SharedRound | None:
        """The facts that the round shares with the other seats of its table; None for a solo round."""
        return None

    @abstractmethod
    def redeal(self, seeds: Seeds) -> Redeal:
        """Deal the round of these seeds with the record's rules and actions. Raises BadParams."""

    @abstractmethod
    def record_check(self, seeds: RoundSeeds) -> RecordCheck:
        """Deal the round again as far as it went, and name the differences from the record."""
