"""Reports of play, from the sums of statistics: game performance, and players."""

from datetime import date, timedelta
from decimal import Decimal
from typing import Any, Final

from apps.evidence.mathematics import rtp_half_width
from apps.reports.document import Cell, CellKind, Column, RoundCount, Table, WireName, amounts, numbers, texts
from apps.reports.open_rounds import OPEN_ROUNDS
from apps.reports.period import Period
from apps.reports.query import REFERENCE, Wanted, rows_of
from apps.rounds.filters import NO_PAYTABLE, PARTNER_FILTER, ZONE_FILTER
from apps.rounds.registry import bet_labels, game_title
from apps.statistics.ggr import ggr
from apps.statistics.large_plays import BY_PEOPLE
from apps.statistics.models import StatisticsDay
from apps.statistics.ranges import UTC_ZONE

_PLACES: Final = Decimal("0.000001")
_FREE: Final = (Decimal(0), Decimal(0))
"""The wagers and payouts of free play: a free round has no stake, and pays nothing."""
_COMMISSION: Final = Decimal(0)
"""No game takes a commission beside its odds."""

# Later facts are left out, so that a report of a period is always the same.
# Whole closed months come from the rows of months, all other days from those of days. Lists of days, since the index
# begins with level and day.
_PLAY_SQL: Final = """
    WITH played AS (
        SELECT game, paytable_id, kind, currency_id, sum(n) AS n, sum(bets) AS bets, sum(stake) AS stake,
            sum(payout) AS payout, sum(variance) AS variance, sum(voided_n) AS voided_n,
            sum(voided_stake) AS voided_stake, sum(voided_payout) AS voided_payout
        FROM (
            SELECT * FROM play_stat WHERE level = 'month' AND zone = %(zone)s AND period = ANY (%(months)s::date[])
            UNION ALL
            SELECT * FROM play_stat WHERE level = 'day' AND zone = %(zone)s AND period = ANY (%(days)s::date[])
        ) AS stat
        WHERE %(partner)s::bigint IS NULL OR partner_id = %(partner)s
        GROUP BY game, paytable_id, kind, currency_id
    )
    SELECT played.game, played.paytable_id, left(paytable.hash, 8), played.kind, played.currency_id,
        use.available_from, CASE WHEN use.is_offered THEN NULL ELSE use.until END,
        CASE WHEN use.is_offered THEN 'offered' WHEN use.until IS NOT NULL THEN 'former' ELSE '' END,
        line.rtp, played.stake, played.payout, played.variance, played.n, played.bets,
        played.voided_n, played.voided_stake, played.voided_payout
    FROM played
    LEFT JOIN paytable ON paytable.id = played.paytable_id
    LEFT JOIN paytable_line AS line ON line.paytable_id = played.paytable_id AND line.kind = played.kind
    LEFT JOIN LATERAL (
        SELECT min(begun.available_from) AS available_from, max(ended.decommissioned_at) AS until,
            bool_or(ended.id IS NULL AND begun.id IS NOT NULL) AS is_offered
        FROM paytable_use AS begun
        LEFT JOIN paytable_use AS ended ON ended.ends_id = begun.id AND ended.decommissioned_at < %(until)s
        WHERE begun.ends_id IS NULL AND begun.paytable_id = played.paytable_id
            AND begun.currency_id = played.currency_id AND begun.available_from < %(until)s
            AND (%(partner)s::bigint IS NULL OR begun.partner_id = %(partner)s)
    ) AS use ON true
    ORDER BY played.game, played.paytable_id NULLS LAST, played.kind, played.currency_id
"""
_OPEN_ROUNDS_SQL: Final = f"""
    SELECT held.game, held.paytable_id, left(paytable.hash, 8), held.currency_id, count(*), sum(held.held)
    FROM {OPEN_ROUNDS} AS held LEFT JOIN paytable ON paytable.id = held.paytable_id
    WHERE {BY_PEOPLE} AND (%(partner)s::bigint IS NULL OR held.partner_id = %(partner)s)
    GROUP BY held.game, held.paytable_id, paytable.hash, held.currency_id
    ORDER BY held.game, held.paytable_id NULLS LAST, held.currency_id
"""  # noqa: S608 - only constant text
# Grouped by ids before names are joined: half the time for 20,000 players and a million day rows.
_PLAYERS_SQL: Final = f"""
    SELECT player.id, {REFERENCE}, partner.slug, played.currency_id, played.game, played.n,
        played.stake, played.payout, played.voided_n, played.voided_stake, played.voided_payout
    FROM (
        SELECT player_id, currency_id, game, sum(n) AS n, sum(stake) AS stake, sum(payout) AS payout,
            sum(voided_n) AS voided_n, sum(voided_stake) AS voided_stake, sum(voided_payout) AS voided_payout
        FROM player_day
        WHERE zone = %(zone)s AND period BETWEEN %(first)s AND %(last)s
            AND (%(partner)s::bigint IS NULL OR partner_id = %(partner)s)
            AND (%(up_to)s::bigint IS NULL OR player_id <= %(up_to)s)
        GROUP BY player_id, currency_id, game
    ) AS played
    JOIN player ON player.id = played.player_id JOIN partner ON partner.id = player.partner_id
    ORDER BY player.id, played.currency_id, played.game
"""  # noqa: S608 - as above
# A wallet's movements are numbered in the order of its lock, and timed by the start of their transactions, which wait
# for the lock for seconds at most. So the first by number is close to the first by time, which an index finds.
_WALLETS_SQL: Final = f"""
    WITH moved AS (
        SELECT wallet_id,
            sum(change) FILTER (WHERE kind IN ('deposit', 'refill')) AS funds_in,
            -sum(change) FILTER (WHERE kind = 'withdrawal') AS funds_out,
            sum(change) FILTER (WHERE kind = 'adjustment') AS adjusted
        FROM wallet_transaction
        WHERE kind IN ('deposit', 'withdrawal', 'adjustment', 'refill')
            AND ctime >= %(since)s AND ctime < %(until)s
            AND (%(up_to)s::bigint IS NULL OR wallet_id IN (SELECT id FROM wallet WHERE player_id <= %(up_to)s))
        GROUP BY wallet_id
    )
    SELECT player.id, {REFERENCE}, partner.slug, wallet.currency_id, moved.funds_in, moved.funds_out,
        moved.adjusted, begun.balance, ended.balance
    FROM wallet
    JOIN player ON player.id = wallet.player_id JOIN partner ON partner.id = player.partner_id
    CROSS JOIN LATERAL (
        SELECT ctime FROM wallet_transaction
        WHERE wallet_id = wallet.id AND ctime >= %(since)s AND ctime < %(until)s ORDER BY ctime LIMIT 1
    ) AS first
    CROSS JOIN LATERAL (
        SELECT ctime FROM wallet_transaction
        WHERE wallet_id = wallet.id AND ctime >= %(since)s AND ctime < %(until)s ORDER BY ctime DESC LIMIT 1
    ) AS last
    CROSS JOIN LATERAL (
        SELECT balance_after - change AS balance FROM wallet_transaction
        WHERE wallet_id = wallet.id AND ctime >= first.ctime AND ctime < %(until)s
            AND ctime <= first.ctime + interval '1 minute'
        ORDER BY number LIMIT 1
    ) AS begun
    CROSS JOIN LATERAL (
        SELECT balance_after AS balance FROM wallet_transaction
        WHERE wallet_id = wallet.id AND ctime <= last.ctime AND ctime >= %(since)s
            AND ctime >= last.ctime - interval '1 minute'
        ORDER BY number DESC LIMIT 1
    ) AS ended
    LEFT JOIN moved ON moved.wallet_id = wallet.id
    WHERE (%(partner)s::bigint IS NULL OR player.partner_id = %(partner)s)
        AND (%(up_to)s::bigint IS NULL OR player.id <= %(up_to)s)
    ORDER BY player.id, wallet.currency_id
"""  # noqa: S608 - as above
# The last player of the first rows, and the number of all rows: without the sums, which take most of the time.
_PLAYERS_COUNT_SQL: Final = """
    WITH listed AS MATERIALIZED (
        SELECT player_id FROM player_day
        WHERE zone = %(zone)s AND period BETWEEN %(first)s AND %(last)s
            AND (%(partner)s::bigint IS NULL OR partner_id = %(partner)s)
        GROUP BY player_id, currency_id, game
        UNION ALL
        SELECT wallet.player_id FROM wallet JOIN player ON player.id = wallet.player_id
        WHERE (%(partner)s::bigint IS NULL OR player.partner_id = %(partner)s) AND EXISTS (
            SELECT FROM wallet_transaction
            WHERE wallet_id = wallet.id AND ctime >= %(since)s AND ctime < %(until)s
        )
    )
    SELECT (SELECT count(*) FROM listed), (SELECT player_id FROM listed ORDER BY player_id OFFSET %(most)s LIMIT 1)
"""


