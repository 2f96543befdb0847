"""Chances of a round from the cards left in a shoe: equal to the pay table's for a fresh shoe, and exact for any
other."""

from collections import Counter
from decimal import Decimal
from fractions import Fraction
from itertools import permutations

import pytest

from apps.baccarat.one_deal_game import BACCARAT
from apps.cards.card import CARDS
from apps.cards.notation import parse_cards
from apps.dragon_tiger.one_deal_game import DRAGON_TIGER
from apps.one_deal.one_deal_game import OneDealGame

GAMES = pytest.mark.parametrize("game", [BACCARAT, DRAGON_TIGER], ids=lambda game: game.name)
LEFT = "H1 H1 D1 S4 C8 C9 HK DK"


@GAMES
@pytest.mark.parametrize("decks", [1, 8])
def test_the_chances_of_a_fresh_shoe_are_those_of_the_pay_table(game: OneDealGame, decks: int) -> None:
    chances = game.chances_left([decks] * len(CARDS))
    assert chances is not None
    for kind in game.bets:
        lines = {line.result: float(line.chance) for line in game.paytable_rows(kind, Fraction(1), decks)}
        found = {result.wire_name: chance for result, chance in chances[kind].items() if chance}
        assert found == pytest.approx({name: chance for name, chance in lines.items() if chance}, abs=1e-12)


@GAMES
def test_the_chances_of_a_shoe_with_few_cards_are_those_of_all_its_deals(game: OneDealGame) -> None:
    left = parse_cards(LEFT)
    chances = game.chances_left([left.count(card) for card in CARDS])
    assert chances is not None
    deals = [game.deal(cards) for cards in permutations(left, 6)]
    for kind in game.bets:
        results = Counter(
            game.settle(dealt, kind, Decimal(1), Fraction(1), quantum=Decimal(1)).result_type for dealt in deals
        )
        expected = {result: count / len(deals) for result, count in results.items()}
        assert {result: chance for result, chance in chances[kind].items() if chance} == pytest.approx(expected)


@GAMES
def test_a_shoe_that_may_be_filled_up_in_mid_deal_has_no_chances(game: OneDealGame) -> None:
    fewest = {"baccarat": 6, "dragon_tiger": 2}[game.name]
    for count, is_known in ((fewest, True), (fewest - 1, False)):
        counts = [1] * count + [0] * (len(CARDS) - count)
        assert (game.chances_left(counts) is not None) is is_known
