"""The provably fair deal: seeds to integers, integers to cards (docs/fairness.md). Pure.

A round's cards depend only on server seed, client seed, nonce and decks, so anybody who knows these four can deal the
round again.
"""

import hashlib
import hmac
import re
from collections.abc import Iterator, Sequence
from itertools import count
from struct import Struct
from typing import Final

from apps.cards.card import CARDS, Card
from apps.cards.shoe import INFINITE_DECKS, deck_count_check
from apps.core import patterns

ALGORITHM: Final = "punto-hmac-sha256-v1"

_CLIENT_SEED = re.compile(patterns.CLIENT_SEED)
_SERVER_SEED = re.compile(r"[0-9a-f]{64}")
_EIGHT_INTEGERS: Final = Struct(">8I").unpack
_LOW_32: Final = 2**32 - 1


def is_client_seed(text: str) -> bool:
    """Return whether `text` is a valid client seed: see `patterns.CLIENT_SEED_RULE`."""
    return _CLIENT_SEED.fullmatch(text) is not None


def is_server_seed(text: str) -> bool:
    """Return whether `text` is 64 lower-case hexadecimal characters."""
    return _SERVER_SEED.fullmatch(text) is not None


def commitment(server_seed: str) -> str:
    """Return the commitment, which is published before the first bet: SHA-256 of the seed's ASCII text in lower-case
    hex."""
    return hashlib.sha256(server_seed.encode("ascii")).hexdigest()


def stream(server_seed: str, client_seed: str, nonce: int) -> Iterator[int]:
    """Yield the endless unsigned 32-bit integers of one round: HMAC-SHA256 blocks of eight.

    An integer divided by 2**32 is the float that public checking tools show.
    """
    key = server_seed.encode("ascii")
    for block in count():
        message = f"{client_seed}:{nonce}:{block}".encode("ascii")
        yield from _EIGHT_INTEGERS(hmac.digest(key, message, "sha256"))


def draw_below(integers: Iterator[int], n: int) -> int:
    """Return a position below `n`, each equally likely, by Lemire's method.

    It takes one integer, and another one for each that is discarded because it would favour some positions: fewer than
    one in ten million for n = 416.
    """
    product = next(integers) * n
    # Only a low half below n can be discarded, so the division is rarely needed.
    while (low := product & _LOW_32) < n and low < 2**32 % n:
        product = next(integers) * n
    return product >> 32


class FairShoe:
    """A fresh shoe of `decks` decks (INFINITE_DECKS: each card from a whole deck), drawn card by card.

    Only requested cards are drawn, in dealing order: a partial Fisher-Yates shuffle that stores only the positions
    whose card has moved. Raises IndexError past the last card of the shoe.
    """

    __slots__ = ("_dealt", "_decks", "_integers", "_left", "_moved")

    def __init__(self, integers: Iterator[int], *, decks: int) -> None:
        deck_count_check(decks)
        self._integers = integers
        self._decks = decks
        self._left = 52 * decks
        self._dealt: list[Card] = []
        self._moved: dict[int, int] = {}

    def __getitem__(self, index: int) -> Card:
        if index < 0:
            raise IndexError("a shoe is dealt from its front")
        dealt = self._dealt
        while len(dealt) <= index:
            dealt.append(self._draw())
        return dealt[index]

    def _draw(self) -> Card:
        if self._decks == INFINITE_DECKS:
            return CARDS[draw_below(self._integers, 52)]
        if not self._left:
            raise IndexError(f"all {52 * self._decks} cards of the shoe are dealt")
        moved = self._moved
        position = draw_below(self._integers, self._left)
        self._left = last = self._left - 1
        start = moved.get(position, position)
        moved[position] = moved.get(last, last)
        return CARDS[start % 52]


def fair_shoe(server_seed: str, client_seed: str, nonce: int, *, decks: int) -> FairShoe:
    """Return the shoe of one round."""
    return FairShoe(stream(server_seed, client_seed, nonce), decks=decks)


def chain_seed(last: str, length: int, position: int) -> str:
    """Return s_position of a table's chain of `length` seeds, of which `last` is s_length.

    Each seed is the commitment of the one that is dealt with after it; s_0 is published before the first bet.
    """
    if not 0 <= position <= length:
        raise ValueError(f"s_{position} of a chain of {length}")
    seed = last
    for _ in range(length - position):
        seed = commitment(seed)
    return seed


def contributions_joined(contributions: Sequence[str]) -> str:
    """Return the client seed of a table's round: the contributions in seat order."""
    return "|".join(contributions)


class TableShoe:
    """The rest of a table's shoe, dealt with the integers of one round.

    It is laid out from `counts`: the number of each card that is left, by the card's number; None is an infinite deck.
    If it runs empty in a round, it is filled with all cards of its decks but those that this round has dealt, and the
    same integers continue. Only requested cards are drawn.
    """

    __slots__ = ("_counts", "_dealt", "_decks", "_integers", "_left")

    def __init__(self, integers: Iterator[int], counts: Sequence[int] | None, *, decks: int) -> None:
        deck_count_check(decks)
        if (counts is None) != (decks == INFINITE_DECKS):
            raise ValueError("an infinite deck has no counts, and every other shoe has 52")
        self._integers = integers
        self._decks = decks
        self._counts = None if counts is None else tuple(counts)
        self._left: list[Card] | None = None
        """The cards that are left; None until the first one is drawn, because most decisions draw none."""
        self._dealt: list[Card] = []

    def __getitem__(self, index: int) -> Card:
        if index < 0:
            raise IndexError("a shoe is dealt from its front")
        dealt = self._dealt
        while len(dealt) <= index:
            dealt.append(self._draw())
        return dealt[index]

    def counts_after(self, drawn: int) -> tuple[int, ...] | None:
        """Return the counts after the round has taken `drawn` cards; None for an infinite deck."""
        if self._counts is None:
            return None
        left = list(self._counts)
        for index in range(drawn):
            card = self[index]
            if not any(left):
                left = _refilled(self._decks, self._dealt[:index])
            left[card.number] -= 1
        return tuple(left)

    def _draw(self) -> Card:
        if self._counts is None:
            return CARDS[draw_below(self._integers, 52)]
        left = self._left
        if left is None:
            left = self._left = _laid_out(self._counts)
        if not left:
            left = self._left = _laid_out(_refilled(self._decks, self._dealt))
        position = draw_below(self._integers, len(left))
        card = left[position]
        left[position] = left[-1]
        left.pop()
        return card


def _laid_out(counts: Sequence[int]) -> list[Card]:
    """Return the cards in passes: pass p takes, in start order, each card of which at least p are left."""
    return [card for number in range(max(counts, default=0)) for card in CARDS if counts[card.number] > number]


def _refilled(decks: int, on_table: Sequence[Card]) -> list[int]:
    counts = [decks] * 52
    for card in on_table:
        counts[card.number] -= 1
    # All cards may lie on the table: this needs split hands and a single deck. Then a further shoe is opened.
    while not any(count > 0 for count in counts):
        counts = [count + decks for count in counts]
    return [max(count, 0) for count in counts]
