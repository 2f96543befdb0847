"""The 52 cards, their numbers, values and texts."""

import copy
import pickle

import pytest

from apps.cards.card import ACE, CARDS, JACK, KING, QUEEN, TEN, Suit, card_of
from apps.cards.notation import CardNotationError, format_cards, parse_card, parse_cards
from apps.cards.shoe import INFINITE_DECKS, deck_count_check


def test_a_deck_goes_suit_by_suit_and_ace_to_king() -> None:
    assert format_cards(CARDS[:13]) == "H1 H2 H3 H4 H5 H6 H7 H8 H9 H10 HJ HQ HK"
    assert [card.suit for card in CARDS[::13]] == [Suit.HEARTS, Suit.DIAMONDS, Suit.CLUBS, Suit.SPADES]
    assert [card.number for card in CARDS] == list(range(52))
    assert len({(card.rank, card.suit) for card in CARDS}) == 52


def test_pictures_have_the_value_10_and_no_points() -> None:
    hearts = CARDS[:13]
    assert [card.value for card in hearts] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10]
    assert [card.points for card in hearts] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0]
    assert [hearts[rank].code for rank in (ACE, TEN, JACK, QUEEN, KING)] == ["H1", "H10", "HJ", "HQ", "HK"]


def test_hearts_and_diamonds_are_red() -> None:
    assert [suit.is_red for suit in Suit] == [True, True, False, False]


def test_cards_survive_notation() -> None:
    for card in CARDS:
        assert parse_card(card.code) is card
        assert card_of(card.number) is card
    assert parse_cards(format_cards(CARDS)) == CARDS
    assert parse_cards("") == ()
    assert repr(CARDS[22]) == str(CARDS[22]) == "D10"


@pytest.mark.parametrize("text", ["", "H", "1H", "H11", "H0", "h1", "HA", "X5", "H1 "])
def test_invalid_notation_is_refused(text: str) -> None:
    with pytest.raises(CardNotationError, match="is no card"):
        parse_card(text)


def test_a_copy_of_a_card_is_the_same_object() -> None:
    for card in CARDS:
        assert copy.deepcopy(card) is card
        assert pickle.loads(pickle.dumps(card)) is card


@pytest.mark.parametrize("decks", [*range(1, 9), INFINITE_DECKS])
def test_1_to_8_decks_and_an_infinite_deck_are_accepted(decks: int) -> None:
    deck_count_check(decks)


@pytest.mark.parametrize("decks", [-1, 0, 10])
def test_invalid_numbers_of_decks_are_refused(decks: int) -> None:
    with pytest.raises(ValueError, match=f"decks is {decks}; 1 to 8 are possible, or 9 for an infinite deck"):
        deck_count_check(decks)
