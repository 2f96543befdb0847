"""What a bet is worked out from and what it comes to: one statement that reads, one that writes.

Nothing is locked in between. The second (migrations/0005_store.sql) writes only what still fits what the first read.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, NamedTuple
from uuid import UUID

from msgspec import Raw

from apps.baccarat.engine import BetResult
from apps.core.errors import InsufficientFunds, StaleState
from apps.core.pool import Asker, Transaction


@dataclass(frozen=True, slots=True)
class Bettor:
    """Who bets: the holder of a game session's token, or a logged-in user. Exactly one of the two is set."""

    token_hash: str | None = None
    user_id: int | None = None


class BetContext(NamedTuple):
    """What a bet is worked out from. Amounts are in units of the currency.

    `refusal` is empty, or why there is no bet: player, partner, wallet. Then what follows may be empty.
    """

    refusal: str
    player_id: int
    partner_id: int
    session_id: int | None
    currency: str
    decimals: int
    stored_hash: bytes | None
    stored_answer: bytes | None
    wallet_id: int
    balance: Decimal
    config_id: int | None
    config_version: int
    decks: int
    bet_min: Decimal
    bet_max: Decimal
    game_types: list[int] | None
    odds: list[Decimal] | None
    seed_pair_id: int
    commitment: str
    sealed_seed: bytes
    client_seed: str
    nonce: int

    def __repr__(self) -> str:
        """Leave the seed out, sealed though it is."""
        return f"<BetContext of player {self.player_id}, nonce {self.nonce}>"


async def bet_context_load(
    asker: Asker, bettor: Bettor, *, currency: str | None, idempotency_key: str | None
) -> BetContext | None:
    """Return what a bet is worked out from, all of one moment; None for a bettor without a valid session.

    Raises Unavailable.
    """
    item = {
        "token_hash": bettor.token_hash,
        "user_id": bettor.user_id,
        "currency": currency,
        "key": idempotency_key,
    }
    row = await asker.ask(_CONTEXTS_LOAD, item)
    return None if row is None else BetContext._make(row)


async def bet_lock(transaction: Transaction, context: BetContext) -> None:
    """Wait for the wallet and the seed pair that a bet is written to, and hold them to the transaction's end.

    What `context` says may have changed meanwhile: load it again. Raises Busy, Unavailable.
    """
    await transaction.fetch(_WALLET_LOCK, context.wallet_id)
    # A rotation that commits while this waits leaves no row; the new active pair is found by a new statement.
    if not await transaction.fetch(_SEED_PAIR_LOCK, context.player_id):
        await transaction.fetch(_SEED_PAIR_LOCK, context.player_id)


async def bet_settle(
    asker: Asker,
    context: BetContext,
    *,
    round_id: UUID,
    results: Sequence[BetResult],
    cards: tuple[list[str], list[str]],
    terms: bytes,
    detail: bytes,
    stored: tuple[str, bytes, bytes] | None,
) -> None:
    """Write a round of `results`: records, movements of the wallet, and the answer under its key.

    `cards` are the player's and the banker's, `terms` and `detail` JSON texts; `stored` is the idempotency key, the
    hash of its body and the answer. Locks the wallet and the seed pair, without waiting. Raises StaleState where
    wallet, nonce or key are not as in `context` any more, or locked, and Busy: nothing was written then. Unavailable:
    the round was written or not.
    """
    key, body_hash, answer = stored or (None, None, None)
    item = {
        "round": round_id,
        "partner": context.partner_id,
        "player": context.player_id,
        "session": context.session_id,
        "currency": context.currency,
        "seed_pair": context.seed_pair_id,
        "nonce": context.nonce,
        "config": context.config_id,
        "version": context.config_version,
        "terms": Raw(terms),
        "detail": Raw(detail),
        "wallet": context.wallet_id,
        "balance": context.balance,
        "stake": sum([result.stake for result in results], Decimal(0)),
        "payout": sum([result.payout for result in results], Decimal(0)),
        "player_cards": cards[0],
        "banker_cards": cards[1],
        "records": [_record(result) for result in results],
        "key": key,
        "body_hash": body_hash,
        "answer": answer,
    }
    try:
        row = await asker.ask(_ROUNDS_SETTLE, item)
    except InsufficientFunds as error:
        # What was read did cover the stakes.
        raise StaleState(_STALE) from error
    if row != (True,):
        raise StaleState(_STALE)


def _record(result: BetResult) -> dict[str, object]:
    return {
        "game_type": result.game_type.value,
        "stake": result.stake,
        # Odds come from a column of four decimals, so the quotient is exact.
        "odds": Decimal(result.odds.numerator) / Decimal(result.odds.denominator),
        "result_type": result.result_type.value,
        "payout": result.payout,
    }


_CONTEXTS_LOAD: Final = "SELECT * FROM baccarat_bet_contexts_load($1)"
_ROUNDS_SETTLE: Final = "SELECT * FROM baccarat_rounds_settle($1)"
_WALLET_LOCK: Final = "SELECT FROM wallet WHERE id = $1 FOR UPDATE"
_SEED_PAIR_LOCK: Final = "SELECT FROM seed_pair WHERE player_id = $1 AND status = 'active' FOR UPDATE"
_STALE: Final = "another bet was faster; try again in a moment"
