"""What a seat of a table may see of a round. Pure."""

import msgspec

from apps.blackjack.engine.actions import Move, legal_actions
from apps.blackjack.engine.state import Phase, RoundState, SeatState, seats_to_act
from apps.blackjack.engine.value import hand_value
from apps.cards.card import Card


class RoundView(msgspec.Struct, frozen=True, gc=False):
    """An open view of a round. Amounts are integers in smallest units."""

    phase: Phase
    dealer: tuple[Card, ...]
    dealer_value: int
    """Of the cards shown."""
    has_hidden_hole: bool
    """A card lies face down; nothing here says which."""
    seats: tuple[SeatState, ...]
    seats_to_act: tuple[int, ...]
    moves: tuple[Move, ...]
    """What the viewer's seat may do now."""


def public_view(state: RoundState, seat: int | None, *, funds: int | None = None) -> RoundView:
    """Return what `seat` may see and do; without a seat, what an onlooker may see.

    A state holds no hidden card. What is kept from a seat is what the others answered to a question that is
    still being asked: all are asked at once. `funds` as in `legal_actions`.
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
