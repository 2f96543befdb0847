"""What a game needs of a shoe, and the shoe whose order is known.

The fair shoe, drawn from a seed pair, is `apps.fairness.engine.FairShoe`.
"""

from typing import Final, Protocol

from apps.cards.card import Card

INFINITE_DECKS: Final = 9
"""How a number of decks says "infinite", on the wire and in a column (seed 001: nine is treated as infinite)."""


class Shoe(Protocol):
    """Cards by their place in the deal: `shoe[0]` is the first card dealt, and stays it."""

    def __getitem__(self, index: int, /) -> Card: ...


def deck_count_check(decks: int) -> None:
    """Raise ValueError unless `decks` is 1 to 8 or INFINITE_DECKS."""
    if not 1 <= decks <= INFINITE_DECKS:
        raise ValueError(f"decks is {decks}; 1 to 8 are possible, or {INFINITE_DECKS} for an infinite deck")


def decks_from_text(text: str) -> int:
    """Return the number of decks that somebody has typed: `8`, or `infinite`. Raises ValueError."""
    if text == "infinite":
        return INFINITE_DECKS
    if not (text.isascii() and text.isdigit()):
        raise ValueError(f"decks is {text!r}; a whole number is expected, or infinite")
    decks = int(text)
    deck_count_check(decks)
    return decks
