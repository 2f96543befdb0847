"""The cards of a table's public state as rows for people, whatever the game: each object with `cards` is a row."""

from collections.abc import Mapping
from typing import Any, Final

from django.utils.translation import gettext

from apps.cards.card import CARDS
from apps.rounds.explanation import ExplainedHand
from apps.rounds.table_message_types import SUIT_NAMES
from apps.tables.engine.state import Json

BY_THE_RULES: Final = "the rules"

_SEAT: Final = "Seat "
_HAND: Final = ", hand "
_CODES: Final = {(SUIT_NAMES[card.suit], card.rank + 1): card.code for card in CARDS}


def hands_shown(table: Json, seats: Mapping[int, Json]) -> list[ExplainedHand]:
    """Return the rows of the table itself, then those of the seats in their order."""
    rows = [_row(name.replace("_", " ").title(), side) for name, side in table.items() if _has_cards(side)]
    return [*rows, *(row for seat, view in sorted(seats.items()) for row in _seat_rows(seat, view))]


def label_shown(label: str) -> str:
    """Return the label of a row in the reader's language."""
    if not is_seat(label):
        return gettext(label)
    seat, _, hand = label.removeprefix(_SEAT).partition(_HAND)
    text = gettext("Seat {number}, hand {hand}") if hand else gettext("Seat {number}")
    return text.format(number=seat, hand=hand)


def is_seat(label: str) -> bool:
    """Return whether a row is a seat's, not the table's own."""
    return label.startswith(_SEAT)


def row_named(label: str) -> str:
    """Return the name of a row within a sentence, in the reader's language: "seat 2, hand 1", "dealer"."""
    if not is_seat(label):
        return gettext(label.lower())
    seat, _, hand = label.removeprefix(_SEAT).partition(_HAND)
    text = gettext("seat {number}, hand {hand}") if hand else gettext("seat {number}")
    return text.format(number=seat, hand=hand)


def card_code(card: Mapping[str, Any]) -> str:
    """Return the code of a card in the form of tables' messages."""
    return _CODES[card["suit"], card["rank"]]


def _seat_rows(seat: int, view: Json) -> list[ExplainedHand]:
    hands = [hand for hand in view.get("hands", ()) if _has_cards(hand)]
    label = f"{_SEAT}{seat}"
    if len(hands) == 1:
        return [_row(label, hands[0])]
    return [_row(f"{label}{_HAND}{number}", hand) for number, hand in enumerate(hands, 1)]


def _row(label: str, side: Json) -> ExplainedHand:
    cards = [card_code(card) for card in side["cards"]] + [""] * int(side.get("faceDown", 0))
    total = side.get("score", side.get("value", ""))
    return ExplainedHand(label, cards, str(total), str(side.get("status", "")).replace("_", " "))


def _has_cards(side: object) -> bool:
    return isinstance(side, Mapping) and "cards" in side
