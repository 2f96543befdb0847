"""The 52 cards."""

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final


class Suit(IntEnum):
    """Suits in the start order of a deck (docs/fairness.md); the number is `suit` on the wire."""

    HEARTS = 0
    DIAMONDS = 1
    CLUBS = 2
    SPADES = 3

    @property
    def is_red(self) -> bool:
        return self in (Suit.HEARTS, Suit.DIAMONDS)


ACE: Final = 0
TEN: Final = 9
JACK: Final = 10
QUEEN: Final = 11
KING: Final = 12

RANK_TEXTS: Final = ("1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUIT_LETTERS: Final = "HDCS"


@dataclass(frozen=True, slots=True, repr=False)
class Card:
    """One card; `CARDS` holds the only 52 that exist, so equal cards are also identical."""

    rank: int
    """0..12, the ace first: `index` on the wire."""
    suit: Suit
    number: int = field(init=False, compare=False)
    """0..51, the place in a fresh deck: suit by suit, ace to king."""
    value: int = field(init=False, compare=False)
    """1..10: the ace 1, faces 10."""
    points: int = field(init=False, compare=False)
    """0..9: the ace 1, tens and faces 0."""
    code: str = field(init=False, compare=False)
    """The card as text, suit letter first: `H1`, `C10`, `DJ`."""

    def __post_init__(self) -> None:
        set_once = object.__setattr__
        set_once(self, "number", self.suit * 13 + self.rank)
        set_once(self, "value", min(self.rank + 1, 10))
        set_once(self, "points", self.value % 10)
        set_once(self, "code", SUIT_LETTERS[self.suit] + RANK_TEXTS[self.rank])

    def __repr__(self) -> str:
        return self.code

    __str__ = __repr__

    def __reduce__(self) -> tuple[object, tuple[int]]:
        """Copies and pickles restore the one card with this number."""
        return card_of, (self.number,)


CARDS: Final = tuple(Card(rank, suit) for suit in Suit for rank in range(13))
"""A fresh deck in start order: Hearts, Diamonds, Clubs, Spades, each ace to king (docs/fairness.md)."""


def card_of(number: int) -> Card:
    """Return the card at place `number` (0..51) of a fresh deck."""
    return CARDS[number]
