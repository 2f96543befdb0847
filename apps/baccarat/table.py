"""Live baccarat at tables, with the road maps of the shoe. Pure."""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final, Literal

import msgspec

from apps.baccarat.edge import house_edge, paytable_rows
from apps.baccarat.engine import STANDARD_ODDS, Deal, GameType, Winner, bet_settle, deal
from apps.baccarat.roads import RoadResult, Roads, roads
from apps.baccarat.table_texts import TEXTS
from apps.cards.shoe import Shoe
from apps.one_deal.engine import BetResult
from apps.one_deal.table import OneDealRound, OneDealTable, Side, cards_view, one_deal_messages
from apps.paytables.paytable_rows import PaytableRow
from apps.rounds.table_game import Json
from apps.rounds.table_payloads import Payload

_BETS: Final = {
    "player": "Player",
    "banker": "Banker",
    "tie": "Tie",
    "player_pair": "Player pair",
    "banker_pair": "Banker pair",
    "either_pair": "Either pair",
    "perfect_pair": "Perfect pair",
    "dragon_7": "Dragon 7",
    "panda_8": "Panda 8",
    "super_6": "Super 6",
}
_WINNERS: Final = {"B": Winner.BANKER, "P": Winner.PLAYER, "T": Winner.TIE}
_LETTERS: Final = {winner: letter for letter, winner in _WINNERS.items()}


class BaccaratSide(Side):
    """A side's cards and their score."""

    score: int


class BaccaratPrevious(Payload):
    """A round of this shoe."""

    round_number: int
    winner: Literal["player", "banker", "tie"]
    player_score: int
    banker_score: int
    player_pair: bool
    banker_pair: bool


class BaccaratTable(OneDealTable):
    """One deal for all, any number of bets a player."""

    game_type = "baccarat"
    game_id = "og-baccarat"
    title = "Baccarat"
    texts = TEXTS
    bet_labels = _BETS
    bet_places = ("player", "tie", "banker", *list(_BETS)[3:])
    bets = GameType
    first_bets = (GameType.PLAYER, GameType.BANKER, GameType.TIE)
    counted_bets = tuple(GameType)[3:]
    standard_odds = STANDARD_ODDS
    sides = ("player", "banker")
    messages = one_deal_messages(
        "Baccarat", _BETS, BaccaratSide, ("player", "banker"), [w.value for w in Winner], BaccaratPrevious,
        history=[("roads", Roads)],
    )  # fmt: skip

    def deal(self, shoe: Shoe) -> Deal:
        return deal(shoe)

    def settle(self, dealt: Deal, bet: GameType, stake: Decimal, odds: Fraction) -> BetResult:
        return bet_settle(dealt, bet, stake, odds, quantum=Decimal(1))

    def edge(self, bet: GameType, odds: Fraction, decks: int) -> Fraction:
        return house_edge(bet, odds, decks)

    def paytable_rows(self, bet: GameType, odds: Fraction, decks: int) -> Sequence[PaytableRow]:
        return paytable_rows(bet, odds, decks)

    def outcome_view(self, dealt: Deal) -> Json:
        return {
            "player": {"cards": cards_view(dealt.player), "score": dealt.player_score},
            "banker": {"cards": cards_view(dealt.banker), "score": dealt.banker_score},
            "winner": dealt.winner.value,
        }

    def summary(self, state: OneDealRound) -> str:
        """Winner, scores and pairs: `B36pb` is a banker's six against three with both pairs."""
        dealt: Deal = self.dealt(state)
        pairs = "".join(
            letter for letter, cards in (("p", dealt.player), ("b", dealt.banker)) if cards[0].rank == cards[1].rank
        )
        return f"{_LETTERS[dealt.winner]}{dealt.player_score}{dealt.banker_score}{pairs}"

    def summary_view(self, summary: str) -> dict[str, Any]:
        return {
            "winner": _WINNERS[summary[0]].value,
            "playerScore": int(summary[1]),
            "bankerScore": int(summary[2]),
            "playerPair": "p" in summary[3:],
            "bankerPair": "b" in summary[3:],
        }

    def history_view(self, summaries: Sequence[str]) -> Json:
        results = [RoadResult(_WINNERS[text[0]], "p" in text[3:], "b" in text[3:]) for text in summaries]
        return {"roads": msgspec.to_builtins(roads(results))}


TABLE: Final = BaccaratTable()