def game_performance(wanted: Wanted) -> Table:
    """Return a row for each pay table, kind of bet and currency, and one for the stakes of rounds that were open at the
    end."""
    columns = (
        *texts("game", "pay_table", "kind", "currency", "available_from", "until", "status"),
        *numbers("rtp_theoretical_pct", "rtp_actual_pct", "half_width_pct", "rounds", "bets"),
        *amounts("wagers", "payouts", "free_wagers", "free_payouts"),
        *numbers("voided_rounds"),
        *amounts("voided_wagers", "voided_payouts", "commission", "net_win", "held_in_open_rounds"),
    )
    rows: list[list[Cell]] = []
    for game, key, table, kind, currency, begin, end, status, rtp, stake, payout, variance, n, bets, *voided in rows_of(
        _PLAY_SQL, _days(wanted) | _stretches(wanted.period)
    ):
        voided_n, voided_stake, voided_payout = voided
        net = ggr(stakes=stake, payouts=payout, voided_stakes=voided_stake, voided_payouts=voided_payout)
        rows.append(
            [
                game_title(game),
                table,
                WireName(kind, bet_labels(game).get(kind, kind), _rounds(wanted, game, key, kind, currency)),
                currency,
                begin,
                end,
                status,
                _pct(rtp),
                _pct(payout / stake if stake else None),
                _half_width(stake, variance),
                int(n),
                int(bets),
                stake,
                payout,
                *_FREE,
                RoundCount(voided_n, _rounds(wanted, game, key, kind, currency, of="void__ctime")),
                voided_stake,
                voided_payout,
                _COMMISSION,
                net,
                None,
            ]
        )
    for game, key, table, currency, count, held in rows_of(_OPEN_ROUNDS_SQL, _days(wanted)):
        empty: list[Cell] = [None] * 10
        open_then = {"open_after": wanted.period.last.isoformat()}
        rows.append(
            [
                game_title(game),
                table,
                WireName("open rounds", "open rounds", open_then | _rounds_of(wanted, game, key, currency)),
                currency,
                None,
                None,
                "open",
                None,
                None,
                None,
                count,
                *empty,
                held,
            ]
        )
    return Table(columns, rows)


