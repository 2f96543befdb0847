"""The two calls to the database that a bet lies between (migrations/0003_bet.sql says what each does).

They go to psycopg past Django's cursor: prepared once a connection, no statement is composed for each bet.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, NamedTuple
from uuid import UUID

from psycopg.types.numeric import Int8

from apps.baccarat.engine import BetResult
from apps.core.database import prepared_row

_OPEN_SQL: Final = (
    "SELECT * FROM baccarat_bet_open("
    "%(token_hash)s::text, %(user_id)s::bigint, %(currency)s::text, %(idempotency_key)s::text)"
)
_SETTLE_SQL: Final = (
    "SELECT baccarat_bet_settle("
    "%(round_id)s, %(partner_id)s, %(player_id)s, %(session_id)s::bigint, %(currency)s::text,"
    " %(seed_pair_id)s, %(nonce)s, %(config_id)s, %(config_version)s, %(terms)s::jsonb, %(detail)s::jsonb,"
    " %(wallet_id)s, %(balance)s, %(stake)s, %(payout)s, %(player_cards)s::text[], %(banker_cards)s::text[],"
    " %(game_types)s::smallint[], %(stakes)s::numeric[], %(odds)s::numeric[], %(result_types)s::smallint[],"
    " %(payouts)s::numeric[], %(key)s::text, %(body_hash)s::bytea, %(answer)s::bytea)"
)


@dataclass(frozen=True, slots=True)
class Bettor:
    """Who bets: the holder of a game session's token, or a log-in. Exactly one of the two is set."""

    token_hash: str | None = None
    user_id: int | None = None


class Opening(NamedTuple):
    """What `baccarat_bet_open` found, in the order of the type `baccarat_opening`.

    With a `refusal` or a stored answer what follows it is empty. Amounts are in units of the currency.
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
        return f"<Opening of player {self.player_id}, nonce {self.nonce}>"


def bet_open(bettor: Bettor, *, currency: str | None, idempotency_key: str | None) -> Opening:
    """Find the bettor, lock its key, wallet and seed pair, take a nonce. Raises Busy, Unavailable."""
    parameters = {
        "token_hash": bettor.token_hash,
        "user_id": None if bettor.user_id is None else Int8(bettor.user_id),
        "currency": currency,
        "idempotency_key": idempotency_key,
    }
    return Opening._make(prepared_row(_OPEN_SQL, parameters))


def bet_settle(
    opening: Opening,
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
    hash of its body and the answer. Raises InsufficientFunds, Busy, Unavailable.
    """
    key, body_hash, answer = stored or (None, None, None)
    prepared_row(
        _SETTLE_SQL,
        {
            "round_id": round_id,
            "partner_id": Int8(opening.partner_id),
            "player_id": Int8(opening.player_id),
            "session_id": None if opening.session_id is None else Int8(opening.session_id),
            "currency": opening.currency,
            "seed_pair_id": Int8(opening.seed_pair_id),
            "nonce": Int8(opening.nonce),
            "config_id": Int8(opening.config_id or 0),
            "config_version": Int8(opening.config_version),
            "terms": terms.decode(),
            "detail": detail.decode(),
            "wallet_id": Int8(opening.wallet_id),
            "balance": opening.balance,
            "stake": sum([result.stake for result in results], Decimal(0)),
            "payout": sum([result.payout for result in results], Decimal(0)),
            "player_cards": _array(cards[0]),
            "banker_cards": _array(cards[1]),
            "game_types": _array([result.game_type.value for result in results]),
            "stakes": _array([result.stake for result in results]),
            "odds": _array([_decimal(result) for result in results]),
            "result_types": _array([result.result_type.value for result in results]),
            "payouts": _array([result.payout for result in results]),
            "key": key,
            "body_hash": body_hash,
            "answer": answer,
        },
    )


def _array(items: Sequence[str | int | Decimal]) -> str:
    """Return an array of numbers or cards as PostgreSQL reads it: cheaper than to have psycopg look at each item."""
    return "{" + ",".join([str(item) for item in items]) + "}"


def _decimal(result: BetResult) -> Decimal:
    # Odds come from a column of four decimals, so the quotient is exact.
    return Decimal(result.odds.numerator) / Decimal(result.odds.denominator)
