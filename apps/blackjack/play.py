"""The two database calls of an action, typed: what is read under the locks, and what is written.

See migrations/0002_play.sql. No rule stands here.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final
from uuid import UUID

import msgspec
from psycopg.types.numeric import Int4, Int8

from apps.blackjack.engine.codec import from_json, to_json
from apps.blackjack.engine.events import Event
from apps.blackjack.engine.setup import RoundSetup
from apps.blackjack.engine.state import RoundState
from apps.core.database import prepared_row
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
        return from_json(RoundState, msgspec.json.decode(self.state_text))

    def setup(self) -> RoundSetup:
        """Return what the open round was started with."""
        assert self.terms_text is not None
        return _setup_read(self.terms_text)


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
    parameters = {
        "session": None if session_id is None else Int8(session_id),
        "socket": socket,
        "round": round_id,
        "event": event_id,
    }
    return Desk(*prepared_row(_OPEN, parameters))


def step_save(*, desk: Desk, session_id: int | None, step: Step, kept: Kept | None) -> None:
    """Write the round, its action, the movements of money and the stored answer, in the caller's transaction."""
    prepared_row(
        _SAVE,
        {
            "round": step.round_id,
            "number": Int4(step.number),
            "session": None if session_id is None else Int8(session_id),
            "partner": Int8(desk.partner_id),
            "player": Int8(desk.player_id),
            "currency": desk.currency,
            "wallet": Int8(desk.wallet_id or 0),
            "balance": desk.balance,
            "seed_pair": Int8(desk.seed_pair_id),
            "nonce": Int8(desk.nonce),
            "config_version": Int8(desk.config_version),
            "terms_id": Int8(desk.terms_id or 0),
            "terms": _text(to_json(step.setup)) if step.number == 1 else None,
            "state": _text(to_json(step.state)),
            "detail": step.detail.decode(),
            "acted_by": step.acted_by.value,
            "action": _text(step.action),
            "events": _text([to_json(event) for event in step.events]),
            "debit": step.debit,
            "credit": step.credit,
            "how_ended": step.how_ended.value,
            "event_id": kept.event_id if kept else None,
            "body_hash": kept.body_hash if kept else None,
            "answer": kept.answer if kept else None,
        },
    )


@lru_cache(maxsize=1024)
def _setup_read(text: str) -> RoundSetup:
    # Many rounds are started with the same: rules and odds are the partner's, stakes are round numbers.
    return from_json(RoundSetup, msgspec.json.decode(text))


def _text(value: object) -> str:
    return _json.encode(value).decode()


_json: Final = msgspec.json.Encoder()

_OPEN: Final = "SELECT * FROM blackjack_play_open(%(session)s::bigint, %(socket)s, %(round)s::uuid, %(event)s)"
_SAVE: Final = """
SELECT blackjack_play_save(
    %(round)s, %(number)s, %(session)s::bigint, %(partner)s, %(player)s, %(currency)s, %(wallet)s, %(balance)s,
    %(seed_pair)s, %(nonce)s, %(config_version)s, %(terms_id)s, %(terms)s, %(state)s, %(detail)s, %(acted_by)s,
    %(action)s, %(events)s, %(debit)s, %(credit)s, %(how_ended)s, %(event_id)s, %(body_hash)s, %(answer)s
)"""
