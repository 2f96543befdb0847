"""Liability and trial balance: the debt of each house account to its players, as a trial balance."""

from decimal import Decimal
from typing import Final

from apps.core import json
from apps.partners.own_zones import own_zones_sql
from apps.reports.document import Cell, Table, amounts, texts
from apps.reports.open_rounds import OPEN_ROUNDS
from apps.reports.query import Wanted, rows_of
from apps.wallet.models import Kind

# One statement, so that all figures are of one moment. The days' sums are complete up to the edge of the fold; a period
# that is not over yet therefore ends there. The wallets' sum goes back from their balances of now, and does not use
# those sums. A partner's own days begin and end where its time zone does. An account is listed from its first movement,
# so that an account that is opened later changes no earlier report.
_LIABILITY_SQL: Final = f"""
    WITH bound AS (
        SELECT greatest(%(since)s::timestamptz, min(begins)) AS since,
            least(%(until)s::timestamptz, max(ends), coalesce((SELECT edge FROM statistics_fold), 'epoch')) AS until
        FROM ({own_zones_sql("%(partner)s::bigint")}) AS own
        WHERE zone = %(zone)s AND zone <> 'UTC' AND begins < %(until)s AND ends > %(since)s
    ), summed AS (
        SELECT house_account_id AS id,
            sum(change) FILTER (WHERE period < %(first)s) AS opening,
            jsonb_object_agg(kind, within) FILTER (WHERE within IS NOT NULL) AS kinds
        FROM (
            SELECT house_account_id, kind, period, change,
                sum(change) FILTER (WHERE period BETWEEN %(first)s AND %(last)s)
                    OVER (PARTITION BY house_account_id, kind) AS within
            FROM movement_day WHERE zone = %(zone)s AND period <= %(last)s
        ) AS days GROUP BY house_account_id
    )
    SELECT partner.slug, house.currency_id,
        coalesce(CASE WHEN %(zone)s = 'UTC' THEN summed.opening ELSE earlier.change END, 0),
        coalesce(summed.kinds, '{{}}')::text,
        wallets.balance - coalesce(later.change, 0), coalesce(open_rounds.stake, 0), bound.until
    FROM house_account AS house CROSS JOIN bound
    JOIN partner ON partner.id = house.partner_id
    LEFT JOIN summed ON summed.id = house.id
    LEFT JOIN LATERAL (
        SELECT coalesce(sum(balance), 0) AS balance FROM wallet WHERE house_account_id = house.id
    ) AS wallets ON true
    LEFT JOIN LATERAL (
        SELECT sum(change) AS change FROM wallet_transaction
        WHERE house_account_id = house.id AND ctime >= bound.until
    ) AS later ON true
    LEFT JOIN LATERAL (
        -- Own days have no rows from before their zone.
        SELECT sum(change) AS change FROM wallet_transaction
        WHERE %(zone)s <> 'UTC' AND house_account_id = house.id AND ctime < bound.since
    ) AS earlier ON true
    LEFT JOIN (
        SELECT partner_id, currency_id, sum(held) AS stake FROM {OPEN_ROUNDS} AS held GROUP BY partner_id, currency_id
    ) AS open_rounds ON open_rounds.partner_id = house.partner_id AND open_rounds.currency_id = house.currency_id
    WHERE (%(partner)s::bigint IS NULL OR house.partner_id = %(partner)s)
        AND (summed.id IS NOT NULL OR earlier.change IS NOT NULL)
    ORDER BY partner.slug, house.currency_id
"""  # noqa: S608 - only constant text


def liability(wanted: Wanted) -> Table:
    """Return a row for each house account. The difference is between the days' sums and the wallets, and always 0."""
    period = wanted.period
    kinds = [kind.value for kind in Kind]
    columns = (
        *texts("partner", "currency"),
        *amounts("opening", *kinds, "closing", "sum_of_wallets", "open_stakes", "difference"),
        *texts("complete_until"),
    )
    rows: list[list[Cell]] = []
    for slug, currency, opening, text, wallets, open_stakes, until in rows_of(
        _LIABILITY_SQL,
        {
            "since": period.since, "until": period.until, "first": period.first, "last": period.last,
            "zone": period.zone, "partner": wanted.partner_id,
        },
    ):  # fmt: skip
        moved = _amounts(text)
        within = [moved.get(kind, Decimal(0)) for kind in kinds]
        closing = opening + sum(within, Decimal(0))
        rows.append([slug, currency, opening, *within, closing, wallets, open_stakes, closing - wallets, until])
    return Table(columns, rows)


def _amounts(text: str) -> dict[str, Decimal]:
    return {kind: Decimal(str(amount)) for kind, amount in json.decode_object(text).items()}
