"""Cards as HTML for the back office: text and CSS (static/office/office.css), with names for screen readers."""

from collections.abc import Iterable
from typing import Final

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from apps.cards.card import Card, Suit
from apps.cards.notation import parse_card

SUIT_SIGNS: Final = {Suit.HEARTS: "\u2665", Suit.DIAMONDS: "\u2666", Suit.CLUBS: "\u2663", Suit.SPADES: "\u2660"}
SUIT_NAMES: Final = {Suit.HEARTS: "hearts", Suit.DIAMONDS: "diamonds", Suit.CLUBS: "clubs", Suit.SPADES: "spades"}
RANK_SIGNS: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
RANK_NAMES: Final = {0: "ace", 10: "jack", 11: "queen", 12: "king"}


def cards_html(cards: Iterable[Card]) -> SafeString:
    """Return a row of faces, in the order given."""
    faces = format_html_join("", "{}", ((card_html(card),) for card in cards))
    return format_html('<span class="cards">{}</span>', faces)


def card_codes_html(codes: Iterable[str]) -> SafeString:
    """Return a row of faces for cards written as `H1` or `C10`."""
    return cards_html(parse_card(code) for code in codes)


def hand_html(codes: Iterable[str]) -> SafeString:
    """Return a hand: faces, and a back for each empty code."""
    faces = format_html_join("", "{}", ((card_html(parse_card(code)) if code else card_back_html(),) for code in codes))
    return format_html('<span class="cards">{}</span>', faces)


def card_html(card: Card) -> SafeString:
    """Return one face."""
    return format_html(
        '<span class="card-face {}" role="img" aria-label="{}" title="{}"><b>{}</b><i>{}</i></span>',
        "red" if card.suit.is_red else "black",
        card_name(card),
        card.code,
        RANK_SIGNS[card.rank],
        SUIT_SIGNS[card.suit],
    )


def card_name(card: Card) -> str:
    """Return the card's name: `ace of hearts`."""
    return f"{RANK_NAMES.get(card.rank, RANK_SIGNS[card.rank])} of {SUIT_NAMES[card.suit]}"


def card_back_html() -> SafeString:
    """Return the back of a hidden card."""
    return format_html(
        '<span class="card-face back" role="img" aria-label="{}"><b></b><i></i></span>', "a card face down"
    )
