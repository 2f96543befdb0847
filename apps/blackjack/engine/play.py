"""The course of a round: deal, actions, dealer. Pure: `(state, action, shoe) -> (state, events)`.

Question, peek, hands and dealer have the order of docs/blackjack-rules.md.
"""

from collections.abc import Iterable
from typing import assert_never

from apps.blackjack.engine.actions import (
    DEALER_HIT,
    DECLINE,
    DOUBLE,
    HIT,
    INSURE,
    SPLIT,
    STAND,
    SURRENDER,
    Action,
    IllegalAction,
    IllegalInsurance,
    asks_early_surrender,
    insurance_range,
    is_finished_split_ace,
    legal_actions,
    may_split,
)
from apps.blackjack.engine.draft import RoundDraft
from apps.blackjack.engine.events import (
    DealerPeeked,
    Event,
    HandSplit,
    HandStood,
    InsuranceDeclined,
    RoundSettled,
    SideBetSettled,
    StakeKind,
    StakeTaken,
)
from apps.blackjack.engine.rules import BlackjackRules
from apps.blackjack.engine.settle import status_against
from apps.blackjack.engine.setup import RoundSetup, SeatStakes
from apps.blackjack.engine.side_bets import SideBet, SideBetResult, side_bet_settle
from apps.blackjack.engine.state import (
    ACE_VALUE,
    BLACKJACK,
    BUST,
    DEALER,
    NATURAL,
    OPEN,
    PLAYERS,
    QUESTION,
    SETTLED,
    SOLO,
    STOOD,
    TEN_VALUE,
    UNSETTLED,
    HandState,
    HandStatus,
    InsuranceState,
    InsuranceStatus,
    RoundState,
    SeatState,
)
from apps.blackjack.engine.value import BEST_VALUE, hand_rank, hand_value, is_two_card_21
from apps.cards.card import Card
from apps.cards.shoe import Shoe

StateWithEvents = tuple[RoundState, tuple[Event, ...]]
"""The next state and the events that led to it, in order."""


def round_start(setup: RoundSetup, shoe: Shoe) -> StateWithEvents:
    """Place the stakes, deal, settle the side bets, and go on to the first decision.

    Cards are dealt from `shoe[0]` on: every seat, the upcard, every seat, and the hole card if the rules deal one.
    """
    draft = RoundDraft(setup.rules, setup.pace, PLAYERS, [], (), 0, shoe)
    for seat, stakes in enumerate(setup.stakes):
        _stakes_take(draft, seat, stakes)
    hands = _deal(draft, len(setup.stakes))
    upcard_value = draft.dealer[0].value
    asks_all = upcard_value == ACE_VALUE and not setup.rules.simple
    asks_early = asks_early_surrender(setup.rules, upcard_value)
    for seat, cards in enumerate(hands):
        # A natural is not asked to surrender; only against an ace is it asked (even money).
        is_natural = is_two_card_21(cards)
        status = NATURAL if is_natural else OPEN
        hand = HandState(cards, setup.stakes[seat].main, status)
        is_asked = asks_all or (asks_early and not is_natural)
        draft.seats.append(SeatState((hand,), is_asked, None, _side_bets_settle(draft, setup, seat, cards)))
    _question_go_on(draft)
    return draft.freeze()


def apply_action(state: RoundState, action: Action, shoe: Shoe) -> StateWithEvents:
    """Return the next state and what happened, in order; `state` itself never changes.

    It takes cards from `shoe[state.drawn]` on (and the hole card from its place), so the same inputs always play the
    same round. It does not check funds: callers check `action_cost` first. Raises IllegalAction for a move outside
    `legal_actions(state, None, action.seat)`, IllegalInsurance for a stake outside `insurance_range`.
    """
    move, seat = action.move, action.seat
    if move not in legal_actions(state, None, seat):
        raise IllegalAction(f"{move.value} is not possible for seat {seat} in phase {state.phase.value}")
    if move is INSURE and action.insurance not in insurance_range(state, None, seat):
        raise IllegalInsurance(f"{action.insurance} is no stake of insurance here")
    draft = RoundDraft.of(state, shoe)
    if move is HIT:
        _hit(draft, seat)
    elif move is STAND:
        _stand(draft, seat)
    elif move is DEALER_HIT:
        _dealer_step(draft)
    elif move is DOUBLE:
        _double(draft, seat)
    elif move is SPLIT:
        _split(draft, seat)
    elif move is SURRENDER:
        _surrender(draft, seat)
    elif move is DECLINE:
        _decline(draft, seat)
    elif move is INSURE:
        _insure(draft, seat, action.insurance)
    else:
        assert_never(move)
    return draft.freeze()


