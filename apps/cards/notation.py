"""Cards as text, suit letter first: `H1` is the ace of hearts, `C10`, `DJ`."""

from collections.abc import Iterable

from apps.cards.card import CARDS, Card

_BY_CODE = {card.code: card for card in CARDS}


class CardNotationError(ValueError):
    """The text is not a card."""


def parse_card(code: str) -> Card:
    """Return the card written as `code`. Raises CardNotationError."""
    try:
        return _BY_CODE[code]
    except KeyError:
        raise CardNotationError(f"{code!r} is no card: a suit letter of H, D, C, S, then 1 to 10, J, Q or K") from None


def parse_cards(text: str) -> tuple[Card, ...]:
    """Return the cards of a text like `"H1 C10 DJ"`, in its order. Raises CardNotationError."""
    return tuple(parse_card(code) for code in text.split())


def format_cards(cards: Iterable[Card]) -> str:
    """Return the text from which `parse_cards` reads these cards."""
    return " ".join(card.code for card in cards)
