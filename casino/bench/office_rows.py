"""The rows of the part `office`: a year of a large operator, written by SQL into the benchmark's own database.

Rounds, their records and their movements are those of the newest days; the statistics have the whole year. Triggers are
off and indexes are built afterwards, so that millions of rows take minutes. The rows prove nothing: the ledger's hashes
are empty.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any, Final

import psycopg

from casino.bench.bench_environment import BenchDatabase

PARTNERS: Final = 20
SPAN_DAYS: Final = 36
"""The days of the rounds: at 100 million a year, ten million are played in 36 days."""
YEAR_DAYS: Final = 365
WHOLE: Final = 10_000_000
"""The number of rounds of a whole run. With fewer rounds, all other rows are fewer in proportion."""
STATS_A_DAY: Final = 19_200
"""Rows of `play_stat` a day in a whole run, which are seven million a year."""
CURRENCY: Final = "EUR"
BATCH: Final = 250_000
BULK: Final = ("game_round", "wallet_transaction", "baccarat_game_record", "play_stat", "player_day", "audit_entry")
"""Tables whose indexes are built after their rows."""


@dataclass(frozen=True, slots=True)
class OfficeRows:
    """The written rows."""

    rounds: int
    players: int
    partners: tuple[int, ...]
    now: datetime
    seconds: float


def office_rows_make(bench: BenchDatabase, rounds: int) -> OfficeRows:
    """Write this number of rounds and everything beside them."""
    began = time.monotonic()
    partners = _partners_make()
    now = datetime.now(UTC)
    made = OfficeRows(rounds, max(200, rounds // 500), partners, now, 0)
    with psycopg.connect(bench.superuser_url, autocommit=True) as link:
        link.execute("SET session_replication_role = replica")
        link.execute("SET maintenance_work_mem = '512MB'")
        link.execute("SET work_mem = '256MB'")
        _indexes_rest(link)
        parameters = _parameters(made)
        for sql in (_HOUSES, _PLAYERS, _WALLETS, _SEEDS, _SESSIONS):
            link.execute(sql, parameters)
        for first in range(0, rounds, BATCH):
            link.execute(_ROUNDS, {**parameters, "from": first, "to": min(first + BATCH, rounds) - 1})
        for sql in (_TRANSFERS, _WALLET_SUMS):
            link.execute(sql, parameters)
        _indexes_build(link, "game_round", "wallet_transaction", "baccarat_game_record")
        link.execute("VACUUM (ANALYZE) game_round, wallet_transaction")
        for sql in (_VOIDS, _PLAYER_DAYS, _FORMER_PLAYER_DAYS, _MOVEMENT_DAYS, _FORMER_MOVEMENT_DAYS, _CARDS):
            link.execute(sql, parameters)
        link.execute(_GAME_DAYS)
        link.execute(_PARTNER_HOURS)
        _statistics_write(link, parameters, now.date())
        for sql in (_ACTS, _EVENTS, _ACCESSES, _VERSIONS, _SEALS):
            link.execute(sql, parameters)
        _indexes_build(link, *BULK)
        link.execute("VACUUM ANALYZE")
        link.execute("CHECKPOINT")
    return OfficeRows(made.rounds, made.players, partners, now, time.monotonic() - began)


def _partners_make() -> tuple[int, ...]:
    """Create partners that offer every game, the first of them as the house."""
    from apps.partners.models import Partner
    from apps.rounds.game_spec import DemoOffer
    from apps.rounds.registry import games

    partners = [
        Partner.objects.create(slug=f"partner-{number}", name=f"Partner {number}", is_house=number == 0)
        for number in range(PARTNERS)
    ]
    for partner in partners:
        offer = DemoOffer(
            partner=partner, currency_code=CURRENCY, bet_min=Decimal(1), bet_max=Decimal(1000), actor="bench"
        )
        for game in games():
            game.demo_offer(offer)
    return tuple(partner.pk for partner in partners)


def _parameters(made: OfficeRows) -> dict[str, Any]:
    share = made.rounds / WHOLE
    return {
        "rounds": made.rounds,
        "players": made.players,
        "partners": list(made.partners),
        "now": made.now,
        "today": made.now.date(),
        "span": SPAN_DAYS,
        "year": YEAR_DAYS,
        "currency": CURRENCY,
        "stats": max(96, round(STATS_A_DAY * share)),
        "acts": max(5_000, round(500_000 * share)),
        "events": max(2_000, round(20_000 * share)),
    }


def _indexes_rest(link: "psycopg.Connection[Any]") -> None:
    """Stop updating the indexes of the large tables; `_indexes_build` builds them anew."""
    link.execute(
        "UPDATE pg_index SET indisready = false, indisvalid = false WHERE indrelid = ANY (%s::regclass[])",
        [list(BULK)],
    )


def _indexes_build(link: "psycopg.Connection[Any]", *tables: str) -> None:
    """Build the indexes of these tables that are not updated."""
    left = link.execute(
        "SELECT DISTINCT indrelid::regclass::text FROM pg_index"
        " WHERE NOT indisready AND indrelid = ANY (%s::regclass[])",
        [list(tables)],
    ).fetchall()
    for (table,) in left:
        link.execute(f"REINDEX TABLE {table}")


def _statistics_write(link: "psycopg.Connection[Any]", parameters: Mapping[str, Any], today: date) -> None:
    """Write a year of rows of `play_stat`, its whole months, and which days are closed."""
    from apps.statistics.sums import month_sql

    for day in range(YEAR_DAYS):
        link.execute(_PLAY_STATS, {**parameters, "day": today - timedelta(days=day)})
    _indexes_build(link, "play_stat")
    link.execute("ANALYZE play_stat")
    link.execute(_CLOSED, parameters)
    first = (today - timedelta(days=YEAR_DAYS - 1)).replace(day=1) + timedelta(days=32)
    month = first.replace(day=1)
    while (after := (month + timedelta(days=32)).replace(day=1)) <= today:
        link.execute(month_sql(), {"first": month, "day": after - timedelta(days=1), "zone": "UTC"})
        month = after


_HOUSES: Final = """
INSERT INTO house_account (partner_id, currency_id)
SELECT id, %(currency)s FROM unnest(%(partners)s::bigint[]) AS id
ON CONFLICT DO NOTHING
"""
_PLAYERS: Final = """
INSERT INTO player (partner_id, reference, currency_id, status, is_guest, ctime)
SELECT (%(partners)s::bigint[])[1 + n / 4 %% cardinality(%(partners)s::bigint[])], 'player-' || n, %(currency)s,
    CASE WHEN n %% 100 = 7 THEN 'blocked' ELSE 'active' END, false,
    %(now)s - interval '1 day' * %(year)s * (1 - n::float8 / %(players)s)
