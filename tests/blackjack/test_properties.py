"""Random rules, shoes and play: the invariants of every round."""

import json
import re
from collections import Counter
from fractions import Fraction
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.blackjack.engine.actions import (
    Action,
    IllegalAction,
    IllegalInsurance,
    Move,
    action_cost,
    insurance_range,
    legal_actions,
)
from apps.blackjack.engine.codec import event_from_json, from_json, to_json
from apps.blackjack.engine.events import (
    CardDealt,
    DealerCardShown,
    Event,
    HandSettled,
    InsuranceSettled,
    SideBetSettled,
    StakeTaken,
)
from apps.blackjack.engine.play import apply_action, dealer_draws, replay, round_start
from apps.blackjack.engine.rules import BlackjackRules, DoubleOn, Insurance, RulesError, Surrender
from apps.blackjack.engine.settle import round_payout, seat_account
from apps.blackjack.engine.setup import RoundSetup, SeatStakes, highest_payout
from apps.blackjack.engine.state import Pace, Phase, RoundState, seats_to_act
from apps.blackjack.engine.value import hand_value
from apps.cards.shoe import Shoe
from apps.fairness.engine import fair_shoe
from tests.support.long_form import IS_LONG

ROUNDS_AN_EXAMPLE = 10
EXAMPLES = 20_000 if IS_LONG else 110
SERVER_SEED = "0123456789abcdef" * 4
CARD_CODE = re.compile(r'"([HDCS](?:10|[1-9JQK]))"')


@st.composite
def rule_sets(draw: st.DrawFn) -> BlackjackRules:
    """Any valid rules; simple rules are rare."""
    flags = {
        name: draw(st.booleans())
        for name in ("dealer_hits_soft_17", "dealer_peek", "double_after_split", "hit_split_ace", "inverted")
    }
    try:
        return BlackjackRules(
            decks=draw(st.integers(1, 9)),
            simple=draw(st.integers(0, 9)) == 0,
            double=draw(st.sampled_from(DoubleOn)),
            surrender=draw(st.sampled_from(Surrender)),
            surrender_after_hit=draw(st.booleans()),
            surrender_after_split=draw(st.booleans()),
            split_non_ace=draw(st.integers(0, 3)),
            split_ace=draw(st.integers(0, 3)),
            insurance=draw(st.sampled_from(Insurance)),
            blackjack_pays=draw(st.sampled_from([Fraction(3, 2), Fraction(6, 5)])),
            **flags,
        )
    except RulesError:
        # Late surrender without a peek is the only contradiction between options.
        return BlackjackRules(surrender=Surrender.EARLY, **flags)


@settings(max_examples=EXAMPLES)
@given(rules=rule_sets(), pace=st.sampled_from(Pace), seats=st.integers(1, 7), seed=st.integers(0, 2**32))
def test_every_random_round_keeps_the_invariants(rules: BlackjackRules, pace: Pace, seats: int, seed: int) -> None:
    random = Random(seed)
    for nonce in range(ROUNDS_AN_EXAMPLE):
        # One deck is enough for two seats, however often they split.
        count = seats if nonce == 0 and rules.decks > 1 else 1 + nonce % 2
        shoe = fair_shoe(SERVER_SEED, str(seed), nonce, decks=rules.decks)
        _round_check(RoundSetup(rules, _stakes(random, count, rules), pace), shoe, random)


def _stakes(random: Random, seats: int, rules: BlackjackRules) -> tuple[SeatStakes, ...]:
    def stakes() -> SeatStakes:
        main = random.choice((0, 1, 2, 5, 100, 12_345))
        if main == 0 or rules.simple:
            return SeatStakes(main)
        return SeatStakes(main, random.choice((0, 3)), random.choice((0, 7)))

    return tuple(stakes() for _ in range(seats))


def _round_check(setup: RoundSetup, shoe: Shoe, random: Random) -> None:
    """Play one random round, and check the invariants before, between and after its actions."""
    state, events = round_start(setup, shoe)
    history: list[Event] = list(events)
    actions: list[Action] = []
    while state.phase is not Phase.SETTLED:
        _state_check(state, history)
        _refusals_check(state, shoe, len(setup.stakes))
        _funds_check(state)
        action = _action_choose(state, random)
        state, events = apply_action(state, action, shoe)
        actions.append(action)
        history += events
        assert len(actions) < 100 * len(setup.stakes)
    _state_check(state, history)
    _refusals_check(state, shoe, len(setup.stakes))
    _settlement_check(state, history)
    for seat, stakes in zip(state.seats, setup.stakes, strict=True):
        assert seat_account(seat).paid <= highest_payout(stakes, setup.odds)
    assert replay(setup, actions, shoe) == (state, tuple(history))
    assert from_json(RoundSetup, _through_text(to_json(setup))) == setup
    assert [from_json(Action, _through_text(to_json(action))) for action in actions] == actions
    assert [event_from_json(_through_text(to_json(event))) for event in history] == history


