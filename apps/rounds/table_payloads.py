"""The parts of the messages' payloads that all games share (docs/tables.md). Pure.

A game extends these structs in its `table.py` or a module beside it. The tables' engine and the game build the payloads
as dictionaries; the JSON Schemas of the specification are generated from the structs.
"""

from decimal import Decimal
from enum import Enum
from typing import Annotated, Final

import msgspec
from msgspec import UNSET, Meta, UnsetType

from apps.rounds.table_message_types import (
    Amount,
    ClientSeed,
    Contribution,
    Milliseconds,
    PlayerId,
    RoundId,
    Seat,
    SeedHash,
    ServerSeed,
    ShoeCounts,
    SignedAmount,
)

NUMBERS: Final = (Decimal,)
"""The types that msgspec leaves unconverted besides those of JSON."""
PREVIOUS_RESULTS: Final = 20
"""The most results that a window lists."""

Name = Annotated[str, Meta(max_length=64)]


class Payload(msgspec.Struct, rename="camel", kw_only=True, forbid_unknown_fields=True):
    """An object on the wire; the fields have the wire's names."""


# The `payload` of a client's `submit_action`


class Action(msgspec.Struct, rename="camel", tag_field="action", kw_only=True):
    """An action; its fields are those of the game. Unknown fields are ignored."""


class ClearBets(Action, tag="clear_bets"):
    """Take all stakes back while the window is open."""


class Ready(Action, tag="ready"):
    """Let the window end as soon as all seats are ready."""


class NoBet(Action, tag="no_bet"):
    """Say that no stake is placed; without effect."""


# Offers


class OfferedAction(msgspec.Struct, rename="camel", tag_field="type", kw_only=True, forbid_unknown_fields=True):
    """An action that may be sent now."""


class ClearBetsOffer(OfferedAction, tag="clear_bets"):
    """All stakes may be taken back."""


class ReadyOffer(OfferedAction, tag="ready"):
    """The seat may say that it is ready."""


class NoBetOffer(OfferedAction, tag="no_bet"):
    """The seat may stake nothing."""


class TablePhaseName(Enum):
    """`phase` of a public state."""

    WAITING = "waiting"
    BETTING = "betting"
    PLAYING = "playing"
    PAUSE = "pause"
    CLOSED = "closed"


class SeatContribution(Payload):
    """A seat's contribution to the client seed of a round."""

    seat: Seat
    client_seed: Contribution


class WindowPayload(Payload):
    """`betting_window_open`; the game adds `availableActions` and `previousResults`."""

    round_id: RoundId
    round_number: Annotated[int, Meta(ge=1)]
    deadline: Milliseconds
    """The latest closing time of the window, by the server's clock."""
    contributions: list[SeatContribution]
    """In seat order; joined with | they are the client seed."""


class OpenTurn(Payload):
    """A seat that has to decide."""

    seat: Seat
    deadline: Milliseconds


class SeatPayload(Payload):
    """A seat, as everybody at the table sees it; the game adds its cards and bets."""

    seat: Seat
    player_id: PlayerId
    display_name: str
    bot: bool
    """Whether a practice bot of the house sits there."""
    ready: bool
    staked: bool
    """Whether it takes part in the round."""
    stakes: dict[str, Amount] | None
    """By bet; null while they are hidden."""
    points: int | UnsetType = UNSET
    """The score at a points table."""


class StatePayload(Payload, kw_only=True):
    """The public state; the game adds `seats` and its cards."""

    phase: TablePhaseName
    round_id: RoundId | None
    round_number: Annotated[int, Meta(ge=0)]
    deadline: Milliseconds | None
    """The end of the window or the pause."""
    turns: list[OpenTurn]
    chain_commitment: SeedHash
    chain_first_round: Annotated[int, Meta(ge=1)]
    cards_left: Annotated[int, Meta(ge=0)] | None
    """The cards left in the shoe at the beginning of the round; null: infinite decks."""
    is_closing: bool | UnsetType = UNSET
    """True if the table closes after this round's pause."""


class RoundWinner(Payload):
    """A player whose payout exceeds the stakes."""

    player_id: PlayerId
    gross_amount: Amount
    """The payout, stakes included."""
    rake: Amount
    net_amount: Amount


class SeatOutcomePayload(Payload):
    """A seat's result of a round; the game adds `hands`."""

    seat: Seat
    player_id: PlayerId
    stakes: Amount
    """All bets, side bets and insurance included."""
    payout: SignedAmount
    """The payout of all of them."""
    net: SignedAmount
    """The change of the balance."""


class FairnessProof(Payload):
    """The data from which the round is dealt again."""

    server_seed: ServerSeed
    client_seed: ClientSeed
    nonce: Annotated[int, Meta(ge=1)]
    shoe: ShoeCounts | None
    algorithm: Annotated[str, Meta(extra_json_schema={"const": "punto-hmac-sha256-v1"})]


class ResultPayload(Payload):
    """`round_result`; the game adds `results` and the cards."""

    round_id: RoundId
    round_number: Annotated[int, Meta(ge=1)]
    winners: list[RoundWinner]
    total_rake: Amount
    fairness_proof: FairnessProof


class BroadcastPayload(Payload):
    """`player_action_broadcast`; the game adds `resultingState`, its public state."""

    player_id: PlayerId
    seat: Seat
    action: Name
    amount: Amount | UnsetType = UNSET
    bet_type: Name | UnsetType = UNSET
    timeout: bool | UnsetType = UNSET
    """True for the default action after a time-out."""
