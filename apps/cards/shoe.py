"""The interface of a shoe. The fair shoe, which is drawn from a seed pair, is `apps.fairness.engine.FairShoe`."""

from typing import Final, Protocol

from apps.cards.card import Card

INFINITE_DECKS: Final = 9
"""The number that stands for an infinite deck, on the wire and in columns."""


class Shoe(Protocol):
    """Cards by their place in the deal: `shoe[0]` is always the first card dealt."""

    def __getitem__(self, index: int, /) -> Card: ...


def deck_count_check(decks: int) -> None:
    """Raise ValueError unless `decks` is 1 to 8 or INFINITE_DECKS."""
    if not 1 <= decks <= INFINITE_DECKS:
        raise ValueError(f"decks is {decks}; 1 to 8 are possible, or {INFINITE_DECKS} for an infinite deck")


def decks_from_text(text: str) -> int:
    """Return the number of decks of a typed text: `8`, or `infinite`. Raises ValueError."""
    if text == "infinite":
        return INFINITE_DECKS
    if not (text.isascii() and text.isdigit()):
        raise ValueError(f"decks is {text!r}; a whole number is expected, or infinite")
    decks = int(text)
    deck_count_check(decks)
    return decks
