"""The worked examples of the documented rules and messages, in the smallest units of a currency with two decimals."""

from dataclasses import replace
from fractions import Fraction

import pytest

from apps.blackjack.engine.actions import Move
from apps.blackjack.engine.events import CardDealt, DealerCardShown
from apps.blackjack.engine.rules import SOLO_RULES, TERMINAL_RULES, BlackjackRules
from apps.blackjack.engine.settle import round_payout
from apps.blackjack.engine.setup import SeatStakes
from apps.blackjack.engine.side_bets import STANDARD_ODDS, SideBetOutcome
from apps.blackjack.engine.state import HandStatus, InsuranceStatus, Phase
from apps.cards.card import card_of
from apps.cards.notation import parse_card
from tests.blackjack.rounds import Play

EVERYTHING = {Move.HIT, Move.STAND, Move.DOUBLE, Move.SPLIT, Move.SURRENDER}


def test_a_bet_deals_four_cards_and_offers_the_legal_moves() -> None:
    odds = {**STANDARD_ODDS, SideBetOutcome.PERFECT_PAIR: Fraction(24), SideBetOutcome.FLUSH: Fraction(3)}
    play = Play("C10 C10", "C8 D9", stakes=SeatStakes(5250, 3550, 2140), odds=odds)
    assert play.moves() == EVERYTHING
    assert [(side.outcome.value, side.payout) for side in play.state.seats[0].side_bets] == [
        ("perfectPair", 88750),
        ("flush", 8560),
    ]
    assert (play.dealer(), play.hand().stake) == ("C8", 5250)


def test_a_hit_shows_one_card_and_surrender_stays_legal_by_the_option() -> None:
    play = Play("H5 H3", "C8 D9", "DK", rules=replace(SOLO_RULES, surrender_after_hit=True)).do(Move.HIT)
    assert play.events == (CardDealt(0, 0, parse_card("DK")),)
    assert play.moves() == {Move.HIT, Move.STAND, Move.SURRENDER}


def test_hit_until_bust_pays_nothing_and_ends_the_round() -> None:
    play = Play("H10 H7", "C8 D9", "D5", stakes=SeatStakes(5250)).do(Move.HIT)
    assert play.is_over
    assert (play.hand().status, play.hand().payout) == (HandStatus.BUST, 0)
    assert play.dealer() == "C8 D9", "the hole card is shown, and no other drawn"


def test_split_gives_two_hands_with_the_stake_of_the_first() -> None:
    rules = replace(SOLO_RULES, surrender_after_split=True)
    play = Play("C10 D10", "C8 D9", "C7 H8", rules=rules, stakes=SeatStakes(5250)).do(Move.SPLIT)
    assert [str(hand.cards) for hand in play.state.seats[0].hands] == ["(C10, C7)", "(D10, H8)"]
    assert [(hand.stake, hand.is_split) for hand in play.state.seats[0].hands] == [(5250, True)] * 2
    assert play.moves() == {Move.STAND, Move.SURRENDER, Move.HIT, Move.DOUBLE}


def test_double_doubles_the_stake_and_leaves_the_round_to_the_dealer() -> None:
    play = Play("H5 H4", "C8 D9", "DK", stakes=SeatStakes(5250)).do(Move.DOUBLE)
    assert (play.state.phase, play.hand().stake) == (Phase.DEALER, 10500)
    assert play.moves() == {Move.DEALER_HIT}


def test_double_into_a_bust_leaves_the_dealer_nothing_to_do() -> None:
    play = Play("H10 H7", "C8 D3", "D5", stakes=SeatStakes(5250)).do(Move.DOUBLE)
    assert (play.is_over, play.hand().stake, play.hand().payout) == (True, 10500, 0)
    assert play.dealer() == "C8 D3"


def test_under_an_ace_the_only_action_is_peek() -> None:
    assert Play("H10 H7", "C1 D9").moves() == {Move.DECLINE, Move.INSURE}


def test_peek_without_a_dealer_natural_loses_the_insurance_and_hides_the_hole_card() -> None:
    play = Play("H10 H7", "C1 D9").do(Move.INSURE, insurance=50)
    insurance = play.state.seats[0].insurance
    assert insurance is not None
    assert (insurance.status.value, insurance.payout) == ("insurance_lost", 0)
    assert play.moves() == {Move.HIT, Move.STAND, Move.DOUBLE, Move.SURRENDER}
    assert not [event for event in play.events if isinstance(event, DealerCardShown)]


def test_peek_with_a_dealer_natural_returns_the_insurance_three_times() -> None:
    play = Play("H10 H7", "C1 DK", stakes=SeatStakes(20180)).do(Move.INSURE, insurance=10090)
    insurance = play.state.seats[0].insurance
    assert insurance is not None
    assert (insurance.status, insurance.payout) == (InsuranceStatus.WON, 30270)
    assert (play.is_over, play.hand().status, play.hand().payout) == (True, HandStatus.LOSE, 0)


