"""A blackjack round played again, decision by decision.

The engine's states hold no hidden card, so an open round may be looked at too; the hole card that the dealer
never turned is added once the round is over.
"""

from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString

from apps.blackjack.engine.actions import Action, Move
from apps.blackjack.engine.codec import from_json, to_json
from apps.blackjack.engine.events import (
    DealerPeeked,
    Event,
    HandSettled,
    InsuranceDeclined,
    InsuranceSettled,
    SideBetSettled,
    StakeTaken,
)
from apps.blackjack.engine.play import apply_action, round_start
from apps.blackjack.engine.setup import RoundSetup
from apps.blackjack.engine.state import HandState, RoundState
from apps.blackjack.engine.value import hand_value
from apps.blackjack.engine.view import public_view
from apps.core.admin import amount_text
from apps.core.card_faces import card_back_html, card_html, cards_html
from apps.core.models import Currency
from apps.fairness.services import draw_again
from apps.office.replay.parts import Place, Replay, Step
from apps.rounds.models import Round, RoundAction, RoundEnd


def blackjack_replay(row: Round) -> Replay:
    """Return the round's steps as far as it went: the bet, then each decision of its log."""
    log = list(row.actions.order_by("number"))
    setup = from_json(RoundSetup, row.terms)
    shoe = draw_again(row.seed_pair, row.nonce).shoe(setup.rules.decks)
    is_same = True
    steps = []
    state: RoundState | None = None
    for entry in log:
        if state is None:
            state, events = round_start(setup, shoe)
        else:
            state, events = apply_action(state, _action(entry.action), shoe)
        is_same = is_same and [to_json(event) for event in events] == entry.events
        steps.append(_step(entry, state, events, row.currency))
    if state is not None and state.has_hidden_hole and row.how_ended != RoundEnd.OPEN:
        hole = Place("hole card", card_html(shoe[state.hole_index]))
        steps.append(Step("The hole card, never turned", "the dealer", (hole,)))
    return Replay(tuple(steps), is_same)


def _action(data: dict[str, Any]) -> Action:
    return Action(Move(data["move"]), data["seat"], data["insurance"])


def _step(entry: RoundAction, state: RoundState, events: tuple[Event, ...], currency: Currency) -> Step:
    notes = tuple(text for event in events if (text := _note(event, currency)))
    return Step(
        title=entry.action.get("wire", entry.action["move"]),
        by=f"{entry.get_acted_by_display()}, {entry.ctime:%H:%M:%S} UTC",
        places=_places(state, currency),
        notes=notes,
    )


def _places(state: RoundState, currency: Currency) -> tuple[Place, ...]:
    view = public_view(state, None)
    back = card_back_html() if view.has_hidden_hole else SafeString("")
    dealer = Place("dealer", format_html("{}{}", cards_html(view.dealer), back), f"{view.dealer_value}")
    hands = [
        Place(_hand_name(number, len(seat.hands)), cards_html(hand.cards), _hand_note(hand, currency))
        for seat in view.seats
        for number, hand in enumerate(seat.hands)
    ]
    return (dealer, *hands)


def _hand_name(number: int, count: int) -> str:
    return "player" if count == 1 else f"hand {number + 1}"


def _hand_note(hand: HandState, currency: Currency) -> str:
    stake = _amount(hand.stake, currency)
    payout = f", pays {_amount(hand.payout, currency)}" if hand.status.is_final else ""
    return f"{hand_value(hand.cards)}, {hand.status.value}, stake {stake}{payout}"


def _note(event: Event, currency: Currency) -> str:
    """Return in words what the cards alone do not show."""
    match event:
        case StakeTaken():
            return f"stake {_amount(event.amount, currency)} ({event.kind.value})"
        case SideBetSettled():
            result = event.result
            return f"side bet {result.bet.value}: {result.outcome.value}, pays {_amount(result.payout, currency)}"
        case InsuranceDeclined():
            return "no insurance"
        case DealerPeeked():
            return "the dealer looked: blackjack" if event.is_natural else "the dealer looked: no blackjack"
        case InsuranceSettled():
            return f"insurance {event.status.value.removeprefix('insurance_')}, pays {_amount(event.payout, currency)}"
        case HandSettled():
            return f"{event.status.value}, pays {_amount(event.payout, currency)}"
        case _:
            return ""


def _amount(units: int, currency: Currency) -> str:
    return amount_text(units * currency.quantum, currency)
