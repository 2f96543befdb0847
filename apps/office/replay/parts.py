"""What a replay is made of."""

from dataclasses import dataclass

from django.utils.safestring import SafeString


@dataclass(frozen=True, slots=True)
class Place:
    """One hand or side as it lies at a step."""

    name: str
    cards: SafeString
    note: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """What happened, who did it, and how the table looked afterwards."""

    title: str
    by: str
    places: tuple[Place, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Replay:
    """The steps of a round."""

    steps: tuple[Step, ...]
    is_same: bool | None
    """Whether the cards dealt again are those of the record; None: nothing was dealt again."""
    why: str = ""
    """Why nothing was."""
