"""A round of dragon tiger, explained and dealt again (apps/one_deal/explain.py): ranks, and the text of a result."""

from collections.abc import Sequence
from typing import Final

from apps.cards.notation import parse_card
from apps.dragon_tiger.engine import Deal, Winner
from apps.dragon_tiger.rules import DRAGON_TIGER
from apps.one_deal.explain import OneDealExplanation, Sides

RANK_NAMES: Final = ("ace", *map(str, range(2, 11)), "jack", "queen", "king")


class DragonTigerExplanation(OneDealExplanation):
    """Explains a round from its records, one for each bet."""

    game = DRAGON_TIGER
    hands_read = (DRAGON_TIGER.records_field,)
    reads = (*hands_read, "paytable")

    @classmethod
    def side_total(cls, codes: Sequence[str]) -> str:
        return RANK_NAMES[parse_card(codes[0]).rank]

    @classmethod
    def end_text(cls, sides: Sides) -> str:
        outcome = Deal(parse_card(sides["dragon"][0]), parse_card(sides["tiger"][0]))
        dragon, tiger = RANK_NAMES[outcome.dragon.rank], RANK_NAMES[outcome.tiger.rank]
        match outcome.winner:
            case Winner.DRAGON:
                return f"Dragon wins, {dragon} over {tiger}"
            case Winner.TIGER:
                return f"Tiger wins, {tiger} over {dragon}"
            case Winner.TIE:
                return f"{'Suited tie' if outcome.dragon is outcome.tiger else 'Tie'}, {dragon} on both sides"
