"""The payloads of blackjack's messages at tables. Pure."""

from typing import Annotated, Final, Literal

from msgspec import UNSET, Meta, UnsetType

from apps.blackjack.engine.side_bets import SideBet, SideBetOutcome
from apps.blackjack.engine.state import HandStatus
from apps.rounds.table_game import TableMessages
from apps.rounds.table_message_types import Amount, SignedAmount, TableCard
from apps.rounds.table_payloads import (
    Action,
    BroadcastPayload,
    ClearBets,
    ClearBetsOffer,
    NoBet,
    NoBetOffer,
    OfferedAction,
    Payload,
    Ready,
    ReadyOffer,
    ResultPayload,
    SeatOutcomePayload,
    SeatPayload,
    StatePayload,
    WindowPayload,
)

HandIndex = Annotated[int, Meta(ge=0, le=3)]
TableHandStatus = Annotated[
    str, Meta(extra_json_schema={"title": "TableHandStatus", "enum": [status.value for status in HandStatus]})
]
"""The solo socket's document has a `HandStatus` of its own: the ends of hands alone."""


class BlackjackPlaceBet(Action, tag="place_bet", kw_only=True):
    """Stake before the deal; it replaces the seat's present stakes."""

    amount: Amount
    perfect_pairs: Amount = 0
    poker: Amount = 0


class Hit(Action, tag="hit"):
    """Take a card."""


class Stand(Action, tag="stand"):
    """Take no further card. As the answer to insurance or early surrender: decline."""


class DoubleDown(Action, tag="double_down"):
    """Double the stake of the hand, take one card, and stand."""


class Split(Action, tag="split"):
    """Make two hands of a pair, with the same stake on the second."""


class Surrender(Action, tag="surrender"):
    """Give the hand up for half of its stake."""


class Insurance(Action, tag="insurance", kw_only=True):
    """Insure against a natural of the dealer; half of the stake if no amount is given."""

    amount: Amount | None = None


class Span(Payload):
    """The lowest and the highest amount."""

    min_amount: Amount
    max_amount: Amount


class BlackjackPlaceBetOffer(OfferedAction, tag="place_bet", kw_only=True):
    """A stake may be placed, with the side bets that are listed."""

    min_amount: Amount
    max_amount: Amount
    step: Annotated[int, Meta(ge=1, description="Stakes are multiples of it.")] | UnsetType = UNSET
    perfect_pairs: Span | UnsetType = UNSET
    poker: Span | UnsetType = UNSET


class HitOffer(OfferedAction, tag="hit"):
    """A card may be taken."""


class StandOffer(OfferedAction, tag="stand"):
    """The hand may stand, or the question may be declined."""


class DoubleDownOffer(OfferedAction, tag="double_down", kw_only=True):
    """The stake may be doubled; the amounts are the cost."""

    min_amount: Amount
    max_amount: Amount


class SplitOffer(OfferedAction, tag="split", kw_only=True):
    """The pair may be split; the amounts are the cost."""

    min_amount: Amount
    max_amount: Amount


class SurrenderOffer(OfferedAction, tag="surrender"):
    """The hand may be given up."""


class InsuranceOffer(OfferedAction, tag="insurance", kw_only=True):
    """Insurance may be taken."""

    min_amount: Amount
    max_amount: Amount


WindowOffer = BlackjackPlaceBetOffer | ClearBetsOffer | ReadyOffer | NoBetOffer
TurnOffer = HitOffer | StandOffer | DoubleDownOffer | SplitOffer | SurrenderOffer | InsuranceOffer


class DealerHand(Payload):
    """The dealer's face-up cards."""

    cards: list[TableCard]
    value: int
    face_down: Annotated[int, Meta(ge=0, le=1)]
    """The number of face-down cards."""


class BlackjackHand(Payload):
    """A hand of a seat."""

    cards: list[TableCard]
    value: int
    stake: Amount
    status: TableHandStatus
    split: bool
    payout: SignedAmount | UnsetType = UNSET
    """The payout, stake included, once the hand is settled."""


class BlackjackInsurance(Payload):
    """A seat's insurance."""

    stake: Amount
    status: Literal["pending", "won", "lost"]
    payout: SignedAmount


class BlackjackSideBet(Payload):
    """A side bet, settled by the deal."""

    bet: SideBet
    stake: Amount
    outcome: SideBetOutcome
    payout: Amount


class BlackjackPrevious(Payload):
    """A round of this shoe."""

    round_number: int
    dealer: DealerHand


class BlackjackWindow(WindowPayload):
    """`betting_window_open`."""

    available_actions: list[WindowOffer]
    previous_results: list[BlackjackPrevious]


class BlackjackSeat(SeatPayload):
    """A seat with its hands; the highest index is played first."""

    hands: list[BlackjackHand] | UnsetType = UNSET
    hand_index: HandIndex | UnsetType | None = UNSET
    """The hand that is played now."""
    insurance: BlackjackInsurance | UnsetType = UNSET
    side_bets: list[BlackjackSideBet] | UnsetType = UNSET


class BlackjackOutcome(SeatOutcomePayload):
    """A seat's result of a round."""

    hands: list[BlackjackHand]
    insurance: BlackjackInsurance | UnsetType = UNSET
    side_bets: list[BlackjackSideBet] | UnsetType = UNSET


class BlackjackState(StatePayload):
    """The public state."""

    seats: list[BlackjackSeat]
    results: list[BlackjackOutcome]
    """The results of the round whose cards are shown during the pause."""
    dealer: DealerHand | UnsetType = UNSET
    previous_results: list[BlackjackPrevious] | UnsetType = UNSET


class BlackjackRequest(BlackjackState, kw_only=True):
    """`game_action_request`: the public state, and the possible actions."""

    hand_index: HandIndex
    available_actions: list[TurnOffer]


class BlackjackBroadcast(BroadcastPayload, kw_only=True):
    """`player_action_broadcast`."""

    perfect_pairs: Amount | UnsetType = UNSET
    poker: Amount | UnsetType = UNSET
    resulting_state: BlackjackState


class BlackjackResult(ResultPayload):
    """`round_result`."""

    results: list[BlackjackOutcome]
    dealer: DealerHand


MESSAGES: Final = TableMessages(
    action=BlackjackPlaceBet | ClearBets | Ready | NoBet | Hit | Stand | DoubleDown | Split | Surrender | Insurance,
    window=BlackjackWindow,
    request=BlackjackRequest,
    broadcast=BlackjackBroadcast,
    state=BlackjackState,
    result=BlackjackResult,
)
