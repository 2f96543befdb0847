"""Simulates many rounds of a chart at once by a second implementation of the rules, to check the exact figures. Pure.

It uses only the rule set and the chart, and nothing else of the engine or the exact calculation, so an error would have
to be made twice to be missed. Each round has a fresh shoe, of which only the needed cards are shuffled. New hands of a
split are played after the others, which changes no probability.
"""

from dataclasses import dataclass, field
from math import sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from apps.blackjack.engine.rules import BlackjackRules, DoubleOn, Insurance, Surrender
from apps.blackjack.mathematics.chart import Chart

BATCH: Final = 8192
HANDS: Final = 4
STAND, HIT, DOUBLE, SURRENDER, SPLIT = range(5)

Small = NDArray[np.int64]
Flags = NDArray[np.bool_]
Rows = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Simulation:
    """The result: winnings for each round in units of the first stake."""

    rounds: int
    mean: float
    deviation: float
    """The standard deviation of a single round."""
    stake_squared: float
    """The mean square of a round's stakes, with what doubles and splits added."""

    @property
    def standard_error(self) -> float:
        return self.deviation / sqrt(self.rounds)

    @property
    def unit_deviation(self) -> float:
        """The standard deviation per unit staked: its square times the squared stakes of many rounds is the variance of
        what they win."""
        return self.deviation / sqrt(self.stake_squared)


def simulate(rules: BlackjackRules, chart: Chart, *, rounds: int, seed: int) -> Simulation:
    """Play `rounds` rounds of one hand by `chart`; the same seed plays the same rounds."""
    random = np.random.default_rng(seed)
    table = _Table.of(rules, chart)
    total = squares = stakes = 0.0
    played = 0
    while played < rounds:
        batch = _Batch(rules, table, random, min(BATCH, rounds - played))
        won = batch.play()
        total += float(won.sum())
        squares += float((won * won).sum())
        stakes += float((batch.staked() ** 2).sum())
        played += len(won)
    mean = total / played
    return Simulation(played, mean, sqrt(squares / played - mean * mean), stakes / played)


@dataclass(frozen=True, slots=True)
class _Table:
    """The chart as an array over every state of the rules."""

    action: NDArray[np.int8]
    """Indexed by may split, may double, may surrender, soft, value, pair (0: none), upcard."""
    insure: bool

    @classmethod
    def of(cls, rules: BlackjackRules, chart: Chart) -> "_Table":
        action = np.zeros((2, 2, 2, 2, 22, 11, 11), dtype=np.int8)
        letters = {"S": STAND, "H": HIT, "D": DOUBLE, "R": SURRENDER, "P": SPLIT}
        for soft, rows in ((0, chart.hard), (1, chart.soft)):
            for value, row in rows.items():
                for split, double, surrender, pair, upcard in np.ndindex(2, 2, 2, 11, 10):
                    order = (chart.pairs[pair - 1][upcard] if split and pair else "") + row[upcard]
                    barred = ("" if split else "P") + ("" if double else "D") + ("" if surrender else "R")
                    first = next(letter for letter in order if letter not in barred)
                    action[split, double, surrender, soft, value, pair, upcard + 1] = letters[first]
        insured = chart.insure and not rules.simple and rules.insurance is not Insurance.OFF
        return cls(action, insured)


