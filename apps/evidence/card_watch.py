"""The watch over the faces of cards: the e-value of every place of a dealing order (docs/statistics.md, "Faces")."""

from dataclasses import dataclass
from math import log
from typing import Final

from apps.cards.card import CARDS
from apps.evidence import mathematics
from apps.evidence.faces import FaceCounts, face_chances, face_counts
from apps.evidence.models import Measure, Slice
from apps.evidence.rtp_watch import ALARM, SliceKey
from apps.evidence.selectors import newest_closes

NOTHING: Final = (0,) * len(CARDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class CardsWatched:
    """A place of a game's dealing order. Logarithms are natural ones."""

    key: SliceKey
    counts: FaceCounts
    """The counts of all cards; `evidence` excludes those up to the close of an alarm."""
    n: int
    evidence: float
    evidence_alarm: float

    @property
    def is_alarming(self) -> bool:
        return self.evidence >= self.evidence_alarm


def cards_watched() -> list[CardsWatched]:
    """Return every place that cards were dealt to, with the evidence since its last closed alarm."""
    found, closes = face_counts(), newest_closes([Measure.CARDS])
    watched = []
    for (game, decks, place), counts in sorted(found.items()):
        key = SliceKey(game, f"card {place + 1}", f"{decks} decks", False, Slice.ALL, "")
        close = closes.get(tuple(key))
        former = NOTHING if close is None else [int(count) for count in close.products]
        # A recount of a day may remove a card that was counted at the close.
        since = [max(count - before, 0) for count, before in zip(counts, former, strict=True)]
        watched.append(
            CardsWatched(
                key=key,
                counts=counts,
                n=sum(since),
                evidence=mathematics.log_faces_evidence(since, face_chances((game, decks, place))),
                evidence_alarm=log(ALARM * len(found)),
            )
        )
    return watched


def face_counts_at(key: SliceKey) -> list[float]:
    """Return the count of each face at the place of an alarm, in the form that the close of an alarm keeps."""
    counts = next((each.counts for each in cards_watched() if each.key == key), NOTHING)
    return [float(count) for count in counts]
