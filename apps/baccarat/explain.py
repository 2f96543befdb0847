"""Explains a baccarat round (apps/one_deal/explain.py): scores, and how a deal ended."""

from collections.abc import Sequence

from apps.baccarat.engine import score
from apps.baccarat.one_deal_game import BACCARAT
from apps.baccarat.words import WORDS
from apps.cards.notation import parse_cards
from apps.one_deal.explain import OneDealExplanation, Sides


class BaccaratExplanation(OneDealExplanation):
    """An explanation from the round's records, one for each bet."""

    game = BACCARAT
    hands_read = (BACCARAT.records_field,)
    reads = (*hands_read, "paytable")

    @classmethod
    def side_total(cls, codes: Sequence[str]) -> str:
        return str(_score(codes))

    @classmethod
    def end_text(cls, sides: Sides) -> str:
        scores = {side: _score(codes) for side, codes in sides.items()}
        high, low = max(scores.values()), min(scores.values())
        if high == low:
            return str(WORDS["baccarat-tied"]).format(high=high, low=low)
        winner = next(side for side, points in scores.items() if points == high)
        return str(WORDS["baccarat-won"]).format(side=WORDS[f"baccarat-{winner}"], high=high, low=low)


def _score(codes: Sequence[str]) -> int:
    return score(parse_cards(" ".join(codes)))