def _action_choose(state: RoundState, random: Random) -> Action:
    waiting = seats_to_act(state)
    seat = random.choice(waiting) if waiting else 0
    moves = list(legal_actions(state, None, seat))
    assert moves, "a round that is not settled waits for something"
    # Splits and hits make long rounds, so half of the rounds take them whenever they are legal.
    wanted = [move for move in moves if move in (Move.SPLIT, Move.INSURE)]
    move = random.choice(wanted if wanted and random.random() < 0.5 else moves)
    insurance = random.choice(insurance_range(state, None, seat)) if move is Move.INSURE else 0
    return Action(move, seat, insurance)


def _through_text(value: object) -> dict[str, object]:
    text: dict[str, object] = json.loads(json.dumps(value))
    return text


def _state_check(state: RoundState, history: list[Event]) -> None:
    """The state survives JSON. It holds no hidden card, so no message can hold one."""
    as_json = to_json(state)
    assert from_json(RoundState, _through_text(as_json)) == state
    shown = Counter(event.card.code for event in history if isinstance(event, CardDealt | DealerCardShown))
    text = json.dumps(as_json)
    assert Counter(CARD_CODE.findall(text)) == shown
    assert SERVER_SEED not in text
    assert state.drawn == sum(shown.values()) + state.has_hidden_hole


def _refusals_check(state: RoundState, shoe: Shoe, seats: int) -> None:
    """`apply_action` refuses exactly what `legal_actions` does not list."""
    for seat in (*range(seats), seats, -1):
        legal = legal_actions(state, None, seat)
        if state.phase is not Phase.DEALER and seat not in seats_to_act(state):
            assert legal == ()
        for move in Move:
            if move in legal and move is not Move.INSURE:
                continue
            if move not in legal:
                with pytest.raises(IllegalAction):
                    apply_action(state, Action(move, seat, 1), shoe)
        if Move.INSURE in legal:
            stakes = insurance_range(state, None, seat)
            for stake in (-1, 0, stakes.start - 1, stakes.stop):
                with pytest.raises(IllegalInsurance):
                    apply_action(state, Action(Move.INSURE, seat, stake), shoe)


def _funds_check(state: RoundState) -> None:
    """Insufficient funds remove the actions that cost more, and no others."""
    for seat in seats_to_act(state):
        for funds in (0, 1, 99, 20_000):
            for move in set(legal_actions(state, None, seat)):
                cost = insurance_range(state, None, seat).start if move is Move.INSURE else None
                if cost is None:
                    cost = action_cost(state, Action(move, seat))
                assert (move in legal_actions(state, funds, seat)) == (cost <= funds)
            for stake in insurance_range(state, funds, seat):
                assert stake <= funds
                break
            stakes = insurance_range(state, funds, seat)
            assert not stakes or stakes[-1] <= funds


def _settlement_check(state: RoundState, history: list[Event]) -> None:
    """Stakes equal payouts plus the house's share, and the events say the same."""
    for index, seat in enumerate(state.seats):
        account = seat_account(seat)
        staked = sum(event.amount for event in history if isinstance(event, StakeTaken) and event.seat == index)
        assert staked == account.staked
        hands = [event for event in history if isinstance(event, HandSettled) and event.seat == index]
        assert all(hand.status.is_final for hand in seat.hands)
        assert Counter((hand.status, hand.payout) for hand in seat.hands) == Counter(
            (event.status, event.payout) for event in hands
        )
        assert round_payout(seat) == sum(event.payout for event in hands)
        beside = sum(
            event.payout if isinstance(event, InsuranceSettled) else event.result.payout
            for event in history
            if isinstance(event, InsuranceSettled | SideBetSettled) and event.seat == index
        )
        assert account.paid == sum(event.payout for event in hands) + beside
        assert len(seat.hands) <= 4
    if len(state.dealer) > 2:
        assert dealer_draws(state.dealer[:-1], state.rules)
        assert hand_value(state.dealer[:-1]) <= 17


def test_a_state_cannot_be_changed() -> None:
    state, _ = round_start(RoundSetup(BlackjackRules(), (SeatStakes(100),)), fair_shoe(SERVER_SEED, "a", 0, decks=8))
    with pytest.raises(AttributeError):
        state.drawn = 0  # type: ignore[misc]
    assert msgspec.structs.replace(state, drawn=9) != state