FROM generate_series(0, %(players)s - 1) AS n ORDER BY n
"""
_WALLETS: Final = """
INSERT INTO wallet (player_id, currency_id, house_account_id, status, balance, row_count, head, ctime)
SELECT player.id, player.currency_id, house.id, 'active', 1000, 0, ''::bytea, player.ctime
FROM player JOIN house_account AS house ON house.partner_id = player.partner_id AND house.currency_id = %(currency)s
ORDER BY player.id
"""
_SEEDS: Final = """
INSERT INTO seed_pair (player_id, status, commitment, sealed_seed, server_seed, client_seed, client_seed_chosen,
    next_nonce, ctime)
SELECT id, 'active', encode(sha256(id::text::bytea), 'hex'), ''::bytea, '', 'bench', false, 1, ctime
FROM player ORDER BY id
"""
# A session every third day of the rounds.
_SESSIONS: Final = """
INSERT INTO game_session (token_hash, player_id, partner_id, game, currency_id, return_url, cashier_url, language,
    device, connection, expires_at, ctime)
SELECT encode(sha256((player.id || ' ' || day)::bytea), 'hex'), player.id, player.partner_id, 'og-baccarat',
    %(currency)s, '', '', '', (ARRAY['desktop', 'mobile', 'app', 'unknown'])[1 + player.id %% 4], '',
    %(now)s - interval '1 day' * (day - 3), %(now)s - interval '1 day' * day
