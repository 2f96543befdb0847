"""Compares how often each card face was dealt at each place of the dealing order with its probability."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from django.db.models import Sum

from apps.cards.card import CARDS, RANK_TEXTS, SUIT_LETTERS
from apps.evidence import mathematics
from apps.rounds.registry import game_title
from apps.statistics.models import CardStat
from apps.statistics.ranges import UTC_ZONE

FaceCounts = Sequence[int]
"""The counts of the faces, in the order of FACES."""

FACES: Final = tuple(card.code for card in CARDS)
EVEN: Final = (1 / len(FACES),) * len(FACES)
"""By symmetry each face is equally likely at each of these places, with any number of decks."""
UNUSUAL: Final = 0.01
"""Chi-squares with a smaller p-value are marked: cards are checked at 99 %."""
HEAT_STEPS: Final = 3
"""Colours on each side, one for each standard deviation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Face:
    """A face at a place."""

    card: str
    count: int
    sigmas: float
    """The distance of the count from the expected one, in standard deviations."""

    @property
    def heat(self) -> str:
        """The class of its colour."""
        step = min(int(abs(self.sigmas)), HEAT_STEPS)
        return "heat-0" if not step else f"heat-{'more' if self.sigmas > 0 else 'fewer'}-{step}"


@dataclass(frozen=True, slots=True, kw_only=True)
class FacesAtPlace:
    """The faces at one place of a game's dealing order."""

    game: str
    decks: int
    place: int
    dealt: int
    chi_square: float
    tail: float
    """The probability of a chi-square that is at least as high with fair cards."""
    log_evidence: float
    suits: list[tuple[str, list[Face]]]

    @property
    def title(self) -> str:
        return f"{game_title(self.game)}, card {self.place + 1}"

    @property
    def is_unusual(self) -> bool:
        return self.tail < UNUSUAL


def faces_at_places(*, since: date | None, until: date | None, game: str | None = None) -> list[FacesAtPlace]:
    """Return every place that cards were dealt to in these days."""
    found = face_counts(since=since, until=until, game=game)
    return [_at_place(*key, found[key]) for key in sorted(found)]


def face_counts(
    *, since: date | None = None, until: date | None = None, game: str | None = None
) -> dict[tuple[str, int, int], FaceCounts]:
    """Return the counts of FACES in these days of UTC, by game, number of decks and place."""
    rows = CardStat.objects.filter(zone=UTC_ZONE)
    if since is not None:
        rows = rows.filter(period__gte=since)
    if until is not None:
        rows = rows.filter(period__lte=until)
    if game is not None:
        rows = rows.filter(game=game)
    counts: dict[tuple[str, int, int], dict[str, int]] = {}
    grouped = rows.order_by().values_list("game", "decks", "place", "card").annotate(dealt=Sum("count"))
    for of_game, decks, place, card, dealt in grouped:
        counts.setdefault((of_game, decks, place), {})[card] = dealt
    return {key: [by_face.get(face, 0) for face in FACES] for key, by_face in counts.items()}


def rank_heads() -> tuple[str, ...]:
    """Return the heads of the columns of faces: the ranks."""
    return RANK_TEXTS


def _at_place(game: str, decks: int, place: int, dealt: FaceCounts) -> FacesAtPlace:
    statistic = mathematics.chi_square(dealt, EVEN)
    total = sum(dealt)
    deviation = (total * EVEN[0] * (1 - EVEN[0])) ** 0.5
    faces = [
        Face(card=face, count=count, sigmas=(count - total * EVEN[0]) / deviation)
        for face, count in zip(FACES, dealt, strict=True)
    ]
    ranks = len(RANK_TEXTS)
    return FacesAtPlace(
        game=game,
        decks=decks,
        place=place,
        dealt=total,
        chi_square=statistic,
        tail=mathematics.chi_square_tail(statistic, len(FACES) - 1),
        log_evidence=mathematics.log_faces_evidence(dealt, EVEN),
        suits=[(suit, faces[number * ranks : (number + 1) * ranks]) for number, suit in enumerate(SUIT_LETTERS)],
    )