def players(wanted: Wanted) -> Table:
    """Return a row for each player, currency and game, and one for each wallet that was moved."""
    columns = (
        Column("player", CellKind.PLAYER),
        *texts("reference", "partner", "currency", "game"),
        *numbers("rounds"),
        *amounts("stakes", "payouts", "net"),
        *numbers("voided_rounds"),
        *amounts(
            "voided_stakes", "voided_payouts", "funds_in", "funds_out", "adjustments", "first_balance", "last_balance"
        ),
    )
    asked = _days(wanted)
    count, up_to = None, None
    if wanted.most is not None:
        ((count, up_to),) = rows_of(_PLAYERS_COUNT_SQL, asked | {"most": wanted.most})
    asked |= {"up_to": up_to}
    rows: list[list[Cell]] = []
    for player, reference, slug, currency, game, n, stake, payout, *voided in rows_of(_PLAYERS_SQL, asked):
        played: list[Cell] = [int(n), stake, payout, payout - stake, int(voided[0]), *voided[1:]]
        rows.append([player, reference, slug, currency, game_title(game), *played, *[None] * 5])
    for player, reference, slug, currency, *money in rows_of(_WALLETS_SQL, asked):
        flows = [amount or Decimal(0) for amount in money[:3]]
        rows.append([player, reference, slug, currency, "wallet", *[None] * 7, *flows, *money[3:]])
    rows.sort(key=lambda row: (row[0], row[3], row[4] == "wallet", row[4]))
    shown = rows[: wanted.most]
    # Play goes on between the count and the rows, which may then be more than were counted.
    return Table(columns, shown, left_out=max(count or 0, len(rows)) - len(shown))


def _rounds(
    wanted: Wanted, game: str, paytable: int | None, kind: str, currency: str, *, of: str = "ended_at"
) -> dict[str, str]:
    """Return the filters of the list of the rounds that a row counts, by the time on whose day it counts them."""
    days = {f"{of}_from": wanted.period.first.isoformat(), f"{of}_to": wanted.period.last.isoformat()}
    return {"state": "counted", "bet": kind, **days, **_rounds_of(wanted, game, paytable, currency)}


def _rounds_of(wanted: Wanted, game: str, paytable: int | None, currency: str) -> dict[str, str]:
    table = NO_PAYTABLE if paytable is None else str(paytable)
    asked = {"game": game, "paytable": table, "currency__code__exact": currency}
    if wanted.period.zone != UTC_ZONE:
        asked[ZONE_FILTER] = wanted.period.zone
    return asked if wanted.partner_id is None else asked | {PARTNER_FILTER: str(wanted.partner_id)}


def _days(wanted: Wanted) -> dict[str, Any]:
    period = wanted.period
    return {
        "zone": period.zone, "first": period.first, "last": period.last, "since": period.since, "until": period.until,
        "partner": wanted.partner_id,
    }  # fmt: skip


def _stretches(period: Period) -> dict[str, list[date]]:
    """Return the first days of the months that have rows of their own, and the days outside of them."""
    months = period.whole_months()
    closed = set(
        StatisticsDay.objects.filter(zone=period.zone, day__in=[last for _, last in months]).values_list(
            "day", flat=True
        )
    )
    firsts = [first for first, last in months if last in closed]
    days = (period.first + timedelta(days=number) for number in range((period.last - period.first).days + 1))
    return {"months": firsts, "days": [day for day in days if day.replace(day=1) not in firsts]}


def _pct(share: Decimal | None) -> Decimal | None:
    return None if share is None else (100 * share).quantize(_PLACES)


def _half_width(stake: Decimal, variance: Decimal) -> Decimal | None:
    """Return half of the interval that holds the actual RTP in 95 of 100 cases, in percent."""
    if not stake or not variance:
        return None
    return _pct(Decimal(rtp_half_width(stake=float(stake), variance=float(variance))))