def replay(setup: RoundSetup, actions: Iterable[Action], shoe: Shoe) -> StateWithEvents:
    """Play a round again from its beginning and return its state and all events.

    Raises IllegalAction for impossible actions.
    """
    state, events = round_start(setup, shoe)
    history = list(events)
    for action in actions:
        state, events = apply_action(state, action, shoe)
        history += events
    return state, tuple(history)


def dealer_draws(cards: tuple[Card, ...], rules: BlackjackRules) -> bool:
    """Return whether the dealer must draw another card."""
    value = hand_value(cards)
    if value != 17:
        return value < 17
    return rules.dealer_hits_soft_17 and sum([card.value for card in cards]) == 7


def _stakes_take(draft: RoundDraft, seat: int, stakes: SeatStakes) -> None:
    if stakes.main:
        draft.events.append(StakeTaken(seat, StakeKind.MAIN, stakes.main))
    if stakes.perfect_pairs:
        draft.events.append(StakeTaken(seat, StakeKind.PERFECT_PAIRS, stakes.perfect_pairs))
    if stakes.poker:
        draft.events.append(StakeTaken(seat, StakeKind.POKER, stakes.poker))


def _deal(draft: RoundDraft, seats: int) -> list[tuple[Card, Card]]:
    """Deal two cards to each seat and return them in seat order."""
    first = [draft.deal_to(seat, 0) for seat in range(seats)]
    draft.dealer_show(draft.draw())
    hands = [(card, draft.deal_to(seat, 0)) for seat, card in enumerate(first)]
    if draft.rules.dealer_peek:
        # The hole card is skipped and stays in the shoe.
        draft.drawn += 1
    return hands


def _side_bets_settle(
    draft: RoundDraft, setup: RoundSetup, seat: int, cards: tuple[Card, ...]
) -> tuple[SideBetResult, ...]:
    stakes = setup.stakes[seat]
    if not stakes.perfect_pairs and not stakes.poker:
        return ()
    results = []
    for bet, stake in ((SideBet.PERFECT_PAIRS, stakes.perfect_pairs), (SideBet.POKER, stakes.poker)):
        if stake:
            result = side_bet_settle(bet, stake, cards, draft.dealer[0], setup.odds)
            draft.events.append(SideBetSettled(seat, result))
            results.append(result)
    return tuple(results)


def _question_go_on(draft: RoundDraft) -> None:
    """Wait for the remaining answers. After the last one the dealer peeks and the hands are played."""
    for seat in draft.seats:
        if seat.is_asked:
            draft.phase = QUESTION
            return
    draft.phase = PLAYERS
    may_be_natural = draft.dealer[0].value in (ACE_VALUE, TEN_VALUE)
    if may_be_natural and not draft.rules.dealer_peek:
        # Naturals and insurance wait for a card that will be dealt later.
        _hands_go_on(draft)
        return
    if may_be_natural:
        is_natural = is_two_card_21((draft.dealer[0], draft.hole_card()))
        draft.events.append(DealerPeeked(is_natural))
        draft.insurance_settle(is_won=is_natural)
        if is_natural:
            draft.dealer_show(draft.hole_card())
            _round_settle(draft)
            return
    _naturals_pay(draft)
    _hands_go_on(draft)


def _naturals_pay(draft: RoundDraft) -> None:
    for index, seat in enumerate(draft.seats):
        if seat.hands[0].status is NATURAL:
            draft.hand_settle(index, 0, BLACKJACK)


def _decline(draft: RoundDraft, seat: int) -> None:
    insurance = None
    # Against a ten the question was only about surrender.
    if draft.dealer[0].value == ACE_VALUE:
        insurance = InsuranceState(0, InsuranceStatus.DECLINED)
        draft.events.append(InsuranceDeclined(seat))
    asked = draft.seats[seat]
    draft.seats[seat] = SeatState(asked.hands, False, insurance, asked.side_bets)
    _question_go_on(draft)


def _insure(draft: RoundDraft, seat: int, stake: int) -> None:
    draft.events.append(StakeTaken(seat, StakeKind.INSURANCE, stake))
    asked = draft.seats[seat]
    insurance = InsuranceState(stake, InsuranceStatus.PENDING)
    draft.seats[seat] = SeatState(asked.hands, False, insurance, asked.side_bets)
    _question_go_on(draft)


def _surrender(draft: RoundDraft, seat: int) -> None:
    index = draft.open_hand(seat)
    draft.hand_settle(seat, index, HandStatus.SURRENDER)
    if draft.phase is QUESTION:
        asked = draft.seats[seat]
        draft.seats[seat] = SeatState(asked.hands, False, None, asked.side_bets)
        _question_go_on(draft)
    else:
        _hands_go_on(draft)


