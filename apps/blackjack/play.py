"""The two database calls of an action, typed: what is read under the locks, and what is written.

See migrations/0002_play.sql. No rule stands here.
"""

import json as plain_json
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from django.db import connection

from apps.blackjack.engine.codec import from_json, to_json
from apps.blackjack.engine.events import Event
from apps.blackjack.engine.setup import RoundSetup
from apps.blackjack.engine.state import RoundState
from apps.core.money import quantum_of
from apps.fairness.engine import FairShoe, fair_shoe
from apps.fairness.sealing import unseal
from apps.rounds.models import ActedBy, RoundEnd


@dataclass(frozen=True, slots=True)
class Desk:
    """What `blackjack_play_open` read, under the locks of wallet and seed pair or round."""

    session_live: bool
    is_taken_over: bool
    may_play: bool
    """The player, the partner and the wallet are active."""
    partner_id: int
    player_id: int
    currency: str
    decimals: int
    wallet_id: int | None
    balance: Decimal
    stored_hash: bytes | None
    stored_answer: bytes | None
    round_id: UUID | None
    action_count: int
    state_text: str | None
    terms_text: str | None
    """Of an open round its `RoundSetup`; else the partner's terms; None where blackjack is not offered."""
    terms_id: int | None
    config_version: int
    limits_text: str | None
    seed_pair_id: int
    sealed_seed: bytes = field(repr=False)
    commitment: str
    client_seed: str
    nonce: int

    @property
    def quantum(self) -> Decimal:
        return quantum_of(self.decimals)

    @property
    def funds(self) -> int:
        """The balance in smallest units."""
        return int(self.balance / self.quantum)

    def shoe(self, decks: int) -> FairShoe:
        """Return the round's shoe, dealt again from the sealed seed: no hidden card is stored anywhere."""
        seed = unseal(bytes(self.sealed_seed), commitment=self.commitment)
        return fair_shoe(seed, self.client_seed, self.nonce, decks=decks)

    def state(self) -> RoundState:
        """Return the state of the open round."""
        assert self.state_text is not None
        return from_json(RoundState, plain_json.loads(self.state_text))

    def setup(self) -> RoundSetup:
        """Return what the open round was started with."""
        assert self.terms_text is not None
        return from_json(RoundSetup, plain_json.loads(self.terms_text))


@dataclass(frozen=True, slots=True)
class Step:
    """One action, carried out: what is to be written."""

    round_id: UUID
    number: int
    setup: RoundSetup
    state: RoundState
    detail: bytes
    acted_by: ActedBy
    action: dict[str, Any]
    events: Sequence[Event]
    debit: Decimal
    credit: Decimal
    how_ended: RoundEnd


@dataclass(frozen=True, slots=True)
class Kept:
    """The answer that is stored with the step, under the client's key."""

    event_id: str
    body_hash: bytes
    answer: bytes


def desk_open(
    *, session_id: int | None, socket: str, round_id: UUID | None = None, event_id: str | None = None
) -> Desk:
    """Lock wallet, then seed pair or open round, and return what an action needs to know.

    With a `session_id` it is the session's player's; without one the open round's of that id (the platform acts).
    Needs the caller's transaction.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM blackjack_play_open(%s, %s, %s, %s)", [session_id, socket, round_id, event_id])
        return Desk(*cursor.fetchone())


def step_save(*, desk: Desk, session_id: int | None, step: Step, kept: Kept | None) -> None:
    """Write the round, its action, the movements of money and the stored answer, in the caller's transaction."""
    parameters: list[Any] = [
        step.round_id,
        step.number,
        session_id,
        desk.partner_id,
        desk.player_id,
        desk.currency,
        desk.wallet_id,
        desk.balance,
        desk.seed_pair_id,
        desk.nonce,
        desk.config_version,
        desk.terms_id,
        _text(to_json(step.setup)) if step.number == 1 else None,
        _text(to_json(step.state)),
        step.detail.decode(),
        step.acted_by.value,
        _text(step.action),
        _text([to_json(event) for event in step.events]),
        step.debit,
        step.credit,
        step.how_ended.value,
        kept.event_id if kept else None,
        kept.body_hash if kept else None,
        kept.answer if kept else None,
    ]
    with connection.cursor() as cursor:
        cursor.execute(_SAVE, parameters)


def _text(value: object) -> str:
    return plain_json.dumps(value, separators=(",", ":"))


_SAVE: Final = "SELECT blackjack_play_save(" + ", ".join(["%s"] * 24) + ")"
