"""The array calculation against plain recursions over single cards."""

import numpy as np
import pytest

from apps.blackjack.engine.rules import BlackjackRules, DoubleOn, Insurance, Surrender
from apps.blackjack.mathematics.dealer import dealer_ends
from apps.blackjack.mathematics.deck_composition import DeckComposition
from apps.blackjack.mathematics.hands import TEN, VALUES, hand_table
from apps.blackjack.mathematics.hint import Advice, decision_values
from apps.blackjack.mathematics.options import Options
from apps.blackjack.mathematics.round_value import first_deals
from apps.blackjack.mathematics.split import split_values
from apps.cards.shoe import INFINITE_DECKS
from tests.blackjack_mathematics.oracle import dealer, double, fresh, hit, split_and_stand, stand
from tests.support.long_form import IS_LONG

ENDS = ("17", "18", "19", "20", "21", "natural", "bust")
ONE_DECK = BlackjackRules(decks=1, split_non_ace=3)


def test_every_hand_is_listed_once() -> None:
    hands = hand_table()
    assert len(set(hands.row_of)) == len(hands.size) == 3082
    assert hands.value[hands.row(0, TEN)] == 21
    assert hands.soft[hands.row(0, 5)]
    assert not hands.soft[hands.row(0, 5, TEN)]
    assert hands.child[hands.row(TEN, TEN), 1] == -1


@pytest.mark.parametrize("hits_soft_17", [False, True])
@pytest.mark.parametrize("upcard", [1, 2, 6, 10])
def test_dealer_results_without_replacement_equal_the_recursion(upcard: int, hits_soft_17: bool) -> None:
    gone = np.array([[1, 0, 0, 0, 2, 0, 0, 0, 0, 3]])
    ends = dealer_ends(DeckComposition(1), gone, upcard - 1, hits_soft_17=hits_soft_17)[0]
    expected = dealer((upcard,), fresh(1, upcard, 1, 5, 5, 10, 10, 10), hits_soft_17)
    assert ends == pytest.approx([expected.get(end, 0.0) for end in ENDS], abs=1e-13)


def test_an_infinite_deck_ignores_removed_cards() -> None:
    none, many = np.zeros((1, VALUES), dtype=np.int64), np.full((1, VALUES), 9)
    first = dealer_ends(DeckComposition(INFINITE_DECKS), none, 0, hits_soft_17=False)
    assert first == pytest.approx(dealer_ends(DeckComposition(INFINITE_DECKS), many, 0, hits_soft_17=False))
    assert first[0, 5] == pytest.approx(4 / 13)
    assert first.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("decks", [1, 6, INFINITE_DECKS])
def test_first_deals_list_every_deal(decks: int) -> None:
    assert first_deals(DeckComposition(decks)).chance.sum() == pytest.approx(1.0, abs=1e-14)


@pytest.mark.parametrize(
    ("cards", "upcard"),
    [((10, 6), 10), ((10, 2), 1), ((9, 9), 1), ((5, 10), 7), ((1, 7), 10), ((10, 4), 5), ((9, 8), 2)],
)
def test_hit_stand_and_double_against_single_cards(cards: tuple[int, ...], upcard: int) -> None:
    left = fresh(1, *cards, upcard)
    values = decision_values(ONE_DECK, cards, upcard)
    assert values[Advice.STAND] == pytest.approx(
        stand(sum(cards) + 10 * (1 in cards), upcard, left, peek=True), abs=1e-12
    )
    assert values[Advice.DOUBLE] == pytest.approx(double(cards, upcard, left), abs=1e-12)
    if 1 not in cards:
        assert values[Advice.HIT] == pytest.approx(hit(cards, upcard, left), abs=1e-12)


def test_removed_cards_change_the_values() -> None:
    values = decision_values(ONE_DECK, (10, 6), 10, gone=(5, 5, 5, 5))
    left = fresh(1, 10, 6, 10, 5, 5, 5, 5)
    assert values[Advice.HIT] == pytest.approx(hit((10, 6), 10, left), abs=1e-12)
    assert values[Advice.HIT] < decision_values(ONE_DECK, (10, 6), 10)[Advice.HIT]


