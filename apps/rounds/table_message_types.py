"""The types that the messages of all tables share: amounts and cards (docs/tables.md).

A game declares the payloads of its messages with them, in its `table.py` or a module beside it; JSON Schemas are
generated from them.
"""

from decimal import Decimal
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from apps.cards.card import RANK_TEXTS, SUIT_LETTERS, Card, Suit
from apps.core import patterns
from apps.core.message_schemas import EXACT_NUMBER


def _named(name: str, description: str = "", **schema: Any) -> Meta:
    return Meta(description=description or None, extra_json_schema={"title": name, **schema})


Amount = Annotated[
    int | Decimal, Meta(extra_json_schema={"format": EXACT_NUMBER, "minimum": 0}, description="An exact decimal.")
]
SignedAmount = Annotated[int | Decimal, Meta(extra_json_schema={"format": EXACT_NUMBER}, description="May be below 0.")]
Seat = Annotated[int, Meta(ge=1, description="A seat's number, counted from 1.")]
PlayerId = Annotated[str, Meta(description="Random: not the account's.", extra_json_schema={"format": "uuid"})]
RoundId = Annotated[str, Meta(extra_json_schema={"format": "uuid"})]
TableId = Annotated[str, Meta(description="The room's id.", extra_json_schema={"format": "uuid"})]
Milliseconds = Annotated[int, Meta(ge=0, description="Milliseconds of Unix time.")]
SeedHash = Annotated[str, Meta(extra_json_schema={"pattern": patterns.SEED})]
ServerSeed = Annotated[str, Meta(extra_json_schema={"pattern": patterns.SEED})]
Contribution = Annotated[str, Meta(extra_json_schema={"pattern": "^[0-9a-f]{32}$"})]
ClientSeed = Annotated[
    str, Meta(max_length=1023, description="The contributions of the seats in seat order, joined with |.")
]
ShoeCounts = Annotated[
    list[Annotated[int, Meta(ge=0)]],
    Meta(min_length=52, max_length=52, description="How many of each card are left: hearts to spades, ace to king."),
]

SUIT_NAMES: Final = {Suit.HEARTS: "hearts", Suit.DIAMONDS: "diamonds", Suit.CLUBS: "clubs", Suit.SPADES: "spades"}
SuitName = Annotated[str, _named("SuitName", enum=list(SUIT_NAMES.values()))]


class TableCard(msgspec.Struct, frozen=True):
    """A card in the messages of tables: `rank` 1 to 13, the ace 1, the king 13."""

    suit: SuitName
    rank: Annotated[int, Meta(ge=1, le=13)]


TABLE_CARDS: Final = {
    (suit, rank): {"suit": name, "rank": rank + 1} for suit, name in SUIT_NAMES.items() for rank in range(13)
}


def card_code_sql(payload: str) -> str:
    """Return the expression for the code of a card (`Card.code`) from its payload, an SQL expression of type jsonb."""
    suits = " ".join(f"WHEN '{name}' THEN '{SUIT_LETTERS[suit]}'" for suit, name in SUIT_NAMES.items())
    ranks = ", ".join(f"'{text}'" for text in RANK_TEXTS)
    return f"(CASE ({payload}) ->> 'suit' {suits} END || (ARRAY[{ranks}])[(({payload}) ->> 'rank')::integer])"


def card_payload(card: Card) -> dict[str, Any]:
    """Return the card for the wire. Callers must not change the dictionary, because it is shared."""
    return TABLE_CARDS[card.suit, card.rank]
