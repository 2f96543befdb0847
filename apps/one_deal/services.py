"""Places the bets of a one-deal game: checks, deals, settles and stores them.

bet_limits.py checks the bets and their stakes, and `_context_load` whether the player may bet: with a valid
session, and not while the player or the partner is blocked.
"""

from contextlib import suppress
from typing import NamedTuple

from msgspec.structs import replace

from apps.core.errors import (
    AuthenticationFailed,
    IdempotencyKeyReused,
    InvalidCurrency,
    PlayerBlocked,
    Refused,
    StaleState,
    shortened,
)
from apps.core.money import quantum_of
from apps.core.player_changes import player_changed_now
from apps.core.postgres_pool import Executor, pool
from apps.one_deal.bet_limits import stakes_check
from apps.one_deal.context_cache import ContextKey, context_keep, kept_contexts
from apps.one_deal.engine import bets_settle
from apps.one_deal.messages import Slip, bet_answer
from apps.one_deal.one_deal_game import OneDealGame
from apps.one_deal.store import BetContext, StoredBetAnswer, bet_context_load, bet_lock, bet_save
from apps.rounds.bettor_identity import Bettor
from apps.rounds.round_ids import round_id_make


async def bet_place(game: OneDealGame, *, bettor: Bettor, slip: Slip) -> bytes:
    """Deal one round for the bets of `slip`, settle and record it, all in one transaction. Returns the answer's JSON.

    If the idempotency key has an answer already, returns that answer and changes nothing. Locks the wallet and the seed
    pair while it writes. Commits by itself.

    Raises AuthenticationFailed, IdempotencyKeyReused, a Refused or Busy: nothing has changed, the nonce included.
    Raises Unavailable: the round may have been written or not.
    """
    key = ContextKey(game.name, bettor, slip.currency)
    kept = kept_contexts.pop(key, None)
    settled = None
    if kept is not None:
        # A kept context may be outdated, so it is no reason for a refusal.
        with suppress(StaleState, Refused):
            settled = await _round_settle(game, pool(), kept, slip)
    if settled is None:
        settled = await _loaded_settle(game, bettor, slip)
    if settled.next_context is not None:
        context_keep(key, settled.next_context)
    player_changed_now(settled.player_id)
    return settled.answer


class _Settled(NamedTuple):
    answer: bytes
    player_id: int
    next_context: BetContext | None
    """The context of the player's next bet; None after an answer that was stored before."""


async def _loaded_settle(game: OneDealGame, bettor: Bettor, slip: Slip) -> _Settled:
    context = await _context_load(game, pool(), bettor, slip)
    try:
        return await _round_settle(game, pool(), context, slip)
    except StaleState:
        # Another bet of this player was faster. Lock first this time, so that other bets wait.
        async with pool().transaction() as transaction:
            await bet_lock(transaction, context)
            context = await _context_load(game, transaction, bettor, slip)
            return await _round_settle(game, transaction, context, slip)


async def _context_load(game: OneDealGame, executor: Executor, bettor: Bettor, slip: Slip) -> BetContext:
    """Return the bettor's context if they may bet. Raises AuthenticationFailed, PlayerBlocked, InvalidCurrency."""
    code = slip.currency
    if code is not None and not (code.isascii() and code.isalnum()):
        raise InvalidCurrency(f"currency: there is no currency {code[:20]!r}")
    key = slip.idempotency.key if slip.idempotency else None
    context = await bet_context_load(game, executor, bettor, currency=code, idempotency_key=key)
    if context is None:
        raise AuthenticationFailed("no valid player session for this game came with the request")
    match context.refusal:
        case "player":
            raise PlayerBlocked("this account is blocked; ask the operator")
        case "partner":
            raise PlayerBlocked("the casino of this account is closed; ask the operator")
        case "wallet":
            raise InvalidCurrency(f"currency: you have no wallet in {shortened(context.currency)}")
    return context


async def _round_settle(game: OneDealGame, executor: Executor, context: BetContext, slip: Slip) -> _Settled:
    """Check, deal, settle and store; return the answer, or the one stored for the key. Raises Refused, StaleState."""
    idempotency = slip.idempotency
    if idempotency and context.stored_answer is not None:
        if context.stored_hash != idempotency.body_hash:
            raise IdempotencyKeyReused("this Idempotency-Key was used before, with another body")
        return _Settled(context.stored_answer, context.player_id, None)
    stakes = stakes_check(game, context, slip)

    outcome = game.deal(context.shoe())
    results = bets_settle(game.settle, outcome, stakes, context.terms(game).odds, quantum=quantum_of(context.decimals))
    detail = game.outcome(outcome)
    round_id = round_id_make()
    balance = context.balance + sum([result.payout - result.stake for result in results])
    answer = bet_answer(game.sides, slip, context, round_id=round_id, detail=detail, results=results, balance=balance)
    stored = StoredBetAnswer(idempotency.key, idempotency.body_hash, answer) if idempotency else None
    await bet_save(game, executor, context, round_id=round_id, detail=detail, results=results, stored=stored)
    return _Settled(answer, context.player_id, replace(context, balance=balance, nonce=context.nonce + 1))
