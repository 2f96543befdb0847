"""The order of peek, insurance, splits and the dealer (docs/blackjack-rules.md)."""

from dataclasses import replace

import pytest

from apps.blackjack.engine.actions import Action, IllegalAction, Move, action_cost, legal_actions, playing_hand
from apps.blackjack.engine.codec import CodecError, event_from_json, from_json
from apps.blackjack.engine.events import (
    CardDealt,
    DealerCardShown,
    DealerPeeked,
    HandSettled,
    HandSplit,
    HandStood,
    InsuranceSettled,
    RoundSettled,
    StakeKind,
    StakeTaken,
)
from apps.blackjack.engine.play import apply_action, replay
from apps.blackjack.engine.rules import SOLO_RULES, TABLE_RULES, Surrender
from apps.blackjack.engine.setup import SeatStakes
from apps.blackjack.engine.state import HandStatus, InsuranceStatus, Pace, Phase, RoundState, seats_to_act
from apps.cards.notation import format_cards, parse_card
from tests.blackjack.rounds import Play

NO_PEEK = replace(SOLO_RULES, dealer_peek=False, surrender=Surrender.OFF)


def cards_of(play: Play, seat: int = 0) -> list[str]:
    return [format_cards(hand.cards) for hand in play.state.seats[seat].hands]


def test_the_deal_goes_round_twice_with_the_upcard_in_between() -> None:
    play = Play(["H2 H3", "S2 S3"], "D6 DK", "C9")
    assert format_cards(play.shoe[:6]) == "H2 S2 D6 H3 S3 DK"
    assert cards_of(play, 0) == ["H2 H3"]
    assert cards_of(play, 1) == ["S2 S3"]
    assert (play.dealer(), play.state.drawn, play.state.has_hidden_hole) == ("D6", 6, True)
    assert play.state.hole_index == 5


def test_without_a_peek_no_hole_card_is_dealt() -> None:
    play = Play("H2 H3", "D6", "C9", rules=NO_PEEK)
    assert (play.state.drawn, play.state.has_hidden_hole) == (3, False)
    assert cards_of(play.do(Move.HIT)) == ["H2 H3 C9"]


@pytest.mark.parametrize("dealer", ["DK C1", "D10 S1"])
def test_a_ten_is_peeked_under_at_once_and_silently(dealer: str) -> None:
    play = Play("H8 S8", dealer)
    assert (play.is_over, play.hand().status, play.dealer()) == (True, HandStatus.LOSE, dealer)


def test_naturals_under_2_to_9_are_paid_as_soon_as_they_are_dealt() -> None:
    for rules, dealer in ((SOLO_RULES, "D9 C7"), (NO_PEEK, "D9")):
        play = Play("H1 SK", dealer, rules=rules)
        assert (play.is_over, play.hand().payout) == (True, 250)
        assert not [event for event in play.events if isinstance(event, DealerPeeked)]


@pytest.mark.parametrize(
    ("second", "status", "payout"), [("C1", HandStatus.PUSH, 100), ("C9", HandStatus.BLACKJACK, 250)]
)
def test_without_a_peek_a_natural_under_a_ten_waits_for_the_second_card(
    second: str, status: HandStatus, payout: int
) -> None:
    play = Play("H1 SK", "D10", second, rules=NO_PEEK)
    assert (play.is_over, play.hand().status, play.hand().payout) == (True, status, payout)
    assert play.dealer() == f"D10 {second}", "one card, and no more because no hand is live"


def test_without_a_peek_a_natural_is_one_card_for_the_dealer_even_at_12() -> None:
    play = Play("H1 SK", "D10", "C2 C9", rules=NO_PEEK)
    assert play.dealer() == "D10 C2"


def test_without_a_peek_insurance_is_pending_until_the_second_card() -> None:
    play = Play("H10 S6", "D1", "C9 CK", rules=NO_PEEK).do(Move.INSURE, insurance=50)
    insurance = play.state.seats[0].insurance
    assert insurance is not None
    assert insurance.status is InsuranceStatus.PENDING
    play.do(Move.HIT)
    assert (play.is_over, play.hand().status) == (True, HandStatus.BUST)
    assert play.dealer() == "D1 CK", "pending insurance makes the dealer draw"
    assert InsuranceSettled(0, InsuranceStatus.WON, 150) in play.events


