"""The names of baccarat's bets and results on pages."""

from typing import Final

from apps.baccarat.engine import GameType
from apps.one_deal.engine import ResultType
from apps.rounds.explanation import Tone

BET_LABELS: Final = {
    GameType.PLAYER: "Player",
    GameType.BANKER: "Banker",
    GameType.TIE: "Tie",
    GameType.PLAYER_PAIR: "Player pair",
    GameType.BANKER_PAIR: "Banker pair",
    GameType.EITHER_PAIR: "Either pair",
    GameType.PERFECT_PAIR: "Perfect pair",
    GameType.DRAGON_7: "Dragon 7",
    GameType.PANDA_8: "Panda 8",
    GameType.SUPER_6: "Super 6",
}
BET_PLACES: Final = (GameType.PLAYER, GameType.TIE, GameType.BANKER, *list(GameType)[3:])
"""The bets in their arrangement on the felt: the tie is between the two sides."""

BET_HELP: Final = {
    GameType.PLAYER: "The player side ends nearer to nine; a tie gives the stake back.",
    GameType.BANKER: "The banker side ends nearer to nine; a tie gives the stake back.",
    GameType.TIE: "Both sides end with the same score.",
    GameType.PLAYER_PAIR: "The player side's first two cards are of one rank.",
    GameType.BANKER_PAIR: "The banker side's first two cards are of one rank.",
    GameType.EITHER_PAIR: "The first two cards of a side are of one rank.",
    GameType.PERFECT_PAIR: "The first two cards of a side are of one rank and one suit.",
    GameType.DRAGON_7: "The banker side wins with a seven of three cards.",
    GameType.PANDA_8: "The player side wins with an eight of three cards.",
    GameType.SUPER_6: "The banker side wins with a six.",
}
RESULT_LABELS: Final[dict[ResultType, tuple[str, Tone]]] = {
    ResultType.USER_WIN: ("Won", "win"),
    ResultType.USER_LOST: ("Lost", "loss"),
    ResultType.DRAW: ("Push", "push"),
}
