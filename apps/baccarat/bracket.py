"""What a bet is worked out from and what it comes to: one statement that reads, one that writes.

Nothing is locked in between. The second (migrations/0003_bet.sql) writes only what still fits what the first has read.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, NamedTuple
from uuid import UUID

from apps.baccarat.apps import GAME_ID
from apps.baccarat.engine import BetResult
from apps.core.errors import InsufficientFunds, Outpaced
from apps.core.statement import Asking, Batch, array, ask, binary, boolean, integer, number, text


@dataclass(frozen=True, slots=True)
class Bettor:
    """Who bets: the holder of a game session's token, or a log-in. Exactly one of the two is set."""

    token_hash: str | None = None
    user_id: int | None = None


class Opening(NamedTuple):
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
        return f"<Opening of player {self.player_id}, nonce {self.nonce}>"


def bet_open(bettor: Bettor, *, currency: str | None, idempotency_key: str | None) -> Asking[Opening | None]:
    """Return what a bet is worked out from, all of one moment; None for a bettor without a valid session.

    Raises Unavailable.
    """
    if bettor.token_hash is not None:
        row = yield from ask(_OPEN_BY_TOKEN, bettor.token_hash, currency, idempotency_key)
    else:
        row = yield from ask(_OPEN_BY_USER, bettor.user_id, currency, idempotency_key)
    return None if row is None else Opening._make(row)


def bet_settle(
    opening: Opening,
    *,
    round_id: UUID,
    results: Sequence[BetResult],
    cards: tuple[list[str], list[str]],
    terms: bytes,
    detail: bytes,
    stored: tuple[str, bytes, bytes] | None,
) -> Asking[None]:
    """Write a round of `results`: records, movements of the wallet, and the answer under its key.

    `cards` are the player's and the banker's, `terms` and `detail` JSON texts; `stored` is the idempotency key, the
    hash of its body and the answer. Locks: the wallet, the seed pair. Raises Outpaced where wallet, nonce or key are
    not as `opening` has them any more, Busy, Unavailable; then nothing was written.
    """
    key, body_hash, answer = stored or (None, None, None)
    try:
        row = yield from ask(
            _SETTLE,
            round_id,
            opening.partner_id,
            opening.player_id,
            opening.session_id,
            opening.currency,
            opening.seed_pair_id,
            opening.nonce,
            opening.config_id,
            opening.config_version,
            terms.decode(),
            detail.decode(),
            opening.wallet_id,
            opening.balance,
            sum([result.stake for result in results], Decimal(0)),
            sum([result.payout for result in results], Decimal(0)),
            key,
            body_hash,
            answer,
            _array(cards[0]),
            _array(cards[1]),
            _array([result.game_type.value for result in results]),
            _array([result.stake for result in results]),
            _array([_decimal(result) for result in results]),
            _array([result.result_type.value for result in results]),
            _array([result.payout for result in results]),
        )
    except InsufficientFunds as error:
        # What was read did cover the stakes.
        raise Outpaced(_OUTPACED) from error
    if row != [True]:
        raise Outpaced(_OUTPACED)


def _array(items: Sequence[str | int | Decimal]) -> str:
    """Return an array of numbers or cards as PostgreSQL reads it."""
    return "{" + ",".join([str(item) for item in items]) + "}"


def _decimal(result: BetResult) -> Decimal:
    # Odds come from a column of four decimals, so the quotient is exact.
    return Decimal(result.odds.numerator) / Decimal(result.odds.denominator)


def _open_statement(name: str, bettor: str, *, who_is: str, session_id: str, currency: str) -> Batch:
    """Return the reading statement for one kind of bettor. $1 says who, $2 the currency asked for, $3 the key."""

    def sql(asked: str) -> str:
        return f"""
        SELECT asked.place,
               CASE WHEN stored.key IS NOT NULL THEN ''
                    WHEN player.status <> 'active' OR wallet.status <> 'active' THEN 'player'
                    WHEN NOT partner.active THEN 'partner'
                    WHEN wallet.id IS NULL THEN 'wallet'
                    ELSE '' END,
               player.id, player.partner_id, {session_id}, coalesce(asked.currency, {currency}), currency.decimals,
               stored.body_hash, stored.answer, wallet.id, wallet.balance,
               config.id, config.version, config.decks, config.bet_min, config.bet_max, odds.game_types, odds.odds,
               seed_pair.id, seed_pair.commitment, seed_pair.sealed_seed, seed_pair.client_seed, seed_pair.next_nonce
          FROM {asked} AS asked (who, currency, key, place)
          JOIN {bettor}
          JOIN partner ON partner.id = player.partner_id
          LEFT JOIN seed_pair ON seed_pair.player_id = player.id AND seed_pair.status = 'active'
          LEFT JOIN LATERAL (
              -- OFFSET keeps PostgreSQL from joining by the scope alone: one row, and not all the player was answered.
              SELECT key, body_hash, answer FROM stored_answer
               WHERE scope = 'play:' || player.id || ':{GAME_ID}' AND key = asked.key OFFSET 0
          ) AS stored ON true
          LEFT JOIN wallet ON wallet.player_id = player.id AND wallet.currency_id = coalesce(asked.currency, {currency})
          LEFT JOIN currency ON currency.code = wallet.currency_id
          LEFT JOIN baccarat_config AS config
            ON config.partner_id = player.partner_id AND config.currency = wallet.currency_id AND config.status = 1
          LEFT JOIN LATERAL (
              SELECT array_agg(game_type ORDER BY game_type) AS game_types, array_agg(odds ORDER BY game_type) AS odds
                FROM baccarat_odds_config WHERE baccarat_config_id = config.id AND status = 1
          ) AS odds ON true"""

    return Batch(
        name,
        sql(f"unnest($1::{who_is}[], $2::text[], $3::text[]) WITH ORDINALITY"),
        text, integer, integer, integer, text, integer,
        binary, binary, integer, number,
        integer, integer, integer, number, number, array(integer), array(number),
        integer, text, binary, text, integer,
        for_one=sql(f"(VALUES ($1::{who_is}, $2::text, $3::text, 1))"),
    )  # fmt: skip


_OPEN_BY_TOKEN: Final = _open_statement(
    "baccarat_bet_open_by_token",
    "game_session AS session ON session.token_hash = asked.who"
    f" AND session.game = '{GAME_ID}' AND session.ended_at IS NULL AND session.expires_at > now()"
    " JOIN player ON player.id = session.player_id",
    who_is="text",
    session_id="session.id",
    currency="session.currency_id",
)
_OPEN_BY_USER: Final = _open_statement(
    "baccarat_bet_open_by_user",
    "player ON player.user_id = asked.who",
    who_is="bigint",
    session_id="NULL::bigint",
    currency="player.currency_id",
)
_SETTLE: Final = Batch(
    "baccarat_bets_settle",
    f"SELECT place, settled FROM baccarat_bets_settle({', '.join(f'${place}' for place in range(1, 26))})",
    boolean,
)
_OUTPACED: Final = "another bet was faster; try again in a moment"
