"""Finds cards in any text, in every notation of the product, and says which cards of an open round must stay hidden."""

import re
from typing import Final, NamedTuple

from apps.cards.card import CARDS
from apps.core.card_faces import card_name
from apps.fairness.services import draw_again
from apps.rounds.models import Round

PLAYERS_CARDS: Final = 2
HOLE: Final = 3
"""Index of the hole card in the shoe: the player's two cards and the upcard come first."""
HIDDEN: Final = 5
"""A run of so many cards, beginning with the hole card, does not occur by chance."""

_CODES: Final = {card.code: card.code for card in CARDS}
_NAMES: Final = {card_name(card): card.code for card in CARDS}
_WIRE: Final = {(int(card.suit), card.rank): card.code for card in CARDS}
_CARD: Final = re.compile(
    r'\{"value":\s*"?\d+"?,\s*"suit":\s*(?P<suit>[0-3]),\s*"index":\s*(?P<index>\d+)\}'
    r"|(?P<name>\b(?:ace|jack|queen|king|\d+) of (?:hearts|diamonds|clubs|spades)\b)"
    r"|(?P<code>(?<![A-Za-z0-9_#-])[HDCS](?:10|[1-9]|[JQK])(?![A-Za-z0-9_-]))"
)


class Secret(NamedTuple):
    """The cards of an open round: those that its player sees, and those that are still hidden."""

    seen: frozenset[str]
    hidden: tuple[str, ...]
    """The hole card, then those that would be dealt next."""


def round_secret(round_id: str) -> Secret:
    """Return the cards of a blackjack round whose first four cards are dealt."""
    found = Round.objects.select_related("seed_pair", "paytable").get(pk=round_id)
    shoe = draw_again(found.seed_pair, found.nonce).shoe(found.settlement_terms["rules"]["decks"])
    return Secret(
        frozenset(shoe[place].code for place in range(HOLE)),
        tuple(shoe[HOLE + place].code for place in range(HIDDEN)),
    )


def cards_in(text: str) -> list[str]:
    """Return the cards that a text names, in the order of the text."""
    found = []
    for match in _CARD.finditer(text):
        if match["code"]:
            found.append(_CODES[match["code"]])
        elif match["name"]:
            found.append(_NAMES.get(match["name"], ""))
        else:
            found.append(_WIRE.get((int(match["suit"]), int(match["index"])), ""))
    return found


def shows_hole(text: str, secret: Secret) -> bool:
    """Return whether a text about this round alone names its hole card."""
    return secret.hidden[0] not in secret.seen and secret.hidden[0] in cards_in(text)


def shows_shoe(text: str, secret: Secret) -> bool:
    """Return whether a text holds the hidden cards in dealing order or in reverse."""
    cards = cards_in(text)
    ahead = list(secret.hidden)
    return any(cards[place : place + HIDDEN] in (ahead, ahead[::-1]) for place in range(len(cards) - HIDDEN + 1))
