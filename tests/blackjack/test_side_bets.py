"""Perfect Pairs and 21+3: every outcome, the precedence of outcomes, and odds set by a partner."""

from collections import Counter
from fractions import Fraction
from itertools import combinations, permutations

import pytest

from apps.blackjack.engine.side_bets import (
    STANDARD_ODDS,
    SideBet,
    SideBetOutcome,
    perfect_pairs_outcome,
    poker_outcome,
    side_bet_settle,
)
from apps.cards.card import CARDS
from apps.cards.notation import parse_cards


@pytest.mark.parametrize(
    ("cards", "outcome", "payout"),
    [
        ("H8 H8", "perfectPair", 26),
        ("H8 D8", "colouredPair", 13),
        ("C8 S8", "colouredPair", 13),
        ("H8 S8", "mixedPair", 7),
        ("D8 C8", "mixedPair", 7),
        ("HK HQ", "sidebetLost", 0),
        ("H8 H9", "sidebetLost", 0),
    ],
)
def test_perfect_pairs_pays_by_the_kind_of_pair(cards: str, outcome: str, payout: int) -> None:
    hand = parse_cards(cards)
    result = side_bet_settle(SideBet.PERFECT_PAIRS, 1, hand, parse_cards("H8")[0], STANDARD_ODDS)
    assert (result.outcome.value, result.payout, result.stake) == (outcome, payout, 1)


@pytest.mark.parametrize(
    ("cards", "outcome", "payout"),
    [
        ("H8 H8 H8", "suitedTrips", 101),
        ("H8 H9 H10", "straightFlush", 41),
        ("H8 D8 S8", "threeOfAKind", 31),
        ("H1 D2 S3", "straight", 11),
        ("HQ DK S1", "straight", 11),
        ("HK D1 S2", "sidebetLost", 0),
        ("HJ DK S1", "sidebetLost", 0),
        ("H2 H9 HK", "flush", 6),
        ("H8 H8 H9", "flush", 6),
        ("S1 SQ SK", "straightFlush", 41),
        ("H8 H8 D9", "sidebetLost", 0),
    ],
)
def test_21_plus_3_pays_by_the_poker_hand_in_any_order_of_the_cards(cards: str, outcome: str, payout: int) -> None:
    for first, second, upcard in permutations(parse_cards(cards)):
        result = side_bet_settle(SideBet.POKER, 1, (first, second), upcard, STANDARD_ODDS)
        assert (result.outcome.value, result.payout) == (outcome, payout)


def test_side_bets_pay_the_partner_s_odds_rounded_down() -> None:
    odds = {SideBetOutcome.FLUSH: Fraction(7, 2)}
    flush, straight = parse_cards("H2 H9 HK"), parse_cards("H1 D2 S3")
    assert side_bet_settle(SideBet.POKER, 3, flush[:2], flush[2], odds).payout == 13
    removed = side_bet_settle(SideBet.POKER, 3, straight[:2], straight[2], odds)
    assert (removed.outcome, removed.payout) == (SideBetOutcome.LOST, 0)


def test_poker_hands_of_one_deck_have_the_known_counts() -> None:
    """Three cards of one deck have the known counts of three-card poker."""
    pairs = Counter(perfect_pairs_outcome(*cards) for cards in combinations(CARDS, 2))
    assert pairs == {
        SideBetOutcome.COLOURED_PAIR: 26,
        SideBetOutcome.MIXED_PAIR: 52,
        SideBetOutcome.LOST: 1326 - 78,
    }
    poker = Counter(poker_outcome(*cards) for cards in combinations(CARDS, 3))
    assert poker == {
        SideBetOutcome.STRAIGHT_FLUSH: 48,
        SideBetOutcome.THREE_OF_A_KIND: 52,
        SideBetOutcome.STRAIGHT: 720,
        SideBetOutcome.FLUSH: 1096,
        SideBetOutcome.LOST: 22100 - 48 - 52 - 720 - 1096,
    }
