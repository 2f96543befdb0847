"""The chances of third cards' faces, against every deal of six cards by their points."""

import numpy as np
import pytest

from apps.baccarat.edge import face_chances
from apps.cards.card import CARDS
from apps.cards.shoe import INFINITE_DECKS

BANKER_DRAWS_ON = [range(10), range(10), range(10), [*range(8), 9], range(2, 8), range(4, 8), (6, 7), ()]
"""By the banker's score: the points of the player's third card."""


def counted(decks: int) -> tuple[list[float], list[float]]:
    """Return the chances of the points of the fifth and of the sixth card."""
    cards = np.indices((10,) * 6).reshape(6, -1)
    left = np.array([16 * decks, *[4 * decks] * 9])
    ways = np.ones(cards.shape[1])
    for number, card in enumerate(cards):
        ways *= left[card] - sum(earlier == card for earlier in cards[:number])
    player, banker = (cards[0] + cards[2]) % 10, (cards[1] + cards[3]) % 10
    goes_on = (player < 8) & (banker < 8)
    fifth = goes_on & ((player <= 5) | (banker <= 5))
    table = np.array([[third in draws for third in range(10)] for draws in BANKER_DRAWS_ON])
    sixth = goes_on & (player <= 5) & table[np.minimum(banker, 7), cards[4]]
    found = [np.bincount(cards[4 + n][drawn], ways[drawn]) for n, drawn in enumerate((fifth, sixth))]
    return tuple((of_points / of_points.sum()).tolist() for of_points in found)  # type: ignore[return-value]


@pytest.mark.parametrize("decks", [1, 8])
def test_third_cards_have_the_chances_of_all_deals(decks: int) -> None:
    for place, by_points in enumerate(counted(decks), start=4):
        chances = face_chances(decks, place)
        assert chances is not None
        assert sum(chances) == pytest.approx(1)
        for points, expected in enumerate(by_points):
            of_points = [chance for card, chance in zip(CARDS, chances, strict=True) if card.points == points]
            assert sum(of_points) == pytest.approx(expected)
            assert max(of_points) == min(of_points)
        assert max(chances) > 1.002 / 52


def test_first_cards_and_those_of_infinite_decks_are_all_equally_likely() -> None:
    assert [face_chances(8, place) for place in range(4)] == [None] * 4
    assert face_chances(INFINITE_DECKS, 5) == pytest.approx([1 / 52] * 52)