@dataclass(slots=True)
class _Batch:
    """Rounds as arrays; arrays of hands are (hand, round)."""

    rules: BlackjackRules
    table: _Table
    random: np.random.Generator
    size: int
    shoes: NDArray[np.int8] = field(init=False)
    drawn: Small = field(init=False)
    hard: Small = field(init=False)
    ace: Flags = field(init=False)
    cards: Small = field(init=False)
    pair: Small = field(init=False)
    """The value of the two cards of a pair, else 0."""
    stake: Small = field(init=False)
    live: Flags = field(init=False)
    """The hand stands, or was doubled without a bust: it waits for the dealer."""
    fixed: Flags = field(init=False)
    """A split ace that must not be hit."""
    hands: Small = field(init=False)
    splits_left: Small = field(init=False)
    upcard: Small = field(init=False)
    won: NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        shape = (HANDS, self.size)
        deck = np.array([*range(1, 10), 10, 10, 10, 10] * 4 * self.rules.decks, dtype=np.int8)
        self.shoes = np.tile(deck, self.size) if not self.rules.is_infinite else deck
        self.drawn = np.zeros(self.size, dtype=np.int64)
        self.hard, self.cards, self.pair = (np.zeros(shape, dtype=np.int64) for _ in range(3))
        self.ace, self.live, self.fixed = (np.zeros(shape, dtype=np.bool_) for _ in range(3))
        self.stake = np.ones(shape, dtype=np.int64)
        self.hands = np.ones(self.size, dtype=np.int64)
        self.won = np.zeros(self.size)

    def play(self) -> NDArray[np.float64]:
        """Play every round to its end and return the winnings."""
        everyone = np.arange(self.size)
        first = self.draw(everyone)
        self.upcard = self.draw(everyone)
        second = self.draw(everyone)
        self._start_hand(0, everyone, first, second)
        splits = np.where(first == 1, self.rules.split_ace, self.rules.split_non_ace)
        self.splits_left = np.zeros_like(splits) if self.rules.simple else splits
        hole = self.draw(everyone) if self._peeks else np.zeros(self.size, dtype=np.int64)
        natural = (self.hard[0] == 11) & self.ace[0]
        playing = np.flatnonzero(~natural)
        if self._peeks:
            playing = self._peek(hole, natural)
        for hand in range(HANDS):
            self._play_hand(hand, playing[self.hands[playing] > hand])
        self._settle(hole, natural)
        return -self.won if self.rules.inverted else self.won

    def staked(self) -> Small:
        """Return the stakes of all hands of each round, without insurance."""
        return np.asarray((self.stake * (np.arange(HANDS)[:, None] < self.hands)).sum(axis=0))

    @property
    def _peeks(self) -> bool:
        return self.rules.dealer_peek or self.rules.simple

    def draw(self, rounds: Rows) -> Small:
        """Take the next card of each of these rounds: one step of a Fisher-Yates shuffle, in place."""
        if self.rules.is_infinite:
            value = self.shoes[self.random.integers(0, 13, len(rounds))]
            return np.asarray(value, dtype=np.int64)
        cards = 52 * self.rules.decks
        taken = self.drawn[rounds]
        start = rounds * cards + taken
        place = start + (self.random.random(len(rounds)) * (cards - taken)).astype(np.int64)
        value = self.shoes[place]
        self.shoes[place] = self.shoes[start]
        self.drawn[rounds] = taken + 1
        return np.asarray(value, dtype=np.int64)

    def _start_hand(self, hand: int | Small, rounds: Rows, first: Small, second: Small) -> None:
        self.hard[hand, rounds] = first + second
        self.ace[hand, rounds] = (first == 1) | (second == 1)
        self.cards[hand, rounds] = 2
        self.pair[hand, rounds] = np.where(first == second, first, 0)

    def _peek(self, hole: Small, natural: Flags) -> Rows:
        """Apply early surrender, pay insurance, end the rounds with a dealer's natural; return the other rounds."""
        dealer = _is_natural(self.upcard, hole)
        early = np.zeros(self.size, dtype=np.bool_)
        if not self.rules.simple and self.rules.surrender in (Surrender.EARLY, Surrender.EARLY_NOT_ACE):
            asked = (self.upcard == 10) | ((self.upcard == 1) & (self.rules.surrender is Surrender.EARLY))
            rounds = np.flatnonzero(asked & ~natural)
            early[rounds[self._decisions(0, rounds) == SURRENDER]] = True
            self.won[early] = -0.5
        self._insure(dealer, ~early)
        self.won[dealer & ~natural & ~early] -= 1.0
        return np.flatnonzero(~dealer & ~natural & ~early)

    def _insure(self, dealer: Flags, staying: Flags) -> None:
        if self.table.insure:
            self.won += np.where((self.upcard == 1) & staying, np.where(dealer, 1.0, -0.5), 0.0)

    def _decisions(self, hand: int, rounds: Rows) -> Small:
        """Return the chart's decision for this hand of each round."""
        rules = self.rules
        hard, first_two = self.hard[hand, rounds], self.cards[hand, rounds] == 2
        soft = self.ace[hand, rounds] & (hard <= 11)
        value = hard + 10 * soft
        split = self.hands[rounds] > 1
        pair = self.pair[hand, rounds]
        may_split = (pair > 0) & (self.splits_left[rounds] > 0)
        may_double = first_two & (rules.double_after_split | ~split)
        if rules.double is not DoubleOn.ANY:
            lowest = 9 if rules.double is DoubleOn.NINE_TO_ELEVEN else 10
            may_double &= ~soft & (value >= lowest) & (value <= 11)
        may_give_up = (first_two | rules.surrender_after_hit) & (~split | rules.surrender_after_split)
        if rules.simple:
            may_double[:] = False
        if rules.simple or rules.surrender is Surrender.OFF:
            may_give_up[:] = False
        chosen = self.table.action[
            may_split.astype(np.int8),
            may_double.astype(np.int8),
            may_give_up.astype(np.int8),
            soft.astype(np.int8),
            value,
            pair,
            self.upcard[rounds],
        ]
        return np.where((value == 21) | (self.fixed[hand, rounds] & (chosen != SPLIT)), STAND, chosen)

    def _play_hand(self, hand: int, rounds: Rows) -> None:
        self.live[hand, rounds] = True
        while len(rounds):
            chosen = self._decisions(hand, rounds)
            given_up = rounds[chosen == SURRENDER]
            self.live[hand, given_up] = False
            self.won[given_up] -= 0.5
            doubled = rounds[chosen == DOUBLE]
            self.stake[hand, doubled] = 2
            self._hit(hand, doubled)
            hit = rounds[chosen == HIT]
            self._hit(hand, hit)
            split = rounds[chosen == SPLIT]
            self._split(hand, split)
            rounds = np.concatenate((hit[self.live[hand, hit]], split))

    def _hit(self, hand: int, rounds: Rows) -> None:
        card = self.draw(rounds)
        hard = self.hard[hand, rounds] + card
        self.hard[hand, rounds] = hard
        self.ace[hand, rounds] |= card == 1
        self.cards[hand, rounds] += 1
        self.pair[hand, rounds] = 0
        bust = rounds[hard > 21]
        self.live[hand, bust] = False
        self.won[bust] -= self.stake[hand, bust]

    def _split(self, hand: int, rounds: Rows) -> None:
        if not len(rounds):
            return
        value = self.pair[hand, rounds]
        new = self.hands[rounds]
        self._start_hand(hand, rounds, value, self.draw(rounds))
        self._start_hand(new, rounds, value, self.draw(rounds))
        if not self.rules.hit_split_ace:
            self.fixed[hand, rounds] = self.fixed[new, rounds] = value == 1
        self.hands[rounds] += 1
        self.splits_left[rounds] -= 1

    def _settle(self, hole: Small, natural: Flags) -> None:
        """Let the dealer draw if a hand waits, and pay."""
        waiting = np.flatnonzero(natural | self.live.any(axis=0) | (not self._peeks))
        if not self._peeks:
            hole[waiting] = self.draw(waiting)
        dealer = _is_natural(self.upcard, hole)
        if not self._peeks:
            self._insure(dealer, np.ones_like(dealer))
        self.won[natural & ~dealer] += float(self.rules.blackjack_pays)
        end = np.where(dealer, 22, 0)
        drawing = np.flatnonzero(self.live.any(axis=0) & ~dealer)
        end[drawing] = self._dealer_ends(self.upcard[drawing] + hole[drawing], hole[drawing] == 1, drawing)
        value = self.hard + 10 * (self.ace & (self.hard <= 11))
        result = np.where(value > end, 1, np.where(value < end, -1, 0)) * self.stake
        self.won += np.where(self.live, result, 0).sum(axis=0)

    def _dealer_ends(self, hard: Small, ace: Flags, rounds: Rows) -> Small:
        """Return the dealer's totals, 0 for a bust; a dealer's natural has ended the round before."""
        ace = ace | (self.upcard[rounds] == 1)
        end = np.zeros(len(rounds), dtype=np.int64)
        drawing = np.arange(len(rounds))
        while len(drawing):
            soft = ace[drawing] & (hard[drawing] <= 11)
            value = hard[drawing] + 10 * soft
            done = (value > 17) | ((value == 17) & ~(soft & self.rules.dealer_hits_soft_17))
            end[drawing[done]] = np.where(value > 21, 0, value)[done]
            drawing = drawing[~done]
            card = self.draw(rounds[drawing])
            hard[drawing] += card
            ace[drawing] |= card == 1
        return end


def _is_natural(upcard: Small, hole: Small) -> Flags:
    natural: Flags = ((upcard == 1) & (hole == 10)) | ((upcard == 10) & (hole == 1))
    return natural
