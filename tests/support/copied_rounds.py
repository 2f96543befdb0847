"""Many played rounds of baccarat, inserted as copies of one round: they have all the rows that the statistics read."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random

import psycopg

from apps.accounts.actors import Actor
from apps.accounts.models import Player
from apps.baccarat.engine import STANDARD_ODDS, Deal, GameType, bet_settle, deal
from apps.baccarat.models import BaccaratGameRecord
from apps.cards.card import CARDS
from apps.one_deal.engine import BetResult
from apps.one_deal.messages import Bet, Slip
from apps.partners.models import Partner
from apps.rounds.bettor_identity import Bettor
from apps.rounds.game_sessions import game_session_open, token_hash
from tests.support.baccarat_use_cases import baccarat_bet_place, baccarat_config_set
from tests.support.factories import player_make
from tests.support.loop import run

STAKE = Decimal(10)
A_STATEMENT = 20_000


def banker_player(partner: Partner, *, currency: str = "FUN") -> Player:
    """Return a player who has bet on the banker once: the row that is copied."""
    player = player_make(balance=Decimal(100), partner=partner, currency=currency)
    baccarat_config_set(
        partner=partner, currency_code=currency, actor=Actor("test"), bet_min=Decimal(1), bet_max=Decimal(10), decks=8
    )
    banker_bet(player)
    return player


def banker_bet(player: Player) -> None:
    """Have the player bet on the banker."""
    currency = player.wallets.get().currency_id
    token = game_session_open(player=player, game="og-baccarat", currency_code=currency)[1]
    slip = Slip((Bet(GameType.BANKER, STAKE),), is_list=True)
    run(baccarat_bet_place(bettor=Bettor(token_hash=token_hash(token)), slip=slip))


def dealt_by(random: Random) -> Deal:
    """Return a deal of the engine from a fresh shoe of eight decks."""
    return deal([CARDS[place % 52] for place in random.sample(range(8 * 52), 6)])


def banker_results(count: int, *, again: float, seed: int) -> list[BetResult]:
    """Return results of bets on the banker. A deal that the player side wins is dealt again with the chance `again`.
    The banker's RTP is then higher by `again` times 0.4462 times its RTP: 0.0113 moves it by 0.5 points.
    """
    random = Random(seed)
    results = []
    for _ in range(count):
        dealt = dealt_by(random)
        if dealt.winner.value == "player" and random.random() < again:
            dealt = dealt_by(random)
        results.append(
            bet_settle(dealt, GameType.BANKER, STAKE, STANDARD_ODDS[GameType.BANKER], quantum=Decimal("0.01"))
        )
    return results


def rounds_copy(
    link: psycopg.Connection,
    player: Player,
    results: Sequence[BetResult],
    *,
    at: Callable[[int], datetime] | None = None,
) -> None:
    """Copy the player's first round once for each result, with triggers off; `at` is when each ended."""
    template = BaccaratGameRecord.objects.filter(player=player).earliest("pk")
    now = datetime.now(UTC)
    ended_at = at or (lambda _: now)
    copy_sql = _copy_sql(link)
    link.execute("SET session_replication_role = replica")
    highest = link.execute("SELECT max(nonce) FROM game_round").fetchone()
    assert highest is not None
    for first in range(0, len(results), A_STATEMENT):
        part = results[first : first + A_STATEMENT]
        values = {
            "round": template.round_id,
            "record": template.pk,
            "nonces": [highest[0] + 1 + first + number for number in range(len(part))],
            "payouts": [result.payout for result in part],
            "types": [int(result.result_type) for result in part],
            "ended": [ended_at(first + number) for number in range(len(part))],
        }
        link.execute(copy_sql, values)
    link.execute("RESET session_replication_role")


def days_ago(number: int) -> datetime:
    """Return noon of a day in the past, in UTC."""
    noon = datetime.now(UTC).replace(hour=12, minute=0, second=0, microsecond=0)
    return noon - timedelta(days=number)


def _copy_sql(link: psycopg.Connection) -> str:
    """Return the statement that copies a round and its record for each given result."""
    rounds = _columns(link, "game_round", id="wanted.id", nonce="wanted.nonce", payout="wanted.payout",
                      ended_at="wanted.ended", started_at="wanted.ended")  # fmt: skip
    records = _columns(link, "baccarat_game_record", id="nextval(pg_get_serial_sequence('baccarat_game_record', 'id'))",
                       round_id="wanted.id", nonce="wanted.nonce", reward_amount="wanted.payout",
                       result_type="wanted.type")  # fmt: skip
    return f"""
        WITH wanted AS MATERIALIZED (
            SELECT gen_random_uuid() AS id, nonce, payout, type, ended
            FROM unnest(%(nonces)s::bigint[], %(payouts)s::numeric[], %(types)s::smallint[], %(ended)s::timestamptz[])
                AS given (nonce, payout, type, ended)
        ), copied AS (
            INSERT INTO game_round ({", ".join(rounds)}) SELECT {", ".join(rounds.values())}
            FROM game_round AS held, wanted WHERE held.id = %(round)s
        )
        INSERT INTO baccarat_game_record ({", ".join(records)}) SELECT {", ".join(records.values())}
        FROM baccarat_game_record AS held, wanted WHERE held.id = %(record)s
    """


def _columns(link: psycopg.Connection, table: str, **changed: str) -> dict[str, str]:
    """Return each column of the table with its value in the copy."""
    names = link.execute(
        "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped"
        " AND attgenerated = ''", [table],
    )  # fmt: skip
    return {name: changed.get(name, f"held.{name}") for (name,) in names}
