"""Loads the context of a bet with one statement and writes the round with another.

Both are SQL functions (sql/store_v2.sql, sql/store_v3.sql). Nothing is locked in between: the second writes only if all
that the first has read is still current.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache, lru_cache
from typing import Final
from uuid import UUID

import msgspec

from apps.core.errors import InsufficientFunds, StaleState
from apps.core.postgres_pool import Executor, Transaction
from apps.fairness.engine import FairShoe, fair_shoe
from apps.fairness.seed_encryption import seed_decrypt
from apps.one_deal.engine import BetKind, BetResult
from apps.one_deal.one_deal_game import OneDealGame
from apps.one_deal.paytables import terms_stored
from apps.rounds.bettor_identity import Bettor


@dataclass(frozen=True, slots=True)
class Terms:
    """The odds and decks that a deal is settled by."""

    odds: Mapping[BetKind, Fraction]
    stored: Mapping[str, object]
    """The terms in the form of a round without a pay table."""


class BetContext(msgspec.Struct, frozen=True, gc=False):
    """Everything read before a bet is placed. Amounts are in units of the currency.

    `refusal` is empty, or the reason for a refusal: `player` (the player or the wallet is blocked), `partner` (it is
    closed), `wallet` (there is none in the currency). The members after it may then be empty.
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
    game_types: list[str] | None
    """The numbers of the bets that are offered, each with its odds, X to 1."""
    odds: list[str] | None
    seed_pair_id: int
    commitment: str
    sealed_seed: bytes
    client_seed: str
    nonce: int
    paytable_id: int | None

    def __repr__(self) -> str:
        """Omit the seed, even though it is encrypted."""
        return f"<BetContext of player {self.player_id}, nonce {self.nonce}>"

    def shoe(self) -> FairShoe:
        """Return the round's shoe. The server seed is decrypted only here."""
        seed = seed_decrypt(self.sealed_seed, commitment=self.commitment)
        return fair_shoe(seed, self.client_seed, self.nonce, decks=self.decks)

    def terms(self, game: OneDealGame) -> Terms:
        """Return the decks and odds in force."""
        return _terms(game.bets, self.decks, tuple(self.game_types or ()), tuple(self.odds or ()))


@dataclass(frozen=True, slots=True)
class StoredBetAnswer:
    """The answer that is stored with the round under the client's idempotency key."""

    key: str
    body_hash: bytes
    answer: bytes


async def bet_context_load(
    game: OneDealGame, executor: Executor, bettor: Bettor, *, currency: str | None, idempotency_key: str | None
) -> BetContext | None:
    """Return a bet's context, read in one statement; None for a bettor without a valid session.

    Raises Unavailable.
    """
    item = {
        "token_hash": bettor.token_hash,
        "user_id": bettor.user_id,
        "currency": currency,
        "key": idempotency_key,
    }
    row = await executor.query(_contexts_load(game.name), item)
    return None if row is None else BetContext(*row)


async def bet_lock(transaction: Transaction, context: BetContext) -> None:
    """Lock the wallet and the seed pair of a bet until the end of the transaction.

    `context` may be outdated afterwards: load it again. Raises Busy, Unavailable.
    """
    await transaction.fetch("SELECT FROM wallet WHERE id = $1 FOR UPDATE", context.wallet_id)
    # If a rotation commits during the wait, no row is returned; a second statement finds the new active pair.
    if not await transaction.fetch(_SEED_PAIR_LOCK, context.player_id):
        await transaction.fetch(_SEED_PAIR_LOCK, context.player_id)


async def bet_save(
    game: OneDealGame,
    executor: Executor,
    context: BetContext,
    *,
    round_id: UUID,
    detail: Mapping[str, object],
    results: Sequence[BetResult],
    stored: StoredBetAnswer | None,
) -> None:
    """Write a round of `results`: its records, the wallet's movements, and the answer under its key.

    `detail` is the deal in the form of `game.outcome`. Locks the wallet and the seed pair without waiting.

    Raises StaleState if anything of `context` is outdated, the key is used, or the wallet or seed pair is locked, Busy,
    or GameDisabled: nothing is written. Raises Unavailable: the round may have been written or not.
    """
    first, second = game.sides
    item: dict[str, object] = {
        "round": round_id,
        "partner": context.partner_id,
        "player": context.player_id,
        "session": context.session_id,
        "currency": context.currency,
        "seed_pair": context.seed_pair_id,
        "commitment": context.commitment,
        "client_seed": context.client_seed,
        "nonce": context.nonce,
        "config": context.config_id,
        "version": context.config_version,
        "terms": context.terms(game).stored if context.paytable_id is None else {},
        "paytable": context.paytable_id,
        "detail": detail,
        "wallet": context.wallet_id,
        "decimals": context.decimals,
        "balance": context.balance,
        "stake": sum([result.stake for result in results], Decimal(0)),
        "payout": sum([result.payout for result in results], Decimal(0)),
        f"{first}_cards": detail[first],
        f"{second}_cards": detail[second],
        "records": [
            {
                "game_type": result.game_type.value,
                "stake": result.stake,
                # Odds have at most four decimals, so the quotient is exact.
                "odds": Decimal(result.odds.numerator) / Decimal(result.odds.denominator),
                "result_type": result.result_type.value,
                "payout": result.payout,
            }
            for result in results
        ],
    }
    if stored is not None:
        item |= {"key": stored.key, "body_hash": stored.body_hash, "answer": stored.answer}
    try:
        row = await executor.query(f"SELECT * FROM {game.name}_rounds_settle($1)", item)  # noqa: S608 - a folder's name
    except InsufficientFunds:
        row = None  # The loaded balance covered the stakes, so it has changed since.
    if row != (True,):
        raise StaleState("another bet was faster; try again in a moment")


@lru_cache(maxsize=256)
def _terms(kinds: type[BetKind], decks: int, game_types: tuple[str, ...], odds: tuple[str, ...]) -> Terms:
    by_type = {kinds(int(number)): Decimal(x) for number, x in zip(game_types, odds, strict=True)}
    return Terms({kind: Fraction(x) for kind, x in by_type.items()}, terms_stored(decks, by_type))


@cache
def _contexts_load(name: str) -> str:
    # asyncpg knows arrays of texts; each new connection would ask the catalogue for arrays of numbers.
    texts = {"game_types", "odds"}
    columns = ", ".join(f"{column}::text[]" if column in texts else column for column in BetContext.__struct_fields__)
    return f"SELECT place, {columns} FROM {name}_bet_contexts_load($1)"  # noqa: S608 - the name of a folder


_SEED_PAIR_LOCK: Final = "SELECT FROM seed_pair WHERE player_id = $1 AND status = 'active' FOR UPDATE"
