"""Compares how often each card face was dealt at each place of the dealing order with its probability."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from math import sqrt
from typing import Final

from django.db.models import Sum
from django.db.models.functions import TruncMonth

from apps.cards.card import CARDS, RANK_TEXTS, SUIT_LETTERS
from apps.evidence import mathematics
from apps.rounds.registry import game_title, games
from apps.statistics.models import CardStat
from apps.statistics.ranges import UTC_ZONE

FaceCounts = Sequence[int]
"""The counts of the faces, in the order of FACES."""

FACES: Final = tuple(card.code for card in CARDS)
EVEN: Final = (1 / len(FACES),) * len(FACES)
"""By symmetry each face is equally likely at each place that every round has, with any number of decks."""
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
    months: list["FacesInMonth"]

    @property
    def title(self) -> str:
        return f"{game_title(self.game)}, card {self.place + 1}"

    @property
    def is_unusual(self) -> bool:
        return self.tail < UNUSUAL


@dataclass(frozen=True, slots=True, kw_only=True)
class FacesInMonth:
    """The faces of a month at one place."""

    month: date
    dealt: int
    chi_square: float
    tail: float

    @property
    def is_unusual(self) -> bool:
        return self.tail < UNUSUAL

    @property
    def tail_pct(self) -> float:
        return 100 * self.tail


PlaceKey = tuple[str, int, int]
"""A game, a number of decks and a place from 0."""


def faces_at_places(*, since: date | None, until: date | None, game: str | None = None) -> list[FacesAtPlace]:
    """Return every place that cards were dealt to in these days."""
    found = _counts_by_month(since, until, game)
    return [_at_place(key, found[key]) for key in sorted(found)]


def face_counts() -> dict[PlaceKey, FaceCounts]:
    """Return the counts of FACES of all days."""
    return {key: _total(by_month.values()) for key, by_month in _counts_by_month(None, None, None).items()}


def face_chances(key: PlaceKey) -> Sequence[float]:
    """Return the chance of each of FACES at a place, given that a card is dealt there."""
    game_id, decks, place = key
    known = next((game.face_chances for game in games() if game.id == game_id), None)
    found = None if known is None else known(decks, place)
    return EVEN if found is None else found


def _counts_by_month(
    since: date | None, until: date | None, game: str | None
) -> dict[PlaceKey, dict[date, FaceCounts]]:
    rows = CardStat.objects.filter(zone=UTC_ZONE)
    if since is not None:
        rows = rows.filter(period__gte=since)
    if until is not None:
        rows = rows.filter(period__lte=until)
    if game is not None:
        rows = rows.filter(game=game)
    counts: dict[PlaceKey, dict[date, dict[str, int]]] = {}
    by_month = rows.order_by().annotate(month=TruncMonth("period"))
    grouped = by_month.values_list("game", "decks", "place", "month", "card").annotate(dealt=Sum("count"))
    for of_game, decks, place, month, card, dealt in grouped:
        counts.setdefault((of_game, decks, place), {}).setdefault(month, {})[card] = dealt
    return {
        key: {month: [by_face.get(face, 0) for face in FACES] for month, by_face in sorted(months.items())}
        for key, months in counts.items()
    }


def _total(counts: Iterable[FaceCounts]) -> FaceCounts:
    return [sum(of_face) for of_face in zip(*counts, strict=True)]


def rank_heads() -> tuple[str, ...]:
    """Return the heads of the columns of faces: the ranks."""
    return RANK_TEXTS


def _at_place(key: PlaceKey, by_month: Mapping[date, FaceCounts]) -> FacesAtPlace:
    game, decks, place = key
    dealt, chances = _total(by_month.values()), face_chances(key)
    total = sum(dealt)
    faces = [
        Face(card=face, count=count, sigmas=(count - total * chance) / sqrt(total * chance * (1 - chance)))
        for face, count, chance in zip(FACES, dealt, chances, strict=True)
    ]
    ranks = len(RANK_TEXTS)
    statistic, tail = _chi_square(dealt, chances)
    return FacesAtPlace(
        game=game,
        decks=decks,
        place=place,
        dealt=total,
        chi_square=statistic,
        tail=tail,
        log_evidence=mathematics.log_faces_evidence(dealt, chances),
        suits=[(suit, faces[number * ranks : (number + 1) * ranks]) for number, suit in enumerate(SUIT_LETTERS)],
        months=[_in_month(month, counts, chances) for month, counts in by_month.items()],
    )


def _in_month(month: date, dealt: FaceCounts, chances: Sequence[float]) -> FacesInMonth:
    statistic, tail = _chi_square(dealt, chances)
    return FacesInMonth(month=month, dealt=sum(dealt), chi_square=statistic, tail=tail)


def _chi_square(dealt: FaceCounts, chances: Sequence[float]) -> tuple[float, float]:
    """Return the statistic, and the probability of one that is at least as high with fair cards."""
    statistic = mathematics.chi_square(dealt, chances)
    return statistic, mathematics.chi_square_tail(statistic, len(FACES) - 1)
