"""Baccarat's rules for a round's bundle: from the cards in dealing order to what a bet pays.

It goes into the bundle as it is, so it needs the standard library alone. A test compares it with the engine.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

_DRAWS_ON = {3: {0, 1, 2, 3, 4, 5, 6, 7, 9}, 4: {2, 3, 4, 5, 6, 7}, 5: {4, 5, 6, 7}, 6: {6, 7}, 7: set()}
"""By the banker's score with two cards: the points of the player's third card with which the banker draws."""


def payout(cards: Sequence[str], bet: str, stake: Decimal, terms: Mapping[str, Any], quantum: Decimal) -> Decimal:
    """Return what a bet pays, its stake included, cut down to the currency's smallest unit."""
    player, banker = sides(cards)
    p, b = score(player), score(banker)
    pairs = [side[0][1:] == side[1][1:] for side in (player, banker)]
    perfect = [side[0] == side[1] for side in (player, banker)]
    wins = {
        "BaccaratGameBetOnPlayer": p > b,
        "BaccaratGameBetOnBanker": b > p,
        "BaccaratGameBetTie": p == b,
        "BaccaratGameBetPlayerPair": pairs[0],
        "BaccaratGameBetBankerPair": pairs[1],
        "BaccaratGameBetEitherPair": any(pairs),
        "BaccaratGameBetPerfectPair": any(perfect),
        "BaccaratGameBetDragon7": b == 7 and len(banker) == 3 and p < 7,
        "BaccaratGameBetPanda8": p == 8 and len(player) == 3 and b < 8,
        "BaccaratGameBetSuper6": b == 6 and p < 6,
    }
    if wins[bet]:
        units = Fraction(stake) / Fraction(quantum) * (1 + Fraction(terms["odds"][bet]))
        return int(units) * quantum
    is_side = bet in ("BaccaratGameBetOnPlayer", "BaccaratGameBetOnBanker")
    return stake if is_side and p == b else Decimal(0)


def sides(cards: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the player's and the banker's cards; all cards must be used up by the rules."""
    player, banker, rest = [cards[0], cards[2]], [cards[1], cards[3]], list(cards[4:])
    p, b = score(player), score(banker)
    if p < 8 and b < 8:
        third = None
        if p <= 5:
            third = rest.pop(0)
            player.append(third)
        draws = b <= 5 if third is None else b < 3 or points(third) in _DRAWS_ON[b]
        if draws:
            banker.append(rest.pop(0))
    if rest:
        raise ValueError("there are more cards than the rules deal")
    return player, banker


def score(cards: Sequence[str]) -> int:
    """Return the score of a side."""
    return sum(points(card) for card in cards) % 10


def points(card: str) -> int:
    """Return the points of a card, as `H1` or `CK`."""
    rank = card[1:]
    return 0 if rank in ("10", "J", "Q", "K") else int(rank)
