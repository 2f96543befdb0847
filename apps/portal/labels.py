"""What bets and games are called on the player's pages."""

from typing import Final

from apps.baccarat.engine import GameType
from apps.blackjack.engine.side_bets import SideBet, SideBetOutcome
from apps.blackjack.engine.state import HandStatus
from apps.rounds.games import BACCARAT, BLACKJACK

GAME_NAMES: Final = {BACCARAT: "Baccarat", BLACKJACK: "Blackjack"}

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
"""The bets as they lie on the felt: the tie is between the two sides."""

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
SIDE_BET_LABELS: Final = {SideBet.PERFECT_PAIRS: "Perfect Pairs", SideBet.POKER: "21+3"}
SIDE_BET_OUTCOMES: Final = {
    SideBetOutcome.PERFECT_PAIR: "Perfect pair",
    SideBetOutcome.COLOURED_PAIR: "Coloured pair",
    SideBetOutcome.MIXED_PAIR: "Mixed pair",
    SideBetOutcome.SUITED_TRIPS: "Suited trips",
    SideBetOutcome.STRAIGHT_FLUSH: "Straight flush",
    SideBetOutcome.THREE_OF_A_KIND: "Three of a kind",
    SideBetOutcome.STRAIGHT: "Straight",
    SideBetOutcome.FLUSH: "Flush",
    SideBetOutcome.LOST: "Lost",
}
HAND_RESULTS: Final = {
    HandStatus.OPEN: "Open",
    HandStatus.NATURAL: "Waits for the dealer",
    HandStatus.STOOD: "Waits for the dealer",
    HandStatus.BLACKJACK: "Blackjack",
    HandStatus.WIN: "Won",
    HandStatus.PUSH: "Push",
    HandStatus.LOSE: "Lost",
    HandStatus.BUST: "Bust",
    HandStatus.SURRENDER: "Surrendered",
}