FROM generate_series(%(span)s, 3, -3) AS day CROSS JOIN player ORDER BY day DESC, player.id
"""
# On each day a quarter of the players play, each always the same game; one in five plays a game other than baccarat.
_ROUNDS: Final = """
WITH one AS MATERIALIZED (
    SELECT n, player.id AS player_id, player.partner_id, wallet.id AS wallet_id, wallet.house_account_id,
        pair.id AS pair_id, gen_random_uuid() AS round_id,
        (ARRAY['og-baccarat', 'og-baccarat', 'og-baccarat', 'og-baccarat', 'og-baccarat', 'og-baccarat', 'og-baccarat',
            'og-baccarat', 'og-blackjack', 'og-dragon-tiger'])[1 + number / 80 %% 10] AS game,
        (1 + n %% 20)::numeric AS stake, CASE WHEN n * 7919 %% 1000 < 496 THEN 2 * (1 + n %% 20) ELSE 0 END::numeric
            AS payout,
        %(now)s - interval '1 second' * (86400.0 * %(span)s * (%(rounds)s - n) / %(rounds)s + 1) AS at,
        n >= %(rounds)s - %(rounds)s / 5000 AND n %% 2 = 0 AS is_open
    FROM generate_series(%(from)s::bigint, %(to)s::bigint) AS n
    CROSS JOIN LATERAL (
        SELECT 4 * (n %% (%(players)s / 4)) + n * %(span)s / %(rounds)s %% 4 AS number
    ) AS active
    JOIN player ON player.reference = 'player-' || number
    JOIN wallet ON wallet.player_id = player.id
    JOIN seed_pair AS pair ON pair.player_id = player.id
), played AS (
    INSERT INTO game_round (id, partner_id, player_id, currency_id, game, started_at, ended_at, how_ended,
        seed_pair_id, nonce, config_version, terms, detail, stake, payout, balance_before, balance_after, paytable_id)
    SELECT round_id, partner_id, player_id, %(currency)s, game, at, CASE WHEN is_open THEN NULL ELSE at END,
        CASE WHEN is_open THEN '' WHEN n %% 3000 = 11 THEN 'auto_completed' ELSE 'played' END, pair_id, n, 1,
        '{}', CASE WHEN is_open THEN '{}' ELSE '{"player": ["H1", "H8"], "banker": ["S2", "S3", "S4"]}' END
        ::jsonb, stake, CASE WHEN is_open THEN 0 ELSE payout END, 1000, 1000 - stake + payout,
        (SELECT min(id) FROM paytable WHERE paytable.game = one.game)
    FROM one
), moved AS (
    INSERT INTO wallet_transaction (wallet_id, house_account_id, number, kind, change, balance_after, round_id,
        source_key, reason, hash, ctime)
    SELECT wallet_id, house_account_id, 3 * n + step, kind, change, 1000, round_id,
        round_id || ':' || step || ':' || kind, '', '\\x00'::bytea, at
    FROM one CROSS JOIN LATERAL (VALUES (1, 'bet', -stake), (2, 'reward', payout)) AS each (step, kind, change)
    WHERE change <> 0 AND NOT (is_open AND step = 2) ORDER BY n, step
)
INSERT INTO baccarat_game_record (ctime, user_id, partner_id, currency_id, round_id, game_type, bet_amount, odds,
    result_type, reward_amount, player_cards, banker_cards, seed_pair_id, nonce, config_id, config_version)
SELECT at, player_id, partner_id, %(currency)s, round_id, 1, stake, 1, CASE WHEN payout > 0 THEN 1 ELSE 2 END, payout,
    '{H1,H8}', '{S2,S3,S4}', pair_id, n, (SELECT min(id) FROM baccarat_config), 1
FROM one WHERE game = 'og-baccarat' AND NOT is_open ORDER BY n
"""
# Every third day a deposit or a withdrawal of each wallet.
_TRANSFERS: Final = """
INSERT INTO wallet_transaction (wallet_id, house_account_id, number, kind, change, balance_after, source_key, reason,
    hash, ctime)
SELECT wallet.id, wallet.house_account_id, 100000000 + day, CASE WHEN day %% 2 = 0 THEN 'deposit' ELSE 'withdrawal' END,
    CASE WHEN day %% 2 = 0 THEN 50 ELSE -40 END, 1000, 'bench:' || wallet.id || ':' || day, '', '\\x00'::bytea,
    %(now)s - interval '1 day' * (%(span)s - day)
FROM wallet CROSS JOIN generate_series(0, %(span)s - 1, 3) AS day ORDER BY day, wallet.id
"""
_WALLET_SUMS: Final = """
UPDATE wallet SET balance = moved.change, row_count = moved.count
FROM (SELECT wallet_id, sum(change) AS change, count(*) FROM wallet_transaction GROUP BY wallet_id) AS moved
WHERE moved.wallet_id = wallet.id AND moved.change >= 0
"""
_VOIDS: Final = """
INSERT INTO round_void (round_id, by, reason, ctime)
SELECT id, 'operator', 'bench', started_at + interval '1 hour'
FROM game_round WHERE nonce %% 5000 = 77 AND how_ended = 'played' AND started_at < %(now)s - interval '1 hour'
"""
_PLAYER_DAYS: Final = """
INSERT INTO player_day (period, zone, partner_id, player_id, currency_id, game, n, stake, payout, voided_n,
    voided_stake, voided_payout, closed_at)