@pytest.mark.parametrize(
    ("pair", "upcard", "splits"),
    [(10, 6, 1), (10, 6, 2), (9, 7, 1), (9, 10, 3), *([(9, 7, 3), (9, 10, 2)] if IS_LONG else [])],
)
def test_splits_and_resplits_remove_the_cards_they_deal(pair: int, upcard: int, splits: int) -> None:
    options = Options(BlackjackRules(decks=1, dealer_peek=False, surrender=Surrender.OFF, split_non_ace=splits))
    stands = np.zeros((len(hand_table().size), VALUES), dtype=np.int8)
    values = split_values(options, DeckComposition(1), pair - 1, taken=stands)
    expected = split_and_stand(pair, upcard, fresh(1, pair, pair, upcard), splits)
    assert values.by_limit[-1, upcard - 1] == pytest.approx(expected, abs=1e-12)


def test_split_aces_with_one_card_each_equal_the_recursion() -> None:
    rules = BlackjackRules(
        decks=1, dealer_peek=False, surrender=Surrender.OFF, split_ace=2, hit_split_ace=False, insurance=Insurance.OFF
    )
    values = split_values(Options(rules), DeckComposition(1), 0)
    assert values.by_limit[1, 5] == pytest.approx(split_and_stand(1, 6, fresh(1, 1, 1, 6), 2), abs=1e-12)


@pytest.mark.parametrize(
    ("rules", "cards", "upcard", "offered"),
    [
        pytest.param(ONE_DECK, (8, 8), 10, "DHPRS", id="a-pair-may-do-everything"),
        pytest.param(ONE_DECK, (10, 4, 2), 10, "HS", id="three-cards-hit-and-stand"),
        pytest.param(BlackjackRules(surrender_after_hit=True), (10, 4, 2), 10, "HRS", id="surrender-after-hit"),
        pytest.param(BlackjackRules(surrender=Surrender.OFF), (10, 6), 10, "DHS", id="surrender-off"),
        pytest.param(BlackjackRules(double=DoubleOn.TEN_ELEVEN), (5, 4), 6, "HRS", id="nine-is-below-ten-eleven"),
        pytest.param(BlackjackRules(double=DoubleOn.NINE_TO_ELEVEN), (5, 4), 6, "DHRS", id="nine-to-eleven"),
        pytest.param(BlackjackRules(double=DoubleOn.NINE_TO_ELEVEN), (1, 9), 6, "HRS", id="a-soft-hand-is-no-ten"),
        pytest.param(BlackjackRules(split_non_ace=0), (8, 8), 6, "DHRS", id="no-splits"),
        pytest.param(BlackjackRules(simple=True), (8, 8), 6, "HS", id="simple"),
    ],
)
def test_the_legal_decisions_follow_the_rules(
    rules: BlackjackRules, cards: tuple[int, ...], upcard: int, offered: str
) -> None:
    assert "".join(sorted(advice.value for advice in decision_values(rules, cards, upcard))) == offered


def test_surrender_is_worth_half_and_early_surrender_more_than_that() -> None:
    late = decision_values(BlackjackRules(decks=6), (10, 6), 10)
    early = decision_values(BlackjackRules(decks=6, surrender=Surrender.EARLY), (10, 6), 10)
    assert late[Advice.SURRENDER] == pytest.approx(-0.5)
    # Early surrender also saves half of the stake in the 7.8 % of deals with a dealer's natural.
    natural = 24 / 309
    assert early[Advice.SURRENDER] == pytest.approx((-0.5 + natural) / (1 - natural))


def test_without_a_peek_a_natural_takes_the_doubled_stake() -> None:
    rules = BlackjackRules(decks=1, surrender=Surrender.OFF)
    open_card = BlackjackRules(decks=1, surrender=Surrender.OFF, dealer_peek=False)
    natural = 4 / 49
    for advice, stake in ((Advice.STAND, 1.0), (Advice.HIT, 1.0), (Advice.DOUBLE, 2.0)):
        peeked = decision_values(rules, (6, 5), 10)[advice]
        unpeeked = decision_values(open_card, (6, 5), 10)[advice]
        assert unpeeked == pytest.approx((1 - natural) * peeked - natural * stake)
