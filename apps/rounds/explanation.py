"""A round as whoever played it or answers for it reads it, the same for every game.

The player's history and replay, the auditor's, verification, the partner API and the commands read this and nothing
else. Each game makes it of its own records (`apps/<game>/explain.py`). Amounts are in units of the round's currency;
payouts are with the stakes in them. Cards are written as `H1` or `C10`.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, ClassVar, Literal

from django.db.models import prefetch_related_objects

from apps.fairness.seeds import RoundSeeds, Seeds
from apps.fairness.services import draw_again
from apps.rounds.models import Round

Tone = Literal["win", "loss", "push", ""]


@dataclass(frozen=True, slots=True)
class ExplainedBet:
    """One stake and what became of it. `payout` is 0 and `result` None until that is known."""

    bet: str
    """By its name on the wire."""
    label: str
    """For people."""
    hand: int | None
    """Of a bet that lies on one of several hands, the hand's index."""
    stake: Decimal
    odds: Decimal | None
    """X to 1; None for a bet that pays by its outcome, and has lost."""
    pays: str
    """The odds for people; empty where the outcome decides them."""
    payout: Decimal
    result: str | None
    """On the wire."""
    result_label: str
    """For people."""
    tone: Tone


@dataclass(frozen=True, slots=True)
class ExplainedAction:
    """One action, as it might have come over the wire, and the money that it moved."""

    number: int
    by: str
    action: str
    data: Mapping[str, object]
    summary: str
    """What was decided, for people, with amounts in the currency."""
    stake: Decimal
    payout: Decimal
    time: datetime


@dataclass(frozen=True, slots=True)
class ExplainedHand:
    """A row of cards. A code is empty where a card lies face down."""

    label: str
    cards: Sequence[str]
    total: str = ""
    note: str = ""
    """What has become of it."""


@dataclass(frozen=True, slots=True)
class ExplainedStep:
    """What happened next, who did it, and the table after it."""

    text: str
    by: str
    hands: Sequence[ExplainedHand]


@dataclass(frozen=True, slots=True)
class Dealt:
    """A round's cards in the order they left the shoe; `?` is one that was never shown.

    `places` has the hand of each card in a game with decisions, for the page that deals the round again.
    """

    cards: Sequence[str]
    places: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundSource:
    """What a round was dealt from, as whoever reads the round may know it."""

    commitment: str
    client_seed: str
    """At a table the contributions of its seats, joined; empty where none contributed."""
    nonce: int
    server_seed: str
    """Empty until it is revealed."""
    hidden_until: str
    """When the server seed is revealed, for people."""
    shoe: Sequence[int] | None = None
    """How many of each card were left in a table's shoe; None: a fresh shoe, or an infinite deck."""


@dataclass(frozen=True, slots=True)
class Redeal:
    """A round, dealt again from its seeds."""

    rules: dict[str, Any]
    cards: list[str]
    """In dealing order, cards that lie face down included."""
    outcome: dict[str, Any]
    """As the game shows a round."""


@dataclass(frozen=True, slots=True)
class RecordCheck:
    """A record against the same round dealt again."""

    cards: list[str]
    """In dealing order."""
    differences: list[str]
    """A sentence for each thing that is not as it must be."""
    unseen: Sequence[ExplainedHand] = ()
    """Cards that were dealt and never shown. Of a round that is open, nobody may see them."""


class Explanation(ABC):
    """One round, explained from its record.

    `redeal` and `record_check` tell the cards that lie face down, nothing else does.
    """

    reads: ClassVar[tuple[str, ...]]
    """The relations of a round that are read, so that many rounds are explained with few queries."""
    hands_read: ClassVar[tuple[str, ...]]
    """Those of them that `hands` alone needs."""

    def __init__(self, played: Round) -> None:
        self.played = played

    @classmethod
    def read_with(cls, rounds: Sequence[Round], *, hands_only: bool) -> None:
        """Read what the explanations of these rounds need, so that many are explained with few queries."""
        prefetch_related_objects(rounds, *(cls.hands_read if hands_only else cls.reads))

    @property
    def source(self) -> RoundSource:
        """What the round was dealt from, the server seed once it is revealed."""
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
        """Return the seeds themselves, revealed or not: one that is not must never leave the process."""
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
        """The cards as they lay at the end, or lie now."""

    @property
    @abstractmethod
    def steps(self) -> Sequence[ExplainedStep]:
        """The round card by card."""

    @property
    @abstractmethod
    def outcome(self) -> Mapping[str, Any]:
        """The public outcome in the game's own form; empty until the round has been played to its end."""

    @property
    @abstractmethod
    def shown_state(self) -> Mapping[str, Any]:
        """The outcome; of a round that was not played to its end, all that lies open."""

    @property
    @abstractmethod
    def decks(self) -> int:
        """How many decks the shoe had; 0 where the record does not say."""

    @property
    @abstractmethod
    def dealt(self) -> Dealt:
        """The cards that were shown, in the order they left the shoe."""

    @abstractmethod
    def redeal(self, seeds: Seeds) -> Redeal:
        """Return the round of these seeds with the record's own rules and actions. Raises BadParams."""

    @abstractmethod
    def record_check(self, seeds: RoundSeeds) -> RecordCheck:
        """Deal the round again as far as it went, and name what is not as recorded."""
