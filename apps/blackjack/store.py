"""Loads the context of an action with one statement and writes its result with another; contains no rules.

Both are SQL functions (migrations/0008_paytable.sql, 0014_ended_after_start.sql). Nothing is locked in between: the
second writes only if what the first has read is still current.
"""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final
from uuid import UUID

import msgspec
from msgspec.structs import replace

from apps.blackjack.engine.codec import from_json, to_json
from apps.blackjack.engine.events import Event
from apps.blackjack.engine.setup import RoundSetup
from apps.blackjack.engine.state import RoundState
from apps.core.errors import InsufficientFunds, MovementRepeated, StaleState
from apps.core.money import quantum_of
from apps.core.postgres_pool import Executor, Transaction
from apps.fairness.engine import FairShoe, fair_shoe
from apps.fairness.seed_encryption import seed_decrypt
from apps.rounds.models import ActedBy, RoundEnd


class ActionContext(msgspec.Struct, frozen=True, gc=False):
    """Everything read before an action, in one statement. Amounts are in units of the currency."""

    is_session_live: bool
    is_taken_over: bool
    may_stake: bool | None
    """Whether player, partner and wallet are active; None if only the round was read (see `may_stake_load`)."""
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
    """The `RoundSetup` of an open round, else the partner's terms; None if blackjack is not offered."""
    terms_id: int | None
    config_version: int
    limits_text: str | None
    seed_pair_id: int
    sealed_seed: bytes
    commitment: str
    client_seed: str
    nonce: int
    paytable_id: int | None
    last_action: "ActionRecord | None" = None
    """The open round's last action if this process has just written it; the texts are older then."""

    def __repr__(self) -> str:
        """Omit the seed, even though it is encrypted."""
        return f"<ActionContext of player {self.player_id}, round {self.round_id}, nonce {self.nonce}>"

    @property
    def quantum(self) -> Decimal:
        return quantum_of(self.decimals)

    @property
    def funds(self) -> int:
        """The balance in smallest units."""
        return int(self.balance / self.quantum)

    def shoe(self, decks: int) -> FairShoe:
        """Return the round's shoe, dealt again from the encrypted seed: hidden cards are not stored."""
        seed = seed_decrypt(self.sealed_seed, commitment=self.commitment)
        return fair_shoe(seed, self.client_seed, self.nonce, decks=decks)

    def state(self) -> RoundState:
        """Return the state of the open round."""
        if self.last_action is not None:
            return self.last_action.state
        assert self.state_text is not None
        return state_read(msgspec.json.decode(self.state_text), self.setup())

    def setup(self) -> RoundSetup:
        """Return the open round's setup."""
        if self.last_action is not None:
            return self.last_action.setup
        assert self.terms_text is not None
        return _setup_read(self.terms_text)

    def after_action(self, record: "ActionRecord", balance: Decimal) -> "ActionContext":
        """Return the context of the next action on the open round of `record`."""
        return replace(
            self,
            may_stake=None,
            balance=balance,
            round_id=record.round_id,
            action_count=record.number,
            last_action=record,
        )

    def after_round(self, balance: Decimal) -> "ActionContext":
        """Return the context of the next bet after a round that began with this context."""
        return replace(self, balance=balance, nonce=self.nonce + 1)


class ActionRecord(msgspec.Struct, frozen=True, gc=False):
    """The result of an action, to be written."""

    round_id: UUID
    number: int
    setup: RoundSetup
    state: RoundState
    """The state after the action."""
    detail: bytes | None
    """The round's public outcome as JSON; None while it is open."""
    acted_by: ActedBy
    action: dict[str, Any]
    events: Sequence[Event]
    debit: Decimal
    credit: Decimal
    how_ended: RoundEnd


class StoredActionAnswer(msgspec.Struct, frozen=True, gc=False):
    """The answer that is stored with a player's action under the client's key, and the connection that it is for."""

    session_id: int
    socket: str
    event_id: str
    body_hash: bytes
    answer: bytes


async def action_context_load(
    executor: Executor, *, is_bet: bool, session_id: int, socket: str, event_id: str
) -> ActionContext | None:
    """Return the context of an action of the session's player; None for an unknown session.

    `socket` is the calling connection, `event_id` the key of a stored answer. For a bet only the id of an open round is
    loaded. Raises Unavailable.
    """
    item = {"session_id": session_id, "socket": socket, "key": event_id}
    row = await executor.query(_BET_CONTEXTS_LOAD if is_bet else _MOVE_CONTEXTS_LOAD, item)
    return None if row is None else ActionContext(*row)


async def platform_context_load(executor: Executor, *, round_id: UUID) -> ActionContext | None:
    """Return the same for an action of the platform; None if the round is not open. Raises Unavailable."""
    row = await executor.query("SELECT * FROM blackjack_platform_contexts_load($1)", {"round_id": round_id})
    return None if row is None else ActionContext(*row)