def test_without_a_peek_and_with_nothing_open_the_dealer_draws_no_card() -> None:
    play = Play("H10 S6", "D1", "C9 CK", rules=NO_PEEK).do(Move.DECLINE, Move.HIT)
    assert (play.is_over, play.dealer()) == (True, "D1")


def test_without_a_peek_a_dealer_natural_takes_doubled_and_split_stakes_too() -> None:
    play = Play("H8 S8", "D10", "C3 S10 H7 C1", rules=NO_PEEK).do(Move.SPLIT, Move.STAND, Move.DOUBLE).dealer_out()
    assert play.dealer() == "D10 C1"
    assert [(hand.status, hand.stake) for hand in play.state.seats[0].hands] == [
        (HandStatus.LOSE, 200),
        (HandStatus.LOSE, 100),
    ]


def test_without_a_peek_the_dealers_first_hit_is_the_second_card() -> None:
    play = Play("H10 S9", "D10", "C6 C5", rules=NO_PEEK).do(Move.STAND, Move.DEALER_HIT)
    assert (play.dealer(), play.is_over) == ("D10 C6", False)
    play.do(Move.DEALER_HIT)
    assert (play.dealer(), play.is_over) == ("D10 C6 C5", True)


def test_a_dealer_natural_returns_insurance_and_pushes_a_natural() -> None:
    play = Play(["H1 SK", "H10 S10"], "D1 CK")
    play.do(Move.INSURE, seat=1, insurance=50)
    assert play.state.phase is Phase.QUESTION
    play.do(Move.DECLINE, seat=0)
    assert [play.hand(seat=seat).status for seat in (0, 1)] == [HandStatus.PUSH, HandStatus.LOSE]
    assert [event for event in play.events if not isinstance(event, HandSettled)][1:] == [
        DealerPeeked(is_natural=True),
        InsuranceSettled(1, InsuranceStatus.WON, 150),
        DealerCardShown(parse_card("CK")),
        RoundSettled(),
    ]


def test_all_seats_are_asked_at_once_and_answer_in_any_order() -> None:
    play = Play(["H10 S6", "H10 S7", "H1 SK"], "D1 C7", rules=replace(TABLE_RULES, surrender=Surrender.EARLY))
    assert list(seats_to_act(play.state)) == [0, 1, 2]
    assert play.moves(seat=2) == {Move.DECLINE, Move.INSURE}
    play.do(Move.INSURE, seat=1, insurance=50)
    assert list(seats_to_act(play.state)) == [0, 2]
    play.do(Move.SURRENDER, seat=0).do(Move.DECLINE, seat=2)
    assert play.state.phase is Phase.PLAYERS
    assert [play.hand(seat=seat).payout for seat in range(3)] == [50, 0, 250]
    assert list(seats_to_act(play.state)) == [1]


def test_a_second_answer_to_the_question_is_refused() -> None:
    play = Play(["H10 S6", "H10 S7"], "D1 C7").do(Move.DECLINE, seat=0)
    with pytest.raises(IllegalAction, match="decline is not possible for seat 0 in phase question"):
        play.do(Move.DECLINE, seat=0)


def test_splits_are_played_from_the_highest_hand_down() -> None:
    rules = replace(SOLO_RULES, split_non_ace=3)
    play = Play("H8 D8", "D6 CK", "C8 C2 S3 S4 H9 H7 D2 S2 C9", rules=rules).do(Move.SPLIT)
    assert cards_of(play) == ["H8 C8", "D8 C2"]
    assert play.events == (
        StakeTaken(0, StakeKind.SPLIT, 100),
        HandSplit(0, 0),
        CardDealt(0, 0, parse_card("C8")),
        CardDealt(0, 1, parse_card("C2")),
    )
    play.do(Move.STAND)
    assert playing_hand(play.state, 0).cards == play.hand(0).cards
    play.do(Move.SPLIT)
    assert cards_of(play) == ["H8 S3", "C8 S4", "D8 C2"], "the finished hand moved up by one"
    assert play.hand(2).status is HandStatus.STOOD
    play.do(Move.HIT)
    assert cards_of(play)[1] == "C8 S4 H9"
    assert play.hand(1).status is HandStatus.STOOD, "21 stands automatically"
    play.do(Move.HIT)
    assert cards_of(play)[0] == "H8 S3 H7"