SELECT (ended_at AT TIME ZONE 'UTC')::date AS period, 'UTC', partner_id, player_id, currency_id, game, count(*),
    sum(stake), sum(payout), 0, 0, 0, CASE WHEN (ended_at AT TIME ZONE 'UTC')::date < %(today)s THEN %(now)s END
FROM game_round WHERE ended_at IS NOT NULL
GROUP BY (ended_at AT TIME ZONE 'UTC')::date, partner_id, player_id, currency_id, game
"""
# A tenth of the players on each of the days before.
_FORMER_PLAYER_DAYS: Final = """
INSERT INTO player_day (period, zone, partner_id, player_id, currency_id, game, n, stake, payout, voided_n,
    voided_stake, voided_payout, closed_at)
SELECT %(today)s - day, 'UTC', partner_id, id, currency_id, 'og-baccarat', 140, 1400, 1385, 0, 0, 0, %(now)s
FROM generate_series(%(span)s + 1, %(year)s - 1) AS day JOIN player ON (player.id + day) %% 10 = 0
"""
_MOVEMENT_DAYS: Final = """
INSERT INTO movement_day (period, zone, house_account_id, kind, count, change, closed_at)
SELECT (ctime AT TIME ZONE 'UTC')::date, 'UTC', house_account_id, kind, count(*), sum(change),
    CASE WHEN (ctime AT TIME ZONE 'UTC')::date < %(today)s THEN %(now)s END
FROM wallet_transaction GROUP BY (ctime AT TIME ZONE 'UTC')::date, house_account_id, kind
"""
_FORMER_MOVEMENT_DAYS: Final = """
INSERT INTO movement_day (period, zone, house_account_id, kind, count, change, closed_at)
SELECT %(today)s - day, 'UTC', id, kind, 10000, change, %(now)s
FROM generate_series(%(span)s + 1, %(year)s - 1) AS day CROSS JOIN house_account
CROSS JOIN (VALUES ('bet', -100000), ('reward', 99000), ('deposit', 20000), ('withdrawal', -19000))
    AS each (kind, change)
"""
_CARDS: Final = """
INSERT INTO card_stat (period, zone, game, decks, place, card, count, closed_at)
SELECT %(today)s - day, 'UTC', 'og-baccarat', 8, place, suit || face, 4000 + day %% 50, %(now)s
FROM generate_series(0, %(year)s - 1) AS day CROSS JOIN generate_series(0, 3) AS place
CROSS JOIN unnest(ARRAY['C', 'D', 'H', 'S']) AS suit CROSS JOIN generate_series(1, 13) AS face
"""
# A row's key is a number in a mixed base: partner, bet, channel, device, digits of the stake.
_PLAY_STATS: Final = """
INSERT INTO play_stat (level, period, zone, partner_id, currency_id, game, paytable_id, kind, door, device, band, n,
    bets, stake, payout, stake_squared, expected, variance, hits, mismatched, voided_n, voided_stake, voided_payout,
    closed_at)
SELECT 'day', %(day)s, 'UTC', (%(partners)s::bigint[])[1 + each %% 20], %(currency)s, line.game, line.paytable_id,
    line.kind, (ARRAY['browser', 'token', 'socket', 'table'])[1 + each / 240 %% 4],
    (ARRAY['desktop', 'mobile', 'app', 'unknown'])[1 + each / 960 %% 4], 3 + each / 3840, 14, 14, 140, 138.5, 1400,
    138.2, 1380, ARRAY[7, 6, 1, 0, 0, 0, 0, 0], 0, 0, 0, 0,
    CASE WHEN %(day)s < %(today)s THEN %(now)s END
FROM generate_series(0, %(stats)s - 1) AS each
JOIN (
    SELECT row_number() OVER (ORDER BY line.id) - 1 AS place, line.paytable_id, line.kind, paytable.game
    FROM paytable_line AS line JOIN paytable ON paytable.id = line.paytable_id
    ORDER BY line.id LIMIT 12
) AS line ON line.place = each / 20 %% 12
"""
_GAME_DAYS: Final = """
INSERT INTO game_day (period, zone, partner_id, currency_id, game, n, bets, stake, payout, voided_n, voided_stake,
    voided_payout, closed_at)
SELECT period, zone, partner_id, currency_id, game, sum(n), sum(n), sum(stake), sum(payout), 0, 0, 0, max(closed_at)
FROM player_day GROUP BY period, zone, partner_id, currency_id, game
"""
_PARTNER_HOURS: Final = """
INSERT INTO partner_hour (period, zone, partner_id, currency_id, hour, n, bets, stake, payout, voided_n, voided_stake,
    voided_payout, closed_at)