def _hit(draft: RoundDraft, seat: int) -> None:
    index = draft.open_hand(seat)
    hand = draft.seats[seat].hands[index]
    hand = HandState((*hand.cards, draft.deal_to(seat, index)), hand.stake, OPEN, hand.is_split)
    draft.hand_put(seat, index, hand)
    value = hand_value(hand.cards)
    if value < BEST_VALUE:
        return
    if value > BEST_VALUE:
        draft.hand_settle(seat, index, BUST)
    else:
        _hand_stands(draft, seat, index)
    _hands_go_on(draft)


def _stand(draft: RoundDraft, seat: int) -> None:
    _hand_stands(draft, seat, draft.open_hand(seat))
    _hands_go_on(draft)


def _double(draft: RoundDraft, seat: int) -> None:
    index = draft.open_hand(seat)
    hand = draft.seats[seat].hands[index]
    if hand.stake:
        draft.events.append(StakeTaken(seat, StakeKind.DOUBLE, hand.stake))
    hand = HandState((*hand.cards, draft.deal_to(seat, index)), 2 * hand.stake, OPEN, hand.is_split)
    draft.hand_put(seat, index, hand)
    if hand_value(hand.cards) > BEST_VALUE:
        draft.hand_settle(seat, index, BUST)
    else:
        _hand_stands(draft, seat, index)
    _hands_go_on(draft)


def _split(draft: RoundDraft, seat_index: int) -> None:
    index = draft.open_hand(seat_index)
    seat = draft.seats[seat_index]
    hand = seat.hands[index]
    if hand.stake:
        draft.events.append(StakeTaken(seat_index, StakeKind.SPLIT, hand.stake))
    draft.events.append(HandSplit(seat_index, index))
    halves = [
        HandState((kept, draft.deal_to(seat_index, index + place)), hand.stake, OPEN, is_split=True)
        for place, kept in enumerate(hand.cards)
    ]
    hands = (*seat.hands[:index], *halves, *seat.hands[index + 1 :])
    seat = draft.seats[seat_index] = SeatState(hands, seat.is_asked, seat.insurance, seat.side_bets)
    # This may have been the last split, which another hand of split aces was waiting for.
    for place in range(len(hands) - 1, -1, -1):
        if hands[place].status is OPEN and _has_one_answer(draft.rules, seat, hands[place]):
            _hand_stands(draft, seat_index, place)
    _hands_go_on(draft)


def _has_one_answer(rules: BlackjackRules, seat: SeatState, hand: HandState) -> bool:
    """Return whether standing is the only possible decision: at 21, and on a split ace that cannot be split again."""
    if hand_value(hand.cards) == BEST_VALUE:
        return True
    return is_finished_split_ace(rules, hand) and not may_split(rules, seat, hand)


def _hand_stands(draft: RoundDraft, seat: int, index: int) -> None:
    hand = draft.seats[seat].hands[index]
    draft.hand_put(seat, index, HandState(hand.cards, hand.stake, STOOD, hand.is_split))
    draft.events.append(HandStood(seat, index))


def _hands_go_on(draft: RoundDraft) -> None:
    """Go on to the next hand, or to the dealer if no hand has a decision left."""
    statuses = []
    for seat in draft.seats:
        for hand in seat.hands:
            if hand.status is OPEN:
                return
            statuses.append(hand.status)
    if STOOD in statuses:
        draft.phase = DEALER
        # A solo player's client requests each of the dealer's cards.
        while draft.phase is DEALER and draft.pace is not SOLO:
            _dealer_step(draft)
        return
    if draft.rules.dealer_peek:
        draft.dealer_show(draft.hole_card())
    elif NATURAL in statuses or draft.has_open_insurance():
        _second_card_draw(draft)
    _round_settle(draft)


def _dealer_step(draft: RoundDraft) -> None:
    """Show or draw one card of the dealer; settle the round if the dealer must not draw another."""
    if len(draft.dealer) > 1:
        draft.dealer_show(draft.draw())
    elif draft.rules.dealer_peek:
        draft.dealer_show(draft.hole_card())
    else:
        _second_card_draw(draft)
    if not dealer_draws(draft.dealer, draft.rules):
        _round_settle(draft)


def _second_card_draw(draft: RoundDraft) -> None:
    """Deal the dealer's second card if there was no hole card. It decides insurance and waiting naturals."""
    draft.dealer_show(draft.draw())
    is_natural = is_two_card_21(draft.dealer)
    draft.insurance_settle(is_won=is_natural)
    if not is_natural:
        _naturals_pay(draft)


def _round_settle(draft: RoundDraft) -> None:
    dealer_rank = hand_rank(draft.dealer)
    for seat_index, seat in enumerate(draft.seats):
        for index, hand in enumerate(seat.hands):
            if hand.status in UNSETTLED:
                draft.hand_settle(seat_index, index, status_against(hand, dealer_rank))
    draft.phase = SETTLED
    draft.events.append(RoundSettled())