def test_stand_leaves_the_dealer_to_hit_card_by_card() -> None:
    play = Play("H10 H9", "C8 D3", "H2 H5").do(Move.STAND)
    assert (play.moves(), play.dealer()) == ({Move.DEALER_HIT}, "C8")
    assert play.do(Move.DEALER_HIT).dealer() == "C8 D3"
    assert play.do(Move.DEALER_HIT).dealer() == "C8 D3 H2"
    assert not play.is_over
    play.do(Move.DEALER_HIT)
    assert (play.is_over, play.dealer(), play.hand().status) == (True, "C8 D3 H2 H5", HandStatus.WIN)


def test_the_hole_card_ends_the_round_if_the_dealer_stands() -> None:
    play = Play("H10 H9", "C8 D10").do(Move.STAND, Move.DEALER_HIT)
    assert (play.is_over, round_payout(play.state.seats[0])) == (True, 200)


def test_surrender_returns_half_and_ends_the_round() -> None:
    play = Play("H10 H6", "C8 D10", stakes=SeatStakes(5250)).do(Move.SURRENDER)
    assert (play.is_over, play.hand().status, play.hand().payout) == (True, HandStatus.SURRENDER, 2625)


def test_a_whole_state_after_a_split() -> None:
    play = Play("D4 C4", "C1 H5", "DQ", stakes=SeatStakes(100, 100, 100))
    play.do(Move.INSURE, Move.HIT, insurance=50)
    assert play.moves() == {Move.HIT, Move.STAND}
    seat = play.state.seats[0]
    assert [(side.outcome.value, side.payout) for side in seat.side_bets] == [("mixedPair", 700), ("sidebetLost", 0)]
    assert [card.rank for card in seat.hands[0].cards] == [3, 3, 11]


@pytest.mark.parametrize(
    ("number", "value", "suit", "index"),
    [pytest.param(51, 10, 3, 12, id="king-of-spades"), pytest.param(0, 1, 0, 0, id="ace-of-hearts")],
)
def test_cards_have_their_documented_form(number: int, value: int, suit: int, index: int) -> None:
    card = card_of(number)
    assert (card.value, card.suit, card.rank) == (value, suit, index)


@pytest.mark.parametrize(
    ("player", "dealer", "then", "moves", "status", "payout"),
    [
        pytest.param("H1 SK", "D9 C9", "", [], HandStatus.BLACKJACK, 250, id="blackjack-wins-three-to-two"),
        pytest.param("H1 SK", "D10 C1", "", [], HandStatus.PUSH, 100, id="both-blackjack-push"),
        pytest.param("HK S10", "D9 C9", "", [Move.STAND], HandStatus.WIN, 200, id="higher-than-the-dealer"),
        pytest.param("HK S7", "D9 C7", "DK", [Move.STAND], HandStatus.WIN, 200, id="dealer-busts"),
        pytest.param("HK S9", "D9 C10", "", [Move.STAND], HandStatus.PUSH, 100, id="same-total"),
        pytest.param("HK S7", "D9 C10", "", [Move.STAND], HandStatus.LOSE, 0, id="lower-than-the-dealer"),
        pytest.param(
            "HK S7", "D9 C7", "H8 DK", [Move.HIT], HandStatus.BUST, 0, id="bust-loses-before-the-dealer-draws"
        ),
        pytest.param("HK S10", "D10 C1", "", [], HandStatus.LOSE, 0, id="dealer-natural-beats-twenty"),
        pytest.param("H9 S2", "D9 C2", "HK SK", [Move.HIT], HandStatus.PUSH, 100, id="21-stands-by-itself"),
    ],
)
def test_outcomes_of_the_documented_summary(
    player: str, dealer: str, then: str, moves: list[Move], status: HandStatus, payout: int
) -> None:
    play = Play(player, dealer, then, rules=TERMINAL_RULES).do(*moves).dealer_out()
    assert (play.is_over, play.hand().status, play.hand().payout) == (True, status, payout)


def test_a_natural_is_better_than_21_of_three_cards() -> None:
    play = Play("H7 S7", "D10 C1", "D7", rules=BlackjackRules())
    assert play.is_over, "the dealer peeked: the seven never came"
    waiting = Play("H7 S7", "D10", "D7 C1", rules=replace(TERMINAL_RULES, dealer_peek=False)).do(Move.HIT).dealer_out()
    assert (waiting.hand().status, waiting.dealer()) == (HandStatus.LOSE, "D10 C1")


def test_a_bust_player_loses_although_the_dealer_busts_too() -> None:
    play = Play(["HK S7", "H10 S9"], "D9 C7", "D8 DK").do(Move.HIT, Move.STAND).dealer_out()
    assert play.dealer() == "D9 C7 DK"
    assert [play.hand(seat=seat).status for seat in (0, 1)] == [HandStatus.BUST, HandStatus.WIN]
