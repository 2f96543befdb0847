"""Dragon tiger at tables. Pure."""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final, Literal

from apps.cards.shoe import Shoe
from apps.dragon_tiger.edge import house_edge, paytable_rows
from apps.dragon_tiger.engine import STANDARD_ODDS, Deal, GameType, bet_settle, deal
from apps.one_deal.engine import BetResult
from apps.one_deal.table import OneDealRound, OneDealTable, Side, cards_view, one_deal_messages
from apps.paytables.paytable_rows import PaytableRow
from apps.rounds.table_game import Json, TableTexts
from apps.rounds.table_payloads import Payload

_BETS: Final = {"dragon": "Dragon", "tiger": "Tiger", "tie": "Tie", "suited_tie": "Suited tie"}
_WINNERS: Final = ("dragon", "tiger", "tie")
_TEXTS: Final = TableTexts(
    overview="""
The dragon gets one card, then the tiger: one deal for the whole table. All who sit there bet on which of the two is
higher, or that they tie. Nobody decides anything after the betting.
""",
    rules="""
- The higher rank wins: the ace is the lowest, the king the highest. Suits do not count.
- `dragon` and `tiger` pay 1 to 1. On a tie half of their stake comes back.
- `tie` wins on two cards of one rank, `suited_tie` where they are of one suit too.
- Bets of one type add up, and the limits bind their sum.
- What a payout has below the smallest unit of the currency stays with the house.
""",
    strategy="""
- `dragon` and `tiger` cost the same. With eight decks `tie` costs almost three times as much and `suited_tie`
  almost four times; with fewer decks they cost more.
""",
    variants="""
`rules.decks` is 1 to 8, or null for infinite; with one deck a suited tie cannot win. A table offers the bets that have
limits; `availableActions` lists them with their odds.
""",
)


class DragonTigerPrevious(Payload):
    """A round of this shoe."""

    round_number: int
    winner: Literal["dragon", "tiger", "tie"]


class DragonTigerTable(OneDealTable):
    """One card each side; the higher rank wins."""

    game_type = "dragon_tiger"
    game_id = "og-dragon-tiger"
    title = "Dragon tiger"
    texts = _TEXTS
    bet_labels = _BETS
    bet_places = ("dragon", "tie", "tiger", "suited_tie")
    bets = GameType
    first_bets = tuple(GameType)
    counted_bets = (GameType.TIE, GameType.SUITED_TIE)
    standard_odds = STANDARD_ODDS
    sides = ("dragon", "tiger")
    messages = one_deal_messages("DragonTiger", _BETS, Side, ("dragon", "tiger"), _WINNERS, DragonTigerPrevious)

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
            "dragon": {"cards": cards_view([dealt.dragon])},
            "tiger": {"cards": cards_view([dealt.tiger])},
            "winner": dealt.winner.value,
        }

    def summary(self, state: OneDealRound) -> str:
        winner: str = self.dealt(state).winner.value
        return winner

    def summary_view(self, summary: str) -> dict[str, Any]:
        return {"winner": summary}


TABLE: Final = DragonTigerTable()
