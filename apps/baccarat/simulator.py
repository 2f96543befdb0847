"""Simulates many baccarat deals with its own code of rules and bets, to check the exact edges. Pure.

It uses only the names of the bets from the engine. Each deal has a fresh shoe.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from apps.baccarat.engine import GameType
from apps.cards.shoe import INFINITE_DECKS, deck_count_check

BATCH: Final = 16384
CARDS: Final = 6
"""The most cards of a deal. All six are always drawn; those that are not dealt are ignored."""

Numbers = NDArray[np.uint16]
Points = NDArray[np.uint8]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Tally:
    """The number of wins and losses of a bet; the other rounds were pushes."""

    rounds: int
    won: int
    lost: int

    def mean(self, odds: Fraction) -> float:
        """Return the average winnings per round from a stake of 1."""
        return (self.won * float(odds) - self.lost) / self.rounds

    def standard_error(self, odds: Fraction) -> float:
        """Return the standard error of `mean`."""
        square = (self.won * float(odds) ** 2 + self.lost) / self.rounds
        return sqrt((square - self.mean(odds) ** 2) / self.rounds)


def simulate(*, decks: int, rounds: int, seed: int) -> dict[GameType, Tally]:
    """Deal `rounds` rounds and count the results of every bet; the same seed deals the same rounds."""
    deck_count_check(decks)
    random = np.random.default_rng(seed)
    won = dict.fromkeys(GameType, 0)
    ties = played = 0
    while played < rounds:
        deals = _draw(random, decks, min(BATCH, rounds - played))
        results = _results(deals)
        for game_type, wins in results.items():
            won[game_type] += int(np.count_nonzero(wins))
        ties += int(np.count_nonzero(results[GameType.TIE]))
        played += deals.shape[1]
    pushes = {GameType.PLAYER: ties, GameType.BANKER: ties}
    return {bet: Tally(played, count, played - count - pushes.get(bet, 0)) for bet, count in won.items()}


def _draw(random: np.random.Generator, decks: int, size: int) -> Numbers:
    """Return (6, size) cards as numbers 0 to 51.

    Deals with one card of the shoe twice are drawn again as a whole, so that all deals are equally likely.
    """
    if decks == INFINITE_DECKS:
        return random.integers(0, 52, (CARDS, size), dtype=np.uint16)
    places = random.integers(0, 52 * decks, (CARDS, size), dtype=np.uint16)
    again = np.flatnonzero(_repeats(places))
    while len(again):
        places[:, again] = random.integers(0, 52 * decks, (CARDS, len(again)), dtype=np.uint16)
        again = again[_repeats(places[:, again])]
    return places % np.uint16(52)


def _repeats(places: Numbers) -> Flags:
    repeats = np.zeros(places.shape[1], dtype=np.bool_)
    for one, two in combinations(range(CARDS), 2):
        repeats |= places[one] == places[two]
    return repeats


def _results(deals: Numbers) -> dict[GameType, Flags]:
    """Return the deals that each bet wins. Cards go to player, banker, player, banker; third cards follow."""
    points = _POINTS[deals]
    player = (points[0] + points[2]) % 10
    banker = (points[1] + points[3]) % 10
    going_on = (player < 8) & (banker < 8)
    player_draws = going_on & (player < 6)
    banker_draws = going_on & np.where(player_draws, _BANKER_DRAWS[banker, points[4]], banker < 6)
    last = np.where(player_draws, points[5], points[4])
    player = (player + points[4] * player_draws) % 10
    banker = (banker + last * banker_draws) % 10
    rank = deals % np.uint16(13)
    player_pair, banker_pair = rank[0] == rank[2], rank[1] == rank[3]
    return {
        GameType.PLAYER: player > banker,
        GameType.BANKER: banker > player,
        GameType.TIE: player == banker,
        GameType.PLAYER_PAIR: player_pair,
        GameType.BANKER_PAIR: banker_pair,
        GameType.EITHER_PAIR: player_pair | banker_pair,
        GameType.PERFECT_PAIR: (deals[0] == deals[2]) | (deals[1] == deals[3]),
        GameType.DRAGON_7: banker_draws & (banker == 7) & (player < 7),
        GameType.PANDA_8: player_draws & (player == 8) & (banker < 8),
        GameType.SUPER_6: (banker == 6) & (player < 6),
    }


_POINTS: Final[Points] = np.array([1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0] * 4, dtype=np.uint8)

_BANKER_DRAWS: Final[Flags] = np.array(
    [
        [mark == "D" for mark in row]
        for row in (
            # Points of the player's third card: 0 1 2 3 4 5 6 7 8 9.
            "DDDDDDDDDD",
            "DDDDDDDDDD",
            "DDDDDDDDDD",
            "DDDDDDDD-D",
            "--DDDDDD--",
            "----DDDD--",
            "------DD--",
            "----------",
            "----------",
            "----------",
        )
    ]
)
"""By the banker's score with two cards, if the player took a third."""