def test_a_natural_after_a_split_is_a_plain_21() -> None:
    play = Play("HK SK", "D9 C10", "H1 S1").do(Move.SPLIT).dealer_out()
    assert [(hand.status, hand.payout) for hand in play.state.seats[0].hands] == [(HandStatus.WIN, 200)] * 2


def test_seats_take_turns_in_seat_order() -> None:
    play = Play(["H10 S6", "H10 S7"], "D6 C7", pace=Pace.TABLE)
    with pytest.raises(IllegalAction):
        play.do(Move.STAND, seat=1)
    play.do(Move.STAND)
    assert list(seats_to_act(play.state)) == [1]


def test_with_the_pace_speed_all_seats_act_at_once() -> None:
    play = Play(["H10 S6", "H10 S7"], "D6 CK", "D2 C2 S2 H9", pace=Pace.SPEED)
    play.do(Move.HIT, seat=1).do(Move.HIT, seat=0).do(Move.STAND, seat=1)
    assert cards_of(play, 0) == ["H10 S6 C2"]
    assert cards_of(play, 1) == ["H10 S7 D2"]
    play.do(Move.STAND, seat=0)
    assert (play.is_over, play.dealer()) == (True, "D6 CK S2")


def test_at_a_table_the_dealer_plays_in_the_last_action() -> None:
    play = Play("H10 S9", "D6 C7", "D2 C2", pace=Pace.TABLE).do(Move.STAND)
    assert (play.is_over, play.dealer()) == (True, "D6 C7 D2 C2")


def test_the_dealer_draws_no_card_if_no_hand_is_live() -> None:
    play = Play(["H10 S6", "H1 SK"], "D6 C7", "CK").do(Move.HIT)
    assert (play.is_over, play.dealer()) == (True, "D6 C7")


@pytest.mark.parametrize(("funds", "offered"), [(99, False), (100, True), (None, True)])
def test_double_and_split_need_funds(funds: int | None, offered: bool) -> None:
    moves = Play("H8 S8", "D6 C7").moves(funds)
    assert ({Move.DOUBLE, Move.SPLIT} <= moves) is offered
    assert {Move.HIT, Move.STAND, Move.SURRENDER} <= moves


def test_double_split_and_insurance_cost_their_stakes() -> None:
    play = Play("H8 S8", "D6 C7")
    assert action_cost(play.state, Action(Move.DOUBLE)) == action_cost(play.state, Action(Move.SPLIT)) == 100
    assert action_cost(play.state, Action(Move.HIT)) == 0
    asked = Play("H8 S8", "D1 C7")
    assert action_cost(asked.state, Action(Move.INSURE, insurance=50)) == 50


def test_a_refusal_leaves_the_round_as_it_was() -> None:
    play = Play("H8 S8", "D9 C8")
    before = play.state
    with pytest.raises(IllegalAction):
        apply_action(play.state, Action(Move.DEALER_HIT), play.shoe)
    assert play.state is before
    play.do(Move.STAND).dealer_out()
    assert legal_actions(play.state, None) == ()
    with pytest.raises(IllegalAction, match="seat 0 has no hand to play"):
        playing_hand(play.state, 0)


def test_a_round_replays_from_its_setup_shoe_and_actions() -> None:
    play = Play("H8 S8", "D6 C7", "D3 C2 S9 H9 H5 C5 S4", stakes=SeatStakes(100, 5, 5))
    play.do(Move.SPLIT, Move.DOUBLE, Move.HIT, Move.STAND).dealer_out()
    assert replay(play.setup, play.actions, play.shoe) == (play.state, tuple(play.history))
    assert HandStood(0, 1) in play.history


def test_invalid_json_of_a_state_is_refused_with_a_message() -> None:
    with pytest.raises(CodecError, match=r"^not a RoundState: 'rules'$"):
        from_json(RoundState, {})
    with pytest.raises(CodecError, match="'Cheated' is no event"):
        event_from_json({"type": "Cheated"})
    with pytest.raises(CodecError, match="not of type int"):
        from_json(Action, {"move": "hit", "seat": "0", "insurance": 0})