async def may_stake_load(executor: Executor, context: ActionContext) -> bool:
    """Return whether player, partner and wallet are active, so that a stake may be taken. Raises Unavailable.

    It is not read for all actions because few raise the stake.
    """
    if context.may_stake is not None:
        return context.may_stake
    item = {"wallet_id": context.wallet_id}
    return await executor.query("SELECT * FROM blackjack_may_stake($1)", item) == (True,)


async def is_idle_load(transaction: Transaction, *, round_id: UUID, idle_before: datetime) -> bool:
    """Return whether the round has had no action since then. Raises Unavailable."""
    sql = "SELECT FROM blackjack_round WHERE round_id = $1 AND acted_at < $2"
    return bool(await transaction.fetch(sql, round_id, idle_before))


async def balance_load(
    executor: Executor, *, session_id: int, socket: str, currency_code: str
) -> tuple[bool, bool, Decimal | None] | None:
    """Return whether the session is valid, whether another socket has taken it over, and the player's balance.

    The balance is None if there is no wallet; returns None for an unknown session. Raises Unavailable.
    """
    item = {"session_id": session_id, "socket": socket, "currency": currency_code}
    return await executor.query("SELECT * FROM blackjack_balances_load($1)", item)


async def action_lock(transaction: Transaction, context: ActionContext) -> None:
    """Lock the rows that an action changes until the end of the transaction.

    `context` may be outdated afterwards: load it again. Raises Busy, Unavailable.
    """
    await transaction.fetch("SELECT FROM wallet WHERE id = $1 FOR UPDATE", context.wallet_id)
    if context.round_id is not None:
        await transaction.fetch("SELECT FROM blackjack_round WHERE round_id = $1 FOR UPDATE", context.round_id)
    # If a rotation commits during the wait, no row is returned; a second statement finds the new active pair.
    elif not await transaction.fetch(_SEED_PAIR_LOCK, context.player_id):
        await transaction.fetch(_SEED_PAIR_LOCK, context.player_id)


async def action_save(
    executor: Executor,
    context: ActionContext,
    *,
    record: ActionRecord,
    stored: StoredActionAnswer | None = None,
) -> None:
    """Write the round, its action, the movements of money and the stored answer in one transaction.

    Only an action of the platform has no answer. Locks without waiting the wallet if money moves, the seed
    pair for a first action, and the round. Raises StaleState if anything of `context` is outdated or they are locked,
    Busy, or GameDisabled: nothing is written. Raises Unavailable: the action may have been written or not.
    """
    item: dict[str, object] = {
        "round": record.round_id,
        "number": record.number,
        "player": context.player_id,
        "wallet": context.wallet_id,
        "balance": context.balance,
        "state": state_write(record.state),
        "acted_by": record.acted_by.value,
        "action": record.action,
        "events": [to_json(event) for event in record.events],
        "debit": record.debit,
        "credit": record.credit,
        "how_ended": record.how_ended.value,
    }
    if record.number == 1:
        item |= {
            "partner": context.partner_id,
            "currency": context.currency,
            "seed_pair": context.seed_pair_id,
            "commitment": context.commitment,
            "client_seed": context.client_seed,
            "nonce": context.nonce,
            "config_version": context.config_version,
            "terms_id": context.terms_id,
            "paytable": context.paytable_id,
            # Beside a pay table, without the rules and odds, which are in it.
            "terms": to_json(record.setup, without=() if context.paytable_id is None else ("rules", "odds")),
        }
    if record.detail is not None:
        item["detail"] = msgspec.Raw(record.detail)
    if stored is not None:
        item |= {
            "session": stored.session_id,
            "socket": stored.socket,
            "decimals": context.decimals,
            "key": stored.event_id,
            "body_hash": stored.body_hash,
            "answer": stored.answer,
        }
    try:
        row = await executor.query("SELECT * FROM blackjack_actions_save($1)", item)
    except (InsufficientFunds, MovementRepeated):
        row = None  # In the loaded context the balance covered the stakes and no action of this number had moved money.
    if row != (True,):
        raise StaleState("another action was faster; try again in a moment")


def state_write(state: RoundState) -> dict[str, Any]:
    """Return the stored form of a state: all but the rules, which are in the round's terms."""
    return to_json(state, without=("rules",))


def state_read(stored: dict[str, Any], setup: RoundSetup) -> RoundState:
    """Return the state written by `state_write` for a round with this setup."""
    return from_json(RoundState, stored | {"rules": setup.rules})


@lru_cache(maxsize=1024)
def _setup_read(text: str) -> RoundSetup:
    # Many rounds have the same setup: rules and odds are the partner's, stakes are round numbers.
    return from_json(RoundSetup, msgspec.json.decode(text))


_BET_CONTEXTS_LOAD: Final = "SELECT * FROM blackjack_bet_contexts_load($1)"
_MOVE_CONTEXTS_LOAD: Final = "SELECT * FROM blackjack_move_contexts_load($1)"
_SEED_PAIR_LOCK: Final = "SELECT FROM seed_pair WHERE player_id = $1 AND status = 'active' FOR UPDATE"
