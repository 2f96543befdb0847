"""The names of dragon tiger's bets and results on pages."""

from typing import Final

from apps.dragon_tiger.engine import GameType
from apps.one_deal.engine import ResultType
from apps.rounds.explanation import Tone

BET_LABELS: Final = {
    GameType.DRAGON: "Dragon",
    GameType.TIGER: "Tiger",
    GameType.TIE: "Tie",
    GameType.SUITED_TIE: "Suited tie",
}
BET_PLACES: Final = (GameType.DRAGON, GameType.TIE, GameType.TIGER, GameType.SUITED_TIE)
"""The order of the bets on the felt: the tie is between the two sides."""

BET_HELP: Final = {
    GameType.DRAGON: "The dragon's card is higher; a tie returns half of the stake.",
    GameType.TIGER: "The tiger's card is higher; a tie returns half of the stake.",
    GameType.TIE: "Both cards have the same rank.",
    GameType.SUITED_TIE: "Both cards have the same rank and suit.",
}
RESULT_LABELS: Final[dict[ResultType, tuple[str, Tone]]] = {
    ResultType.USER_WIN: ("Won", "win"),
    ResultType.USER_LOST: ("Lost", "loss"),
    ResultType.DRAW: ("Half back", "push"),
}
