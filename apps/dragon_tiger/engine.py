"""Dragon tiger: the deal, the bets and their payouts (docs/dragon-tiger.md). Pure.

Each side gets one card, the dragon first, and the higher rank wins: the ace is the lowest, the king the highest.
"""

from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Final, assert_never

import msgspec

from apps.cards.card import Card
from apps.cards.shoe import Shoe
from apps.core.money import payout
from apps.one_deal.engine import BetKind, BetResult, ResultType


class GameType(BetKind):
    """The bets, by their number on the wire and in `dragon_tiger_game_record.game_type`.

    What a further bet needs: docs/new-game.md, "A further bet".
    """

    DRAGON = 1
    TIGER = 2
    TIE = 3
    SUITED_TIE = 4

    @property
    def wire_name(self) -> str:
        return WIRE_NAMES[self]


WIRE_NAMES: Final = {
    GameType.DRAGON: "DragonTigerGameBetDragon",
    GameType.TIGER: "DragonTigerGameBetTiger",
    GameType.TIE: "DragonTigerGameBetTie",
    GameType.SUITED_TIE: "DragonTigerGameBetSuitedTie",
}
GAME_TYPES_BY_NAME: Final = {name: game_type for game_type, name in WIRE_NAMES.items()}
STANDARD_ODDS: Final = {
    GameType.DRAGON: Fraction(1),
    GameType.TIGER: Fraction(1),
    GameType.TIE: Fraction(11),
    GameType.SUITED_TIE: Fraction(50),
}
"""X to 1, from the table of docs/dragon-tiger.md."""
HALF_BACK: Final = Fraction(-1, 2)
"""The odds of a bet whose payout is half of the stake."""


class Winner(Enum):
    """The winner of a deal."""

    DRAGON = "dragon"
    TIGER = "tiger"
    TIE = "tie"


class Deal(msgspec.Struct, frozen=True, gc=False):
    """The two cards of a round."""

    dragon: Card
    tiger: Card

    @property
    def winner(self) -> Winner:
        if self.is_tie:
            return Winner.TIE
        return Winner.DRAGON if self.dragon.rank > self.tiger.rank else Winner.TIGER

    @property
    def is_tie(self) -> bool:
        return self.dragon.rank == self.tiger.rank


def deal(shoe: Shoe) -> Deal:
    """Deal one round from the front of `shoe`: dragon, tiger."""
    return Deal(shoe[0], shoe[1])


def public_outcome(outcome: Deal) -> dict[str, object]:
    """Return a deal in the form of records, answers and verification."""
    return {
        "dragon": [outcome.dragon.code],
        "tiger": [outcome.tiger.code],
        "winner": outcome.winner.value,
    }


def bet_settle(outcome: Deal, game_type: GameType, stake: Decimal, odds: Fraction, *, quantum: Decimal) -> BetResult:
    """Settle one bet of `stake` (a multiple of `quantum`) at `odds` to 1.

    On a tie half of a bet on Dragon or Tiger is returned, rounded down to `quantum` like every payout.
    """
    result_type = bet_result(outcome, game_type)
    match result_type:
        case ResultType.USER_WIN:
            paid = payout(stake, odds, quantum=quantum)
        case ResultType.DRAW:
            paid = payout(stake, HALF_BACK, quantum=quantum)
        case ResultType.USER_LOST:
            paid = Decimal(0)
        case _ as unknown:
            assert_never(unknown)
    return BetResult(game_type, stake, odds, result_type, paid)


def bet_result(outcome: Deal, game_type: GameType) -> ResultType:
    """Return the result of a bet. A tie draws a bet on Dragon or Tiger: half of it comes back (`HALF_BACK`)."""
    match game_type:
        case GameType.DRAGON | GameType.TIGER:
            if outcome.is_tie:
                return ResultType.DRAW
            has_won = (outcome.winner is Winner.DRAGON) == (game_type is GameType.DRAGON)
        case GameType.TIE:
            has_won = outcome.is_tie
        case GameType.SUITED_TIE:
            has_won = outcome.dragon is outcome.tiger
        case _ as unknown:
            assert_never(unknown)
    return ResultType.USER_WIN if has_won else ResultType.USER_LOST
