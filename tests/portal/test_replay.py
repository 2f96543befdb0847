"""The data of the page that deals a round again: the cards in dealing order, and their hands."""

import json
from collections.abc import Iterator
from decimal import Decimal
from random import Random
from urllib.parse import parse_qs, urlsplit

import pytest
from django.utils import translation

from apps.accounts.models import Role
from apps.blackjack.apps import GAME_ID as BLACKJACK
from apps.blackjack.engine.actions import Action, Move, insurance_range, legal_actions
from apps.blackjack.engine.play import apply_action, round_start
from apps.blackjack.engine.rules import BlackjackRules, Insurance, Surrender
from apps.blackjack.engine.setup import RoundSetup, SeatStakes
from apps.blackjack.engine.state import Phase, RoundState
from apps.blackjack.explain import cards_dealt
from apps.blackjack.messages import inbound_read
from apps.blackjack.services import SeatedSession, round_action_take
from apps.fairness.engine import FairShoe, fair_shoe
from apps.portal.replay import proof_of
from apps.portal.selectors import round_get
from apps.rounds.explanation import Dealt
from apps.rounds.game_sessions import game_session_open
from apps.rounds.models import Round
from apps.rounds.selectors import round_explain
from apps.rounds.services import round_void, seeds_rotate
from tests.support.blackjack import blackjack_offer, seeds_choose, values_are
from tests.support.factories import player_make, staff_make
from tests.support.loop import run

SEED = "0123456789abcdef" * 4
OPTIONS = [
    pytest.param(BlackjackRules(split_non_ace=3, split_ace=3), id="splits"),
    pytest.param(BlackjackRules(surrender=Surrender.EARLY, insurance=Insurance.UP_TO_HALF), id="early-surrender"),
    pytest.param(BlackjackRules(dealer_peek=False, surrender=Surrender.OFF), id="no-hole-card"),
    pytest.param(BlackjackRules(decks=1, simple=True), id="simple"),
]


def place(dealt: Dealt) -> tuple[list[str], list[list[str]]]:
    """Place the cards as the page does: the dealer's, and each hand's."""
    dealer: list[str] = []
    hands: list[list[str]] = [[]]
    cards: Iterator[str] = iter(dealt.cards)
    for place in dealt.places:
        if place in {"D", "H"}:
            dealer.append(next(cards))
        elif place.endswith("/"):
            hands.insert(int(place[:-1]), [hands[int(place[:-1]) - 1].pop()])
        else:
            hands[int(place) - 1].append(next(cards))
    assert list(cards) == []
    return dealer, hands


def round_played(rules: BlackjackRules, shoe: FairShoe, chance: Random) -> tuple[RoundState, Dealt]:
    """Play one round with random legal moves, and split every pair."""
    state, events = round_start(RoundSetup(rules, (SeatStakes(10),)), shoe)
    log = [*events]
    while state.phase is not Phase.SETTLED:
        moves = legal_actions(state, None)
        move = Move.SPLIT if Move.SPLIT in moves else chance.choice(moves)
        insurance = insurance_range(state, None)[-1] if move is Move.INSURE else 0
        state, events = apply_action(state, Action(move, insurance=insurance), shoe)
        log += events
    hole_index = state.hole_index if rules.dealer_peek else None
    return state, cards_dealt(log, hole_index=hole_index)


@pytest.mark.parametrize("rules", OPTIONS)
def test_the_cards_are_the_shoe_s_and_have_their_recorded_hands(rules: BlackjackRules) -> None:
    chance = Random(7)
    hand_counts = set()
    for nonce in range(300):
        shoe = fair_shoe(SEED, "punto", nonce, decks=rules.decks)
        state, dealt = round_played(rules, shoe, chance)
        assert dealt.cards == [shoe[index].code for index in range(state.drawn)]
        dealer, hands = place(dealt)
        assert dealer == [card.code for card in state.dealer]
        assert hands == [[card.code for card in hand.cards] for hand in state.seats[0].hands]
        hand_counts.add(len(hands))
    assert hand_counts == ({1} if rules.simple else set(range(1, rules.split_non_ace + 2)))


@pytest.mark.usefixtures("committed")
def test_a_hole_card_that_was_never_shown_has_no_place() -> None:
    player = player_make(balance=Decimal(100))
    blackjack_offer(player.partner)
    seeds_choose(player, values_are(2, 6, 3), cards=3)
    session, _ = game_session_open(player=player, game=BLACKJACK, currency_code="FUN")
    for action in ("Bet", "Hit"):
        message = {"eventType": "RoundAction", "gameId": BLACKJACK, "action": action, "eventId": action}
        text = json.dumps(message | {"data": {"betAmount": 2.5}})
        run(round_action_take(seated=SeatedSession(session.pk, ""), message=inbound_read(text)))
    round_void(operator=staff_make(Role.OPERATOR), round=Round.objects.get(), reason="test")
    seeds_rotate(player=player, client_seed="another")
    played = round_get(player, Round.objects.get().pk)
    explanation = round_explain(played)
    dealt = explanation.dealt
    assert (dealt.cards[3], dealt.places) == ("?", ["1", "D", "1", "H", "1"])
    with translation.override("de"):
        assert explanation.steps[0].text.startswith("2,5 gesetzt")
    fields = parse_qs(urlsplit(proof_of(explanation).verify_url).fragment)
    assert (fields["cards"], fields["places"]) == ([" ".join(dealt.cards)], ["1 D 1 H 1"])
