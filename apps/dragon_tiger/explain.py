"""A round of dragon tiger, explained and dealt again (apps/one_deal/explain.py): ranks, and the text of a result."""

from collections.abc import Sequence
from typing import Final

from django.utils.translation import gettext

from apps.cards.notation import parse_card
from apps.dragon_tiger.engine import Deal, Winner
from apps.dragon_tiger.one_deal_game import DRAGON_TIGER
from apps.dragon_tiger.words import WORDS
from apps.one_deal.explain import OneDealExplanation, Sides

RANK_NAMES: Final = ("ace", *map(str, range(2, 11)), "jack", "queen", "king")


class DragonTigerExplanation(OneDealExplanation):
    """Explains a round from its records, one for each bet."""

    game = DRAGON_TIGER
    hands_read = (DRAGON_TIGER.records_field,)
    reads = (*hands_read, "paytable")

    @classmethod
    def side_total(cls, codes: Sequence[str]) -> str:
        return gettext(RANK_NAMES[parse_card(codes[0]).rank])

    @classmethod
    def end_text(cls, sides: Sides) -> str:
        outcome = Deal(parse_card(sides["dragon"][0]), parse_card(sides["tiger"][0]))
        dragon, tiger = (gettext(RANK_NAMES[card.rank]) for card in (outcome.dragon, outcome.tiger))
        match outcome.winner:
            case Winner.DRAGON:
                return str(WORDS["dragon-won"]).format(dragon=dragon, tiger=tiger)
            case Winner.TIGER:
                return str(WORDS["tiger-won"]).format(dragon=dragon, tiger=tiger)
            case Winner.TIE:
                name = "dragon-suited-tie" if outcome.dragon is outcome.tiger else "dragon-tie"
                return str(WORDS[name]).format(rank=dragon)
