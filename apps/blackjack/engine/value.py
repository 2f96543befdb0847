"""Values of hands (docs/blackjack-rules.md, "Cards and hands"). Pure."""

from collections.abc import Sequence
from typing import Final

from apps.cards.card import ACE, Card

BEST_VALUE: Final = 21
NATURAL_RANK: Final = 22
BUST_RANK: Final = 0


def hand_value(cards: Sequence[Card]) -> int:
    """Return the best sum: an ace counts 11 unless that exceeds 21."""
    hard = 0
    has_ace = False
    for card in cards:
        value = card.value
        hard += value
        if value == 1:
            has_ace = True
    return hard + 10 if has_ace and hard <= 11 else hard


def is_soft(cards: Sequence[Card]) -> bool:
    """Return whether the value counts an ace as 11."""
    return hand_value(cards) != sum(card.value for card in cards)


def is_two_card_21(cards: Sequence[Card]) -> bool:
    """Return whether these are an ace and a ten-value card: a natural, unless the hand was split."""
    return len(cards) == 2 and cards[0].value + cards[1].value == 11 and (cards[0].rank == ACE or cards[1].rank == ACE)


def is_pair(cards: Sequence[Card]) -> bool:
    """Return whether the cards can be split: two cards with the same value, such as any two tens."""
    return len(cards) == 2 and cards[0].value == cards[1].value


def hand_rank(cards: Sequence[Card], *, is_split: bool = False) -> int:
    """Return the hand's place among the 21 categories of hands; a better hand has a higher rank.

    The ranks are NATURAL_RANK, then 21 down to 3 by value, then BUST_RANK. The rank does not decide between two bust
    hands: a bust player always loses.
    """
    if not is_split and is_two_card_21(cards):
        return NATURAL_RANK
    value = hand_value(cards)
    return value if value <= BEST_VALUE else BUST_RANK
