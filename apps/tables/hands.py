"""The cards of a table's public state as rows for people, whatever the game: each object with `cards` is a row."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from apps.cards.card import CARDS
from apps.rounds.explanation import ExplainedHand, ExplainedStep
from apps.rounds.table_messages import SUIT_NAMES
from apps.tables.engine.state import Json

BY_THE_RULES: Final = "the rules"

_CODES: Final = {(SUIT_NAMES[card.suit], card.rank + 1): card.code for card in CARDS}


def hands_shown(table: Json, seats: Mapping[int, Json]) -> list[ExplainedHand]:
    """Return the rows of the table itself, then those of the seats in their order."""
    rows = [_row(name.replace("_", " ").title(), side) for name, side in table.items() if _has_cards(side)]
    return [*rows, *(row for seat, view in sorted(seats.items()) for row in _seat_rows(seat, view))]


def deal_steps(table: Json, seats: Mapping[int, Json]) -> Iterator[ExplainedStep]:
    """Yield the deal card by card where the table alone has cards; they left the shoe one to each side in turn."""
    sides = {name: side for name, side in table.items() if _has_cards(side)}
    if any(_has_cards(hand) for view in seats.values() for hand in view.get("hands", ())):
        yield ExplainedStep("The cards are dealt", BY_THE_RULES, hands_shown(table, seats))
        return
    shown: dict[str, list[Any]] = {name: [] for name in sides}
    for place in range(max((len(side["cards"]) for side in sides.values()), default=0)):
        for name in sides:
            if place < len(sides[name]["cards"]):
                shown[name].append(sides[name]["cards"][place])
                rows = [_row(side.title(), {"cards": cards}) for side, cards in shown.items()]
                yield ExplainedStep(f"Card {place + 1} to the {name}", BY_THE_RULES, rows)


def card_code(card: Mapping[str, Any]) -> str:
    """Return the code of a card that is written as tables write it."""
    return _CODES[card["suit"], card["rank"]]


def _seat_rows(seat: int, view: Json) -> list[ExplainedHand]:
    hands = [hand for hand in view.get("hands", ()) if _has_cards(hand)]
    label = f"Seat {seat}"
    if len(hands) == 1:
        return [_row(label, hands[0])]
    return [_row(f"{label}, hand {number}", hand) for number, hand in enumerate(hands, 1)]


def _row(label: str, side: Json) -> ExplainedHand:
    cards = [card_code(card) for card in side["cards"]] + [""] * int(side.get("faceDown", 0))
    total = side.get("score", side.get("value", ""))
    return ExplainedHand(label, cards, str(total), str(side.get("status", "")).replace("_", " "))


def _has_cards(side: object) -> bool:
    return isinstance(side, Mapping) and "cards" in side
