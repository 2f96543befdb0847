"""Baccarat: the deal, the bets and what they pay (docs/baccarat.md). Pure.

A round is one deal with one or more bets, each settled by itself.
"""

from collections.abc import Callable, Sequence
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Final

import msgspec

from apps.cards.card import Card
from apps.cards.shoe import Shoe
from apps.core.money import payout
from apps.one_deal.engine import BetKind, BetResult, ResultType


class GameType(BetKind):
    """The bets. Values are the numbers on the wire and in `baccarat_game_record.game_type`.

    What a further bet needs: docs/new-game.md, "A further bet".
    """

    PLAYER = 1
    BANKER = 2
    TIE = 3
    PLAYER_PAIR = 4
    BANKER_PAIR = 5
    EITHER_PAIR = 6
    PERFECT_PAIR = 7
    DRAGON_7 = 8
    PANDA_8 = 9
    SUPER_6 = 10

    @property
    def wire_name(self) -> str:
        return WIRE_NAMES[self]


WIRE_NAMES: Final = {
    GameType.PLAYER: "BaccaratGameBetOnPlayer",
    GameType.BANKER: "BaccaratGameBetOnBanker",
    GameType.TIE: "BaccaratGameBetTie",
    GameType.PLAYER_PAIR: "BaccaratGameBetPlayerPair",
    GameType.BANKER_PAIR: "BaccaratGameBetBankerPair",
    GameType.EITHER_PAIR: "BaccaratGameBetEitherPair",
    GameType.PERFECT_PAIR: "BaccaratGameBetPerfectPair",
    GameType.DRAGON_7: "BaccaratGameBetDragon7",
    GameType.PANDA_8: "BaccaratGameBetPanda8",
    GameType.SUPER_6: "BaccaratGameBetSuper6",
}
GAME_TYPES_BY_NAME: Final = {name: game_type for game_type, name in WIRE_NAMES.items()} | {
    "BetBaccaratGameBetTie": GameType.TIE,  # an alias: read, never written
}
STANDARD_ODDS: Final = {
    GameType.PLAYER: Fraction(1),
    GameType.BANKER: Fraction(95, 100),
    GameType.TIE: Fraction(8),
    GameType.PLAYER_PAIR: Fraction(11),
    GameType.BANKER_PAIR: Fraction(11),
    GameType.EITHER_PAIR: Fraction(5),
    GameType.PERFECT_PAIR: Fraction(25),
    GameType.DRAGON_7: Fraction(40),
    GameType.PANDA_8: Fraction(25),
    GameType.SUPER_6: Fraction(12),
}
"""X to 1, from the table of docs/baccarat.md. A new offer begins with them; a partner may save others."""


class Winner(Enum):
    """The side that won a deal, or a tie."""

    PLAYER = "player"
    BANKER = "banker"
    TIE = "tie"


class Deal(msgspec.Struct, frozen=True, gc=False):
    """The cards of a round: two or three for each side, in dealing order."""

    player: tuple[Card, ...]
    banker: tuple[Card, ...]
    player_score: int
    banker_score: int

    @property
    def winner(self) -> Winner:
        if self.player_score == self.banker_score:
            return Winner.TIE
        return Winner.PLAYER if self.player_score > self.banker_score else Winner.BANKER


def deal(shoe: Shoe) -> Deal:
    """Deal one round from the front of `shoe`: player, banker, player, banker, then third cards."""
    player: tuple[Card, ...] = (shoe[0], shoe[2])
    banker: tuple[Card, ...] = (shoe[1], shoe[3])
    player_score, banker_score = score(player), score(banker)
    if player_score < 8 and banker_score < 8:
        drawn = 4
        third: Card | None = None
        if player_score <= 5:
            third = shoe[drawn]
            drawn += 1
            player = (*player, third)
            player_score = (player_score + third.points) % 10
        if banker_draws(banker_score, None if third is None else third.points):
            banker = (*banker, shoe[drawn])
            banker_score = score(banker)
    return Deal(player, banker, player_score, banker_score)


def public_outcome(outcome: Deal) -> dict[str, object]:
    """Return a deal in the form of records, answers and verification."""
    return {
        "player": [card.code for card in outcome.player],
        "banker": [card.code for card in outcome.banker],
        "player_score": outcome.player_score,
        "banker_score": outcome.banker_score,
        "winner": outcome.winner.value,
    }


def score(cards: Sequence[Card]) -> int:
    """Return a side's score: the sum of its cards' points modulo 10."""
    return sum([card.points for card in cards]) % 10


def banker_draws(banker_score: int, player_third: int | None) -> bool:
    """Return whether the banker takes a third card, given the points of the player's third card, if any.

    The third card decides, not the player's new score (docs/baccarat.md).
    """
    if player_third is None:
        return banker_score <= 5
    return player_third in _BANKER_DRAWS_ON[banker_score]


def bet_settle(outcome: Deal, game_type: GameType, stake: Decimal, odds: Fraction, *, quantum: Decimal) -> BetResult:
    """Settle one bet of `stake` (a multiple of `quantum`) at `odds` to 1."""
    if _WINS[game_type](outcome):
        return BetResult(game_type, stake, odds, ResultType.USER_WIN, payout(stake, odds, quantum=quantum))
    if game_type in PUSHES_ON_TIE and outcome.player_score == outcome.banker_score:
        return BetResult(game_type, stake, odds, ResultType.DRAW, stake)
    return BetResult(game_type, stake, odds, ResultType.USER_LOST, Decimal(0))


def _is_pair(cards: Sequence[Card]) -> bool:
    return cards[0].rank == cards[1].rank


def _is_perfect_pair(cards: Sequence[Card]) -> bool:
    return cards[0] is cards[1]


PUSHES_ON_TIE: Final = frozenset({GameType.PLAYER, GameType.BANKER})

_BANKER_DRAWS_ON: Final = (
    *[frozenset(range(10))] * 3,
    frozenset(range(10)) - {8},
    frozenset(range(2, 8)),
    frozenset(range(4, 8)),
    frozenset({6, 7}),
    frozenset[int](),
)
"""By the banker's score with two cards: the points of the player's third card with which the banker draws."""

_WINS: Final[dict[GameType, Callable[[Deal], bool]]] = {
    GameType.PLAYER: lambda d: d.player_score > d.banker_score,
    GameType.BANKER: lambda d: d.banker_score > d.player_score,
    GameType.TIE: lambda d: d.player_score == d.banker_score,
    GameType.PLAYER_PAIR: lambda d: _is_pair(d.player),
    GameType.BANKER_PAIR: lambda d: _is_pair(d.banker),
    GameType.EITHER_PAIR: lambda d: _is_pair(d.player) or _is_pair(d.banker),
    GameType.PERFECT_PAIR: lambda d: _is_perfect_pair(d.player) or _is_perfect_pair(d.banker),
    GameType.DRAGON_7: lambda d: d.banker_score == 7 and len(d.banker) == 3 and d.player_score < 7,
    GameType.PANDA_8: lambda d: d.player_score == 8 and len(d.player) == 3 and d.banker_score < 8,
    GameType.SUPER_6: lambda d: d.banker_score == 6 and d.player_score < 6,
}