SELECT period, zone, partner_id, currency_id, hour, 1 + sum(n) / 24, 1 + sum(n) / 24, sum(stake) / 24,
    sum(payout) / 24, 0, 0, 0, max(closed_at)
FROM game_day CROSS JOIN generate_series(0, 23) AS hour GROUP BY period, zone, partner_id, currency_id, hour
"""
_CLOSED: Final = """
WITH fold AS (
    INSERT INTO statistics_fold (id, edge, waits_for) VALUES (1, %(now)s, '{}')
    ON CONFLICT (id) DO UPDATE SET edge = excluded.edge
)
INSERT INTO statistics_day (day, zone, corrected)
SELECT %(today)s - day, 'UTC', 0 FROM generate_series(1, %(year)s - 1) AS day
"""
_ACTS: Final = """
INSERT INTO audit_entry (actor, actor_user_id, partner_id, action, subject, data, reason, ctime)
SELECT CASE WHEN n %% 100 < 20 THEN 'operator' ELSE 'key' END,
    CASE WHEN n %% 100 < 20 THEN (SELECT min(id) FROM account_user) END, player.partner_id,
    CASE WHEN n %% 100 = 0 THEN 'player.status' WHEN n %% 100 < 10 THEN 'wallet.adjust'
        WHEN n %% 100 < 20 THEN 'report.export' ELSE 'session.open' END,
    CASE WHEN n %% 100 = 0 OR n %% 100 >= 20 THEN 'player ' || player.id WHEN n %% 100 < 10 THEN 'wallet ' || wallet.id
        ELSE 'report summary' END,
    CASE WHEN n %% 100 = 0 THEN jsonb_build_object('before', jsonb_build_object('status', 'active'), 'after',
        jsonb_build_object('status', CASE WHEN n %% 200 = 0 THEN 'blocked' ELSE 'active' END)) ELSE '{}' END,
    'bench', %(now)s - interval '1 second' * (86400.0 * %(year)s * (%(acts)s - n) / %(acts)s)
FROM generate_series(0, %(acts)s - 1) AS n
JOIN player ON player.reference = 'player-' || n / 200 %% %(players)s JOIN wallet ON wallet.player_id = player.id
ORDER BY n
"""
_EVENTS: Final = """
INSERT INTO significant_event (kind, component, actor, partner_id, subject, reason, before, after, round_id, amount,
    currency, authorised_by, ctime)
SELECT CASE n %% 4 WHEN 0 THEN 'large_win' WHEN 1 THEN 'account_changed' WHEN 2 THEN 'policy_changed'
        ELSE 'login_failed' END,
    'statistics', 'operator', played.partner_id, 'player ' || played.player_id, 'bench', '{"balance": "10"}',
    '{"balance": "20"}', CASE WHEN n %% 4 = 0 THEN played.id END, 100, %(currency)s, '',
    %(now)s - interval '1 second' * (86400.0 * %(span)s * (%(events)s - n) / %(events)s)
FROM (
    SELECT row_number() OVER (ORDER BY started_at) AS n, id, partner_id, player_id
    FROM game_round TABLESAMPLE SYSTEM (10) WHERE payout > 0
) AS played
WHERE n < %(events)s ORDER BY n
"""
_ACCESSES: Final = """
INSERT INTO staff_access (user_id, username, role, kind, address, page, ctime)
SELECT (SELECT min(id) FROM account_user), 'operator', 'operator',
    (ARRAY['log_in', 'file', 'export', 'refused'])[1 + n %% 4], '192.0.2.1', '/admin/players/1/file/',
    %(now)s - interval '1 minute' * (%(acts)s - n)
FROM generate_series(0, %(acts)s - 1) AS n
"""
_VERSIONS: Final = """
INSERT INTO row_change (table_name, row_key, number, op, content, hash, ctime)
SELECT 'player', id::text, number, CASE number WHEN 1 THEN '+' ELSE '~' END,
    jsonb_build_object('status', CASE number WHEN 1 THEN 'active' ELSE status END, 'reference', reference),
    '\\x00'::bytea, ctime + interval '1 hour' * number
FROM player CROSS JOIN generate_series(1, 2) AS number
WHERE NOT EXISTS (SELECT FROM row_change AS kept WHERE kept.table_name = 'player' AND kept.row_key = player.id::text)
"""
_SEALS: Final = """
INSERT INTO daily_seal (day, previous_mac, wallet_count, row_count, heads_hash, mac, format, ctime)
SELECT %(today)s - day, '', %(players)s, %(rounds)s, '', '', 1, %(now)s - interval '1 day' * (day - 1)
FROM generate_series(%(year)s - 1, 1, -1) AS day
"""
