"""Each option of docs/blackjack-rules.md, by cases that differ in that option alone."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest

from apps.blackjack.engine.actions import Move, insurance_range
from apps.blackjack.engine.play import dealer_draws
from apps.blackjack.engine.rules import SOLO_RULES, BlackjackRules, DoubleOn, Insurance, Surrender
from apps.blackjack.engine.settle import hand_payout, seat_account
from apps.blackjack.engine.setup import SeatStakes, StakesError
from apps.blackjack.engine.state import HandStatus, InsuranceStatus, Phase
from apps.cards.card import CARDS
from apps.cards.notation import parse_cards
from tests.blackjack.rounds import Play

NO_PEEK = replace(SOLO_RULES, dealer_peek=False, surrender=Surrender.OFF)
EARLY = replace(SOLO_RULES, surrender=Surrender.EARLY)


@pytest.mark.parametrize(
    ("cards", "stands_17", "hits_17"),
    [
        ("H1 D6", False, True),
        ("H1 D2 S4", False, True),
        ("H1 D6 SK", False, False),
        ("HK D7", False, False),
        ("H1 D5", True, True),
        ("H1 D7", False, False),
        ("HK D6", True, True),
        ("HK D9", False, False),
    ],
)
def test_the_dealer_draws_on_a_soft_17_only_if_the_rules_say_so(cards: str, stands_17: bool, hits_17: bool) -> None:
    hand = parse_cards(cards)
    assert dealer_draws(hand, SOLO_RULES) is stands_17
    assert dealer_draws(hand, replace(SOLO_RULES, dealer_hits_soft_17=True)) is hits_17


@pytest.mark.parametrize(("hits", "dealer"), [(False, "D6 C1"), (True, "D6 C1 H2")])
def test_a_dealer_who_hits_soft_17_takes_a_card_in_play(hits: bool, dealer: str) -> None:
    play = Play("HK S9", "D6 C1", "H2", rules=replace(SOLO_RULES, dealer_hits_soft_17=hits)).do(Move.STAND)
    assert play.dealer_out().dealer() == dealer


@pytest.mark.parametrize(
    ("double", "values"),
    [
        (DoubleOn.ANY, {*range(4, 21)}),
        (DoubleOn.NINE_TO_ELEVEN, {9, 10, 11}),
        (DoubleOn.TEN_ELEVEN, {10, 11}),
    ],
)
def test_double_by_value_of_every_first_two_cards(double: DoubleOn, values: set[int]) -> None:
    rules = replace(SOLO_RULES, double=double)
    for first, second in product(CARDS[:13], repeat=2):
        if {first.value, second.value} == {1, 10}:
            continue
        play = Play(f"{first} {second}", "D6 C1", rules=rules)
        hard = first.value + second.value
        soft = 1 in (first.value, second.value)
        assert (Move.DOUBLE in play.moves()) == (double is DoubleOn.ANY or (hard in values and not soft))


def test_a_hand_cannot_be_doubled_after_a_hit() -> None:
    assert Move.DOUBLE not in Play("H2 S3", "D6 C1", "H4").do(Move.HIT).moves()


def test_double_draws_one_card_and_stands() -> None:
    play = Play("H5 S6", "D6 CK", "H2 S9").do(Move.DOUBLE)
    assert (play.hand().status, play.hand().stake, len(play.hand().cards)) == (HandStatus.STOOD, 200, 3)
    assert play.dealer_out().hand().payout == 400


@pytest.mark.parametrize("allowed", [True, False])
def test_a_hand_of_a_split_can_be_doubled_only_if_the_rules_say_so(allowed: bool) -> None:
    rules = replace(SOLO_RULES, double_after_split=allowed)
    play = Play("H8 S8", "D6 CK", "H3 S2", rules=rules).do(Move.SPLIT)
    assert (Move.DOUBLE in play.moves()) is allowed


@pytest.mark.parametrize(
    ("surrender", "upcard", "asked", "first"),
    [
        (Surrender.OFF, "D9", False, False),
        (Surrender.OFF, "DK", False, False),
        (Surrender.OFF, "D1", False, False),
        (Surrender.LATE, "D9", False, True),
        (Surrender.LATE, "DK", False, True),
        (Surrender.LATE, "D1", False, True),
        (Surrender.EARLY_NOT_ACE, "D9", False, True),
        (Surrender.EARLY_NOT_ACE, "DK", True, False),
        (Surrender.EARLY_NOT_ACE, "D1", False, True),
        (Surrender.EARLY, "D9", False, True),
        (Surrender.EARLY, "DK", True, False),
        (Surrender.EARLY, "D1", True, False),
    ],
)
def test_surrender_is_offered_before_or_after_the_peek_by_upcard(
    surrender: Surrender, upcard: str, asked: bool, first: bool
) -> None:
    """Surrender is offered either in the question before the peek or as the first decision after it, never in both."""
    play = Play("H10 S6", f"{upcard} C7", rules=replace(SOLO_RULES, surrender=surrender))
    if play.state.phase is Phase.QUESTION:
        assert (Move.SURRENDER in play.moves()) is asked
        play.do(Move.DECLINE)
    else:
        assert not asked
    assert (Move.SURRENDER in play.moves()) is first


@pytest.mark.parametrize(("surrender", "payout"), [(Surrender.EARLY, 50), (Surrender.LATE, 0)])
@pytest.mark.parametrize("dealer", ["D1 CK", "DK C1"])
def test_early_surrender_saves_half_from_a_dealer_natural(surrender: Surrender, payout: int, dealer: str) -> None:
    play = Play("H10 S6", dealer, rules=replace(SOLO_RULES, surrender=surrender))
    if play.state.phase is Phase.QUESTION:
        play.do(Move.SURRENDER if surrender is Surrender.EARLY else Move.DECLINE)
    assert (play.is_over, play.hand().payout, play.dealer()) == (True, payout, dealer)


def test_early_surrender_returns_half_at_once_without_a_peek_too() -> None:
    play = Play("H10 S6", "DK", rules=replace(NO_PEEK, surrender=Surrender.EARLY))
    assert play.moves() == {Move.DECLINE, Move.SURRENDER}
    play.do(Move.SURRENDER)
    assert (play.is_over, play.hand().payout, play.dealer()) == (True, 50, "DK")


def test_a_natural_is_not_asked_to_surrender() -> None:
    assert Play("H1 SK", "D1 C7", rules=EARLY).moves() == {Move.DECLINE, Move.INSURE}
    assert Play("H1 SK", "DK C7", rules=EARLY).is_over, "against a ten there is nothing else to ask"


@pytest.mark.parametrize("after_hit", [True, False])
def test_a_hand_can_be_surrendered_after_a_hit_only_if_the_rules_say_so(after_hit: bool) -> None:
    play = Play("H2 S3", "D9 C7", "H10", rules=replace(SOLO_RULES, surrender_after_hit=after_hit))
    play.do(Move.HIT)
    assert (Move.SURRENDER in play.moves()) is after_hit


@pytest.mark.parametrize("after_hit", [True, False])
@pytest.mark.parametrize("after_split", [True, False])
def test_a_hand_of_a_split_can_be_surrendered_only_if_the_rules_say_so(after_split: bool, after_hit: bool) -> None:
    rules = replace(SOLO_RULES, surrender_after_split=after_split, surrender_after_hit=after_hit)
    play = Play("H8 S8", "D9 C7", "H5 S4 H2 D7", rules=rules).do(Move.SPLIT)
    assert (Move.SURRENDER in play.moves()) is after_split
    play.do(Move.HIT)
    assert (Move.SURRENDER in play.moves()) is (after_split and after_hit)
    if after_split and after_hit:
        play.do(Move.SURRENDER)
        assert (play.hand(1).status, play.hand(1).payout) == (HandStatus.SURRENDER, 50)
        assert play.moves() >= {Move.HIT, Move.SURRENDER}, "the other hand goes on"


@pytest.mark.parametrize("splits", [0, 1, 2, 3])
@pytest.mark.parametrize("pair", ["ace", "non-ace"])
def test_split_limits_count_per_seat_over_the_round(splits: int, pair: str) -> None:
    """With a shoe of one rank every possible split is made, and N splits make N + 1 hands."""
    card = "H1" if pair == "ace" else "H8"
    rules = replace(SOLO_RULES, split_ace=0, split_non_ace=0)
    rules = replace(rules, **{"split_ace" if pair == "ace" else "split_non_ace": splits})  # type: ignore[arg-type]
    play = Play(f"{card} {card}", "D9 C7", " ".join([card] * 8 + ["D2"] * 9), rules=rules)
    while Move.SPLIT in play.moves():
        play.do(Move.SPLIT)
    assert len(play.state.seats[0].hands) == splits + 1
    assert all(len(hand.cards) == 2 for hand in play.state.seats[0].hands)


def test_ten_values_of_different_rank_split() -> None:
    assert Move.SPLIT in Play("HK SJ", "D9 C7").moves()
    assert Move.SPLIT not in Play("HK S9", "D9 C7").moves()


def test_hit_split_ace_on_plays_aces_like_any_split_hand() -> None:
    play = Play("H1 S1", "D9 C7", "H2 SK H9").do(Move.SPLIT)
    assert play.hand(1).status is HandStatus.STOOD, "ace and king are a plain 21"
    assert play.moves() == {Move.HIT, Move.STAND, Move.DOUBLE}
    no_double = replace(SOLO_RULES, double_after_split=False)
    assert Play("H1 S1", "D9 C7", "H2 S3", rules=no_double).do(Move.SPLIT).moves() == {Move.HIT, Move.STAND}


def test_hit_split_ace_off_deals_one_card_to_each_ace() -> None:
    rules = replace(SOLO_RULES, hit_split_ace=False)
    play = Play("H1 S1", "D9 C10", "H2 SK", rules=rules).do(Move.SPLIT)
    assert play.state.phase is Phase.DEALER
    play.dealer_out()
    assert [(hand.status, hand.payout) for hand in play.state.seats[0].hands] == [
        (HandStatus.LOSE, 0),
        (HandStatus.WIN, 200),
    ]


def test_hit_split_ace_off_offers_only_another_split() -> None:
    rules = replace(SOLO_RULES, hit_split_ace=False, split_ace=2)
    play = Play("H1 S1", "D9 C10", "D1 C1 H5 S6", rules=rules).do(Move.SPLIT)
    assert play.moves() == {Move.SPLIT, Move.STAND}
    assert play.moves(funds=99) == {Move.STAND}
    play.do(Move.SPLIT)
    assert len(play.state.seats[0].hands) == 3
    assert play.state.phase is Phase.DEALER, "no split is left, so the remaining pair has one legal action"


@pytest.mark.parametrize(
    ("insurance", "stakes"),
    [
        (Insurance.OFF, range(0)),
        (Insurance.EXACT_HALF, range(50, 51)),
        (Insurance.UP_TO_HALF, range(1, 51)),
    ],
)
def test_the_possible_stakes_of_insurance_are_those_of_the_rules_and_the_funds(
    insurance: Insurance, stakes: range
) -> None:
    play = Play("H10 S6", "D1 C7", rules=replace(SOLO_RULES, insurance=insurance))
    assert insurance_range(play.state, None) == stakes
    assert play.moves() == {Move.DECLINE, *([Move.INSURE] if stakes else [])}
    assert insurance_range(play.state, 30) == range(stakes.start, min(stakes.stop, 31))


def test_insurance_off_still_asks_the_question() -> None:
    play = Play("H10 S6", "D1 C7", rules=replace(SOLO_RULES, insurance=Insurance.OFF)).do(Move.DECLINE)
    insurance = play.state.seats[0].insurance
    assert insurance is not None
    assert insurance.status is InsuranceStatus.DECLINED


@pytest.mark.parametrize(("stake", "offered"), [(0, False), (1, False), (2, True), (3, True)])
def test_half_a_unit_is_too_little_for_insurance(stake: int, offered: bool) -> None:
    play = Play("H10 S6", "D1 C7", stakes=SeatStakes(stake))
    assert (Move.INSURE in play.moves()) is offered


@pytest.mark.parametrize(("dealer", "won"), [("D1 CK", True), ("D1 C9", False)])
def test_an_insured_blackjack_wins_the_stake_whatever_the_dealer_has(dealer: str, won: bool) -> None:
    play = Play("H1 SK", dealer).do(Move.INSURE, insurance=50)
    assert play.is_over
    assert play.hand().payout == (100 if won else 250)
    account = seat_account(play.state.seats[0])
    assert account.paid - account.staked == 100


@pytest.mark.parametrize(
    ("pays", "stake", "payout"),
    [
        (Fraction(3, 2), 100, 250),
        (Fraction(6, 5), 100, 220),
        (Fraction(3, 2), 5, 12),
        (Fraction(6, 5), 4, 8),
        (Fraction(3, 2), 0, 0),
    ],
)
def test_a_blackjack_pays_the_odds_of_the_rules_rounded_down(pays: Fraction, stake: int, payout: int) -> None:
    play = Play("H1 SK", "D9 C7", rules=replace(SOLO_RULES, blackjack_pays=pays), stakes=SeatStakes(stake))
    assert (play.hand().status, play.hand().payout) == (HandStatus.BLACKJACK, payout)


def test_half_a_unit_of_a_surrender_stays_with_the_house() -> None:
    assert hand_payout(5, HandStatus.SURRENDER, SOLO_RULES) == 2
    with pytest.raises(ValueError, match="has no payout yet"):
        hand_payout(5, HandStatus.STOOD, SOLO_RULES)


def test_inverted_changes_no_payout_of_the_engine() -> None:
    """The table that counts the points negates the change (apps/blackjack/table.py)."""
    rules = replace(SOLO_RULES, inverted=True)
    play = Play("H10 S9", "D9 C8", rules=rules).do(Move.STAND).dealer_out()
    assert (play.hand().status, play.hand().payout) == (HandStatus.WIN, 200)


@pytest.mark.parametrize(
    ("player", "dealer", "over"),
    [
        pytest.param("H8 S8", "D9 C7", False, id="only-hit-and-stand-on-a-pair"),
        pytest.param("H10 S6", "D1 C9", False, id="no-question-under-an-ace"),
        pytest.param("H10 S6", "D1 CK", True, id="silent-peek-under-an-ace"),
        pytest.param("H1 SK", "D1 C9", True, id="natural-paid-with-its-bonus"),
    ],
)
def test_simple_rules_have_hit_and_stand_alone(player: str, dealer: str, over: bool) -> None:
    rules = BlackjackRules(simple=True, surrender=Surrender.EARLY)
    play = Play(player, dealer, rules=rules)
    assert play.is_over is over
    if not over:
        assert play.moves() == {Move.HIT, Move.STAND}
    if player == "H1 SK":
        assert play.hand().payout == 250


def test_simple_has_no_side_bets() -> None:
    with pytest.raises(StakesError, match="simple rules have no side bets"):
        Play("H8 S8", "D9 C7", rules=BlackjackRules(simple=True), stakes=SeatStakes(100, 1))


@pytest.mark.parametrize(
    ("stakes", "sentence"),
    [
        (SeatStakes(0, 1), "a side bet needs a main stake above 0"),
        (SeatStakes(0, 0, 1), "a side bet needs a main stake above 0"),
        (SeatStakes(-1), "a stake is below 0"),
        (SeatStakes(1, -1), "a stake is below 0"),
    ],
)
def test_invalid_stakes_are_refused(stakes: SeatStakes, sentence: str) -> None:
    with pytest.raises(StakesError, match=sentence):
        Play("H8 S8", "D9 C7", stakes=stakes)


def test_a_round_has_one_to_seven_seats() -> None:
    with pytest.raises(StakesError, match="8 seats; 1 to 7 are possible"):
        Play(["H8 S8"] * 8, "D9 C7")
    with pytest.raises(StakesError, match="0 seats"):
        Play([], "D9 C7")


def test_free_play_takes_no_stake_and_pays_none() -> None:
    play = Play("H5 S6", "D6 CK", "H2 S9", stakes=SeatStakes(0)).do(Move.DOUBLE).dealer_out()
    assert (play.hand().status, play.hand().stake, play.hand().payout) == (HandStatus.WIN, 0, 0)
    assert not [event for event in play.history if type(event).__name__ == "StakeTaken"]
