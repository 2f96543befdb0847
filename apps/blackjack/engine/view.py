"""The view of a round for a seat. It cannot show the hole card: a state (state.py) contains no hidden card. Pure."""

import msgspec

from apps.blackjack.engine.actions import Move, legal_actions
from apps.blackjack.engine.state import Phase, RoundState, SeatState, seats_to_act
from apps.blackjack.engine.value import hand_value
from apps.cards.card import Card


class RoundView(msgspec.Struct, frozen=True, gc=False):
    """A view of a round. Amounts are integers in smallest units."""

    phase: Phase
    dealer: tuple[Card, ...]
    dealer_value: int
    """The value of the shown cards."""
    has_hidden_hole: bool
    """Whether there is a face-down card, which the view does not contain."""
    seats: tuple[SeatState, ...]
    seats_to_act: tuple[int, ...]
    moves: tuple[Move, ...]
    """The legal moves of the viewer's seat."""


def public_view(state: RoundState, seat: int | None, *, funds: int | None = None) -> RoundView:
    """Return the view and the legal moves of `seat`; without a seat, the view of an onlooker.

    A state contains no hidden card. The view only hides the other seats' answers to the current question, since all
    seats are asked at once. `funds` is the same as in `legal_actions`.
    """
    moves: tuple[Move, ...] = ()
    if seat is not None and state.phase is not Phase.SETTLED:
        moves = legal_actions(state, funds, seat)
    return RoundView(
        phase=state.phase,
        dealer=state.dealer,
        dealer_value=hand_value(state.dealer),
        has_hidden_hole=state.has_hidden_hole,
        seats=tuple(
            other if index == seat or state.phase is not Phase.QUESTION else _unanswered(other)
            for index, other in enumerate(state.seats)
        ),
        seats_to_act=tuple(seats_to_act(state)),
        moves=moves,
    )


def _unanswered(seat: SeatState) -> SeatState:
    return msgspec.structs.replace(seat, insurance=None)
