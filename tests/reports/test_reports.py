"""Reports are the sums of rounds and ledger, for any days and zone. All their forms show the same figures."""

import csv
import io
import re
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from html import unescape
from itertools import pairwise
from random import Random
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from uuid import UUID

import psycopg
import pytest
from django.test import Client
from django.urls import reverse
from openpyxl import load_workbook

from apps.accounts.models import PlayerStatus, Role
from apps.accounts.services import player_status_set
from apps.audit.models import AuditEntry
from apps.core import json
from apps.core.exports import FileForm
from apps.events.models import SignificantEvent
from apps.office.reports import REPORTS, report_make
from apps.partners.models import Partner
from apps.reports.document import Report, cell_text
from apps.reports.period import Length, Period, period_to_date
from apps.reports.render import report_file
from apps.rounds.game_sessions import game_session_open
from apps.rounds.models import Round
from apps.rounds.registry import games
from apps.staff_access.models import AccessKind, StaffAccess
from apps.staff_access.services import access_record
from apps.statistics.models import StatisticsDay
from apps.tables.models import TablePlayer
from apps.wallet.models import Kind
from tests.contract.players import player_of
from tests.office.queries import list_of
from tests.support.factories import player_make, staff_make
from tests.support.ledger import move
from tests.support.long_form import IS_LONG
from tests.support.played_days import DAYS, ZONE_CHANGES, ZONES, Played
from tests.support.table_play import PlayedTable
from tests.support.tables import players_make, table_make
from tests.support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("committed")


@pytest.fixture
def played(superuser: psycopg.Connection, committed: None) -> Played:
    return Played(superuser)


def records(report: Report) -> list[dict[str, Any]]:
    names = [column.name for column in report.table.columns]
    return [dict(zip(names, row, strict=True)) for row in report.table.rows]


def added(rows: list[dict[str, Any]], keys: tuple[str, ...], values: tuple[str, ...]) -> dict[Any, Any]:
    """Add up rows with equal keys, without those that are all 0."""
    sums: dict[Any, list[Decimal]] = {}
    for row in rows:
        held = sums.setdefault(tuple(row[key] for key in keys), [Decimal(0)] * len(values))
        for place, value in enumerate(values):
            held[place] += row[value] or 0
    return {key: held for key, held in sums.items() if any(held)}


PLAY_SQL = """
    SELECT left(paytable.hash, 8), held.currency_id,
        coalesce(sum(held.stake) FILTER (WHERE held.ended_at >= %(since)s AND held.ended_at < %(until)s), 0),
        coalesce(sum(held.payout) FILTER (WHERE held.ended_at >= %(since)s AND held.ended_at < %(until)s), 0),
        coalesce(sum(held.stake) FILTER (WHERE voided.ctime >= %(since)s AND voided.ctime < %(until)s), 0),
        coalesce(sum(held.payout) FILTER (WHERE voided.ctime >= %(since)s AND voided.ctime < %(until)s), 0)
    FROM game_round AS held LEFT JOIN paytable ON paytable.id = held.paytable_id
    LEFT JOIN round_void AS voided ON voided.round_id = held.id
    WHERE held.how_ended IN ('played', 'auto_completed')
        AND (%(partner)s::bigint IS NULL OR held.partner_id = %(partner)s)
    GROUP BY 1, 2
"""
PLAYERS_SQL = """
    SELECT player_id, currency_id, count(*), sum(stake), sum(payout) FROM game_round
    WHERE how_ended IN ('played', 'auto_completed') AND ended_at >= %(since)s AND ended_at < %(until)s
        AND (%(partner)s::bigint IS NULL OR partner_id = %(partner)s)
    GROUP BY 1, 2
"""
MONEY_SQL = """
    SELECT partner.slug, sum(change) FILTER (WHERE moved.ctime < %(since)s),
        sum(change) FILTER (WHERE moved.ctime < %(until)s),
        coalesce(sum(change) FILTER (WHERE moved.ctime >= %(since)s AND moved.ctime < %(until)s AND kind = 'bet'), 0)
    FROM wallet_transaction AS moved JOIN house_account AS house ON house.id = moved.house_account_id
    JOIN partner ON partner.id = house.partner_id
    WHERE %(partner)s::bigint IS NULL OR partner.id = %(partner)s
    GROUP BY 1
"""
SUMMARY_SQL = """
    SELECT (at AT TIME ZONE %(zone)s)::date, currency_id, sum(n), sum(stake), sum(payout)
    FROM (
        SELECT ended_at AS at, partner_id, currency_id, 1 AS n, stake, payout FROM game_round
        WHERE how_ended IN ('played', 'auto_completed')
        UNION ALL
        SELECT void.ctime, partner_id, currency_id, -1, -stake, -payout
        FROM round_void AS void JOIN game_round ON game_round.id = void.round_id
            AND how_ended IN ('played', 'auto_completed')
    ) AS counted
    WHERE at >= %(since)s AND at < %(until)s AND (%(partner)s::bigint IS NULL OR partner_id = %(partner)s)
    GROUP BY 1, 2
"""


HELD_SQL = """
    SELECT held.currency_id, -sum(moved.change)
    FROM game_round AS held JOIN wallet_transaction AS moved ON moved.round_id = held.id
    WHERE held.started_at < %(until)s AND (held.ended_at IS NULL OR held.ended_at >= %(until)s)
        AND moved.ctime < %(until)s AND (%(partner)s::bigint IS NULL OR held.partner_id = %(partner)s)
    GROUP BY 1
"""
INTERRUPTED_SQL = """
    SELECT id FROM game_round
    WHERE (started_at < %(until)s AND (ended_at IS NULL OR ended_at >= %(until)s)
            OR how_ended = 'auto_completed' AND ended_at >= %(since)s AND ended_at < %(until)s)
        AND (%(partner)s::bigint IS NULL OR partner_id = %(partner)s)
"""
WINS_SQL = """
    SELECT id FROM game_round
    WHERE payout - stake >= 0.01 AND how_ended IN ('played', 'auto_completed')
        AND ended_at >= %(since)s AND ended_at < %(until)s
        AND (%(partner)s::bigint IS NULL OR partner_id = %(partner)s)
"""
# A report of one partner without a viewer names the partner's own log-ins alone.
ALTERATIONS_SQL = """
    SELECT CASE WHEN %(partner)s::bigint IS NULL OR actor = 'platform'
        OR actor IN (SELECT username FROM account_user WHERE partner_id = %(partner)s)
        THEN actor ELSE 'platform staff' END, reason, (SELECT slug FROM partner WHERE id = partner_id), count(*)
    FROM significant_event
    WHERE kind NOT IN ('login_failed', 'authentication_mismatch', 'unavailable', 'large_win', 'large_wager', 'unusual',
        'jackpot_changed') AND ctime >= %(since)s AND ctime < %(until)s
        AND (%(partner)s::bigint IS NULL OR partner_id = %(partner)s)
    GROUP BY 1, 2, 3
"""
# A block lasts until the next change of the player's status. A report does not tell a change after its period.
EXCLUSIONS_SQL = """
    SELECT player_id, begin, CASE WHEN until < %(until)s THEN until END FROM (
        SELECT split_part(subject, ' ', 2)::bigint AS player_id, ctime AS begin, data #>> '{after,status}' AS status,
            lead(ctime) OVER (PARTITION BY subject ORDER BY id) AS until
        FROM audit_entry WHERE action = 'player.status'
    ) AS spans JOIN player ON player.id = player_id
    WHERE spans.status = 'blocked' AND begin < %(until)s AND (until IS NULL OR until >= %(since)s)
        AND (%(partner)s::bigint IS NULL OR player.partner_id = %(partner)s)
"""
STAFF_SQL = """
    SELECT username, kind, count(*) FROM staff_access
    WHERE ctime >= %(since)s AND ctime < %(until)s AND (%(partner)s::bigint IS NULL OR partner_id = %(partner)s)
    GROUP BY 1, 2
"""


def periods() -> list[tuple[Period, bool]]:
    """Return twenty random ranges, or the last ten with `make test`, each with whether it is of one partner."""
    random, today = Random(15), datetime.now(UTC).date()
    chosen = []
    for number in range(20):
        ends = sorted(today - timedelta(days=random.randrange(0, DAYS)) for _ in range(2))
        chosen.append((Period(ends[0], ends[1], ZONES[number % 2]), number % 2 == 1 or number % 4 == 0))
    return chosen if IS_LONG else chosen[10:]


def test_every_form_of_every_report_equals_plain_sql_over_rounds_and_ledger_in_the_viewer_s_scope(
    played: Played, client: Client
) -> None:
    """All forms are checked on one casino, since adding up its days takes long."""
    _sums_are_those_of_plain_sql(played)
    _liability_follows_changes_of_the_zone(played)
    _the_export_of_rounds_agrees_about_voids_on_other_days(played, client)
    _each_report_has_its_columns_and_head(played)
    _events_are_told(played)
    _forms_are_the_same(played)
    _first_rows_are_those_of_the_whole(played)
    _pages_keep_to_the_scope(played, client)
    _staff_accesses_are_told(played)
    _figures_lead_to_the_rounds_that_a_report_counts(played, client)
    _a_page_shows_the_first_rows_of_a_long_report(played, client)


def _sums_are_those_of_plain_sql(played: Played) -> None:
    """Compare for ranges in both zones."""
    not_empty, open_at_ends, seen = 0, 0, dict[str, int]()
    for period, is_one in periods():
        partner = played.partners[0] if is_one else None
        performance = records(played.report("game-performance", period, partner))
        values = ("wagers", "payouts", "voided_wagers", "voided_payouts")
        assert added(performance, ("pay_table", "currency"), values) == {
            (row[0], row[1]): list(row[2:]) for row in played.plain(PLAY_SQL, period, partner) if any(row[2:])
        }, period
        held = dict(played.plain(HELD_SQL, period, partner))
        assert added(performance, ("currency",), ("held_in_open_rounds",)) == {
            (code,): [at] for code, at in held.items()
        }
        open_at_ends += bool(held)
        of_players = [row for row in records(played.report("players", period, partner)) if row["game"] != "wallet"]
        sums = added(of_players, ("player", "currency"), ("rounds", "stakes", "payouts"))
        assert sums == {(row[0], row[1]): list(row[2:]) for row in played.plain(PLAYERS_SQL, period, partner)}, period
        not_empty += bool(sums)
        stakes = dict[str, Decimal]()
        for row in records(played.report("liability", period, partner)):
            stakes[row["currency"]] = stakes.get(row["currency"], Decimal(0)) + row["open_stakes"]
            (slug, opening, closing, bets) = next(
                each for each in played.plain(MONEY_SQL, period, partner) if each[0] == row["partner"]
            )
            assert (row["opening"], row["closing"], row["bet"]) == (opening or 0, closing or 0, bets), (period, slug)
            assert (row["sum_of_wallets"], row["difference"]) == (row["closing"], 0)
        assert {code: at for code, at in stakes.items() if at} == held
        summary = added(
            records(played.report("summary", period, partner)), ("day", "currency"), ("rounds", "stakes", "payouts")
        )
        told = played.plain(SUMMARY_SQL.replace("%(zone)s", f"'{period.zone}'"), period, partner)
        assert summary == {(row[0], row[1]): list(row[2:]) for row in told}, period
        trail = _trail_compare(played, period, partner)
        seen = {name: seen.get(name, 0) + rows for name, rows in trail.items()}
    assert not_empty >= (10 if IS_LONG else 5)
    assert open_at_ends >= (10 if IS_LONG else 5)
    assert set(seen) == {"interrupted", "large-wins", "alterations", "exclusions", "staff"}
    assert all(seen.values()), seen
    wins = played.plain(WINS_SQL, Period(date(2001, 1, 1), date(2100, 1, 1)), None)
    assert len(wins) == len(
        played.superuser.execute(
            "SELECT FROM game_round WHERE payout - stake >= 0.01 AND how_ended IN ('played', 'auto_completed')"
        ).fetchall()
    )
    assert StatisticsDay.objects.filter(zone=ZONES[1]).exists()


def _liability_follows_changes_of_the_zone(played: Played) -> None:
    """The days of each zone end with the balances with which those of the next zone begin."""
    today = datetime.now(UTC).date()
    closing, seen = None, 0
    for (zone, days), (_, end) in pairwise([("UTC", DAYS), *ZONE_CHANGES, ("UTC", 0)]):
        # West of Tokyo the next zone's first day has not begun yet when its date has.
        last = end if zone == "Asia/Tokyo" else end + 1
        period = Period(today - timedelta(days=days), today - timedelta(days=last), zone)
        rows = records(played.report("liability", period, played.partners[1]))
        assert len(rows) == 1 or closing is None, period
        for row in rows:  # none before the first movement
            assert row["difference"] == 0, period
            assert row["opening"] == (closing or 0), period
            closing = row["closing"]
            seen += 1
    assert seen >= 3


def _trail_compare(played: Played, period: Period, partner: Partner | None) -> dict[str, int]:
    """Compare the reports of what happened; return the number of their rows."""
    counts = {}
    for name, sql in (("interrupted", INTERRUPTED_SQL), ("large-wins", WINS_SQL)):
        rows = records(played.report(name, period, partner))
        assert sorted(row["round"] for row in rows) == sorted(row[0] for row in played.plain(sql, period, partner)), (
            name
        )
        counts[name] = len(rows)
    changes = Counter(
        (row["who"], row["reason"], row["partner"]) for row in records(played.report("alterations", period, partner))
    )
    assert changes == {(row[0], row[1], row[2]): row[3] for row in played.plain(ALTERATIONS_SQL, period, partner)}
    blocks = [
        (row["player"], row["begin"], row["end"]) for row in records(played.report("exclusions", period, partner))
    ]
    assert sorted(blocks, key=str) == sorted(played.plain(EXCLUSIONS_SQL, period, partner), key=str)
    accesses = Counter((row["who"], row["what"]) for row in records(played.report("staff", period, partner)))
    asked = {(row[0], AccessKind(row[1]).label): row[2] for row in played.plain(STAFF_SQL, period, partner)}
    assert accesses == asked
    return counts | {"alterations": changes.total(), "exclusions": len(blocks), "staff": accesses.total()}


def _the_export_of_rounds_agrees_about_voids_on_other_days(played: Played, client: Client) -> None:
    """The stakes of a day are those of rounds that ended on it, less those of rounds that were voided on it
    (docs/operations.md)."""
    client.force_login(played.operator)
    body = b"".join(client.get(reverse("admin:rounds_round_export")).streaming_content).decode()  # type: ignore[attr-defined]
    exported = list(csv.DictReader(io.StringIO(body)))
    voids = [each for each in exported if each["voided_at"]]
    assert voids
    assert all(each["ended_at"][:10] < each["voided_at"][:10] for each in voids)
    today = datetime.now(UTC).date()
    whole = records(played.report("summary", Period(today - timedelta(days=DAYS + 1), today)))
    for value in ("stake", "payout"):
        by_day = dict[str, Decimal]()
        for each in exported:
            if each["how_ended"] in ("played", "auto_completed"):
                for column, sign in (("ended_at", 1), ("voided_at", -1)):
                    if day := each[column][:10]:
                        by_day[day] = by_day.get(day, Decimal(0)) + sign * Decimal(each[value])
        reported = dict[str, Decimal]()
        for row in whole:
            reported[str(row["day"])] = reported.get(str(row["day"]), Decimal(0)) + row[f"{value}s"]
        assert reported == by_day
        counted = sum(Decimal(each[f"counted_{value}"]) for each in exported if each["how_ended"] != "")
        assert sum(reported.values()) == counted


COLUMNS = {
    "game-performance": "pay_table kind currency available_from until status rtp_theoretical_pct rtp_actual_pct"
    " half_width_pct rounds bets wagers payouts free_wagers free_payouts voided_rounds voided_wagers voided_payouts"
    " commission held_in_open_rounds",
    "players": "player currency game rounds stakes payouts net funds_in funds_out adjustments first_balance"
    " last_balance",
    "liability": f"opening {' '.join(Kind)} closing sum_of_wallets open_stakes difference",
    "large-wins": "event player round stake payout multiple_won replay",
    "interrupted": "player round held begun_at state decisions_of_the_platform",
    "alterations": "when what who authorised_by reason before after",
    "exclusions": "player asked_by begin end lifted_by reason",
    "staff": "when what who role address page",
}
"""The columns that a regulator asks for, by report."""
HEAD = ["operator", "title", "scope", "period", "made_at", "made_by", "build"]


def _each_report_has_its_columns_and_head(played: Played) -> None:
    today = datetime.now(UTC).date()
    for name, columns in COLUMNS.items():
        report = played.report(name, Period(today, today, ZONES[1]))
        missing = set(columns.split()) - {column.name for column in report.table.columns}
        assert not missing, name
        assert [line for line, _ in report.head] == HEAD
        assert ZONES[1] in dict(report.head)["period"]
    assert REPORTS["liability"].title == "Liability and trial balance"


def _forms_are_the_same(played: Played) -> None:
    today = datetime.now(UTC).date()
    player = played.players[0]
    player_status_set(operator=played.operator, player=player, status=PlayerStatus.BLOCKED, reason="=asked()")
    access_record(user=played.operator, kind=AccessKind.LOG_IN, request=None)
    token = game_session_open(player=played.players[1], game="og-blackjack", currency_code="FUN")[1]
    assert player_of(next(game for game in games() if game.slug == "blackjack")).leave_open(token)
    for name in REPORTS:
        report = played.report(name, Period(today - timedelta(days=DAYS), today))
        assert report.table.rows, name
        lines = list(csv.reader(io.StringIO(report_file(report, FileForm.CSV).decode())))
        sheet, *others = load_workbook(io.BytesIO(report_file(report, FileForm.XLSX))).worksheets
        assert _sheet_lines(sheet) == lines, name
        totals = [[cell_text(value) for value in row] for row in report.table.totals]
        assert [_sheet_lines(each)[1:] for each in others[:-1]] == ([totals] if totals else []), name
        assert others[-1]["A1"].value == "operator"
        head, *objects = [
            json.decode_object(line) for line in report_file(report, FileForm.JSON_LINES).decode().splitlines()
        ]
        assert head["title"] == report.title
        assert [
            [cell_text(value) for value in row.values()]  # type: ignore[arg-type]
            for row in objects
        ] == [[cell_text(value) for value in row] for row in report.table.rows], name
    text = report_file(played.report("exclusions", Period(today, today)), FileForm.CSV).decode()
    assert "'=asked()" in text
    empty = played.report("large-wins", Period(date(2001, 1, 1), date(2001, 1, 2)))
    for form in FileForm:
        body = report_file(empty, form)
        assert b"No activity" in body or form is FileForm.XLSX
    assert load_workbook(io.BytesIO(report_file(empty, FileForm.XLSX))).worksheets[0]["A2"].value == "No activity"


def _first_rows_are_those_of_the_whole(played: Played) -> None:
    """However few rows are requested, they are the first ones, and the number of all rows is known."""
    seen = dict[str, int]()
    today = datetime.now(UTC).date()
    every_day = Period(today - timedelta(days=DAYS), today)  # a short range may have one large win, or none
    for period, is_one in [(every_day, False), *periods()[:3]]:
        partner = played.partners[0] if is_one else None
        for name in REPORTS:
            whole = played.report(name, period, partner).table
            assert (whole.left_out, whole.row_count) == (0, len(whole.rows))
            for most in {1, 2, 3, 5, len(whole.rows) - 1, len(whole.rows), len(whole.rows) + 1} - {-1, 0}:
                first = played.report(name, period, partner, most=most).table
                assert list(first.rows[:most]) == list(whole.rows[:most]), (name, period, most)
                assert (first.row_count, first.totals) == (whole.row_count, whole.totals), (name, period, most)
                seen[name] = max(seen.get(name, 0), first.left_out)
    assert {name for name, left_out in seen.items() if left_out} == {
        "players", "interrupted", "large-wins", "alterations", "exclusions", "staff",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("length", "first"),
    [(Length.DAY, date(2026, 3, 29)), (Length.MONTH, date(2026, 3, 1)), (Length.YEAR, date(2026, 1, 1))],
)
def test_a_period_to_date_begins_with_its_day_month_or_year(length: Length, first: date) -> None:
    period = period_to_date(length, date(2026, 3, 29), "Europe/Berlin")
    assert (period.first, period.last) == (first, date(2026, 3, 29))
    # Clocks go forward on that day: it has 23 hours.
    last = Period(date(2026, 3, 29), date(2026, 3, 29), "Europe/Berlin")
    assert last.until.astimezone(UTC) - last.since.astimezone(UTC) == timedelta(hours=23)
    months = [(date(2026, 1, 1), date(2026, 1, 31)), (date(2026, 2, 1), date(2026, 2, 28))]
    assert period.whole_months() == (months if length is Length.YEAR else [])


def _sheet_lines(sheet: Any) -> list[list[str]]:
    return [[_sheet_text(value) for value in row] for row in sheet.iter_rows(values_only=True)]


def _sheet_text(value: object) -> str:
    """Return the value of a spreadsheet's cell as files write it."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{Decimal(repr(value)):f}"
    return str(value)


def _pages_keep_to_the_scope(played: Played, client: Client) -> None:
    """Pages, print sheets and exports are in the viewer's scope, and exports are audited."""
    ours, theirs = played.partners
    staff = staff_make(Role.PARTNER_STAFF, partner=ours)
    client.force_login(staff)
    today = datetime.now(UTC).date()
    year = "-".join(sorted({f"{today.replace(month=1, day=1)}", f"{today}"}))  # a day alone has one date
    query = {"length": "year", "until": f"{today}", "zone": "UTC"}
    for name, kind in REPORTS.items():
        allowed = staff.role in kind.readers
        for address in (
            reverse("admin:report", args=[name]),
            reverse("admin:report_print", args=[name]),
            *(reverse("admin:report_export", args=[name, form.value]) for form in FileForm),
        ):
            answer = client.get(address, query)
            assert answer.status_code == (200 if allowed else 404), address
            assert theirs.slug.encode() not in answer.content, address
            form = address.rstrip("/").rpartition("/")[2]
            if allowed and form in {each.value for each in FileForm}:
                file = f"{name}-{ours.slug}-{year}.{form}"
                assert answer["Content-Disposition"] == f'attachment; filename="{file}"'
    entries = AuditEntry.objects.filter(action="report.export")
    assert entries.count() == 4 * sum(staff.role in kind.readers for kind in REPORTS.values())
    assert {(entry.actor_user_id, entry.partner_id) for entry in entries} == {(staff.pk, ours.pk)}
    assert (
        "No activity"
        in client.get(
            reverse("admin:report", args=["players"]), {**query, "length": "day", "until": "2001-01-01"}
        ).content.decode()
    )


def _staff_accesses_are_told(played: Played) -> None:
    """The report has the log-ins, exports and refusals of staff, in scope."""
    today = datetime.now(UTC).date()
    ours, theirs = played.partners
    period = Period(today, today)
    rows = records(played.report("staff", period))
    kept = StaffAccess.objects.filter(ctime__gte=period.since, ctime__lt=period.until).order_by("id")
    assert [(row["when"], row["who"], row["what"], row["address"], row["page"]) for row in rows] == [
        (each.ctime, each.username, each.get_kind_display(), each.address, each.page) for each in kept
    ]
    assert {"logged in", "exported"} <= {row["what"] for row in rows}
    assert {("operator", None), ("partner staff", ours.slug)} <= {(row["role"], row["partner"]) for row in rows}
    of_ours, of_theirs = (records(played.report("staff", period, each)) for each in (ours, theirs))
    assert of_ours
    assert of_ours == [row for row in rows if row["partner"] == ours.slug]
    assert of_theirs == [row for row in rows if row["partner"] == theirs.slug]


def _figures_lead_to_the_rounds_that_a_report_counts(played: Played, client: Client) -> None:
    """For viewers of all partners and of one, of which the list has no filter by partner; in UTC and in a zone in which
    clocks were set back on some days, and whose first and last day are cut where it became the partner's."""
    ours, theirs = played.partners
    today = datetime.now(UTC).date()
    zones = [(name, days, end) for (name, days), (_, end) in pairwise([*ZONE_CHANGES, ("UTC", 0)])]
    asked = [
        (ours, {"length": "year", "until": f"{today}", "zone": "UTC"}),
        (ours, _range(today - timedelta(days=DAYS + 1), today)),
        *((theirs, _range(today - timedelta(days=days), today - timedelta(days=end + 1))) for _, days, end in zones),
    ]
    seen = Counter[str]()
    for partner, query in asked:
        staff = staff_make(Role.PARTNER_STAFF, partner=partner)
        for viewer, more in ((staff, {}), (played.operator, {"partner": str(partner.pk)})):
            client.force_login(viewer)
            page = client.get(reverse("admin:report", args=["game-performance"]), query | more)
            rows = records(page.context["report"])
            links = re.findall(r'<a href="(/admin/rounds/round/[^"]*)"><span title="([^"]+)">', page.content.decode())
            voided = re.findall(
                r'<a href="(/admin/rounds/round/[^"]*void__ctime_from[^"]*)">([0-9,]+)</a>', page.content.decode()
            )
            assert [count for _, count in voided] == [f"{row['voided_rounds']}" for row in rows if row["voided_rounds"]]
            for url, count in voided:
                listed = list_of(viewer, Round, dict(parse_qsl(urlsplit(unescape(url)).query))).result_count
                assert listed == int(count), (query, url)
                seen["voided"] += 1
            assert [kind for _, kind in links] == [row["kind"].name for row in rows]
            named = [(unescape(url), row) for (url, _), row in zip(links, rows, strict=True)]
            for url, row in named:
                listed = list_of(viewer, Round, dict(parse_qsl(urlsplit(url).query))).result_count
                assert listed == row["rounds"], (query, url)
                seen[row["status"]] += bool(listed)
            assert client.get(named[0][0]).context["cl"].result_count == rows[0]["rounds"]
    assert seen["open"] >= 4
    assert seen["voided"] >= 4
    assert seen["offered"] >= 20


def _range(first: date, last: date) -> dict[str, str]:
    return {"length": "range", "since": first.isoformat(), "until": last.isoformat(), "zone": "partner"}


def _a_page_shows_the_first_rows_of_a_long_report(played: Played, client: Client) -> None:
    """The page shows the number of all rows, and a file has all of them."""
    played.superuser.execute(
        "INSERT INTO staff_access (user_id, username, role, kind, address, page, ctime)"
        " SELECT 1, 'many', 'operator', 'file', '192.0.2.1', '/' || n, now() FROM generate_series(1, 1200) AS n"
    )
    today = datetime.now(UTC).date()
    query = {"length": "day", "until": today.isoformat(), "zone": "UTC"}
    client.force_login(played.operator)
    count = StaffAccess.objects.filter(ctime__date=today).count()
    assert count > 1200
    page = client.get(reverse("admin:report", args=["staff"]), query).content.decode()
    assert f"The first 1,000 of {count:,} rows. CSV and JSON lines take 100,000 rows, XLSX 20,000" in page
    assert page.count("<tr>") == 1 + 1000
    body = client.get(reverse("admin:report_export", args=["staff", "csv"]), query).content.decode()
    assert len(list(csv.reader(io.StringIO(body)))) == 1 + count


def accesses_make(superuser: psycopg.Connection, count: int) -> None:
    """Write accesses of staff on a day, without the triggers that keep the history of each row."""
    superuser.execute("SET session_replication_role = replica")
    superuser.execute(
        "INSERT INTO staff_access (user_id, username, role, kind, address, page, ctime)"
        " SELECT 1, 'many', 'operator', 'file', '192.0.2.1', '/' || n, '2020-02-02' FROM generate_series(1, %s) AS n",
        [count],
    )
    superuser.execute("RESET session_replication_role")


@pytest.mark.parametrize(
    ("form", "most", "advice"),
    [
        ("print", 2_000, "choose fewer days or one partner, or export it as CSV or JSON lines"),
        ("xlsx", 20_000, "choose fewer days or one partner, or export it as CSV or JSON lines"),
        ("csv", 100_000, "choose fewer days or one partner"),
        ("jsonl", 100_000, "choose fewer days or one partner"),
    ],
)
def test_a_file_is_refused_for_a_report_that_is_too_long(
    superuser: psycopg.Connection, client: Client, form: str, most: int, advice: str
) -> None:
    client.force_login(staff_make(Role.OPERATOR))
    query = {"length": "day", "until": "2020-02-02", "zone": "UTC"}
    name, *forms = ("report_print",) if form == "print" else ("report_export", form)
    address = reverse(f"admin:{name}", args=["staff", *forms])
    accesses_make(superuser, most + 1)
    answer = client.get(address, query)
    assert answer.status_code == 400
    refusal = f"the report has {most + 1:,} rows, and this form takes {most:,}: {advice}"
    assert f"{refusal}<" in answer.content.decode().replace("\n", "")
    assert not AuditEntry.objects.filter(action="report.export").exists()


def test_a_file_of_a_report_has_as_many_rows_as_its_form_takes(superuser: psycopg.Connection, client: Client) -> None:
    client.force_login(staff_make(Role.OPERATOR))
    accesses_make(superuser, 2_000)
    answer = client.get(
        reverse("admin:report_print", args=["staff"]), {"length": "day", "until": "2020-02-02", "zone": "UTC"}
    )
    assert answer.status_code == 200
    assert answer.content.decode().count("<td>/") == 2_000
    assert AuditEntry.objects.get(action="report.export").data["rows"] == 2_000


def _events_are_told(played: Played) -> None:
    """The events are large wins and alterations."""
    today = datetime.now(UTC).date()
    period = Period(today - timedelta(days=DAYS + 1), today)
    wins = records(played.report("large-wins", period))
    events = SignificantEvent.objects.filter(kind="large_win", round_id__isnull=False)
    ended = Round.objects.filter(pk__in=events.values("round_id")).order_by("ended_at", "id")
    assert [(row["round"], row["ended_at"]) for row in wins] == [(each.pk, each.ended_at) for each in ended]
    assert wins
    told = {each.round_id: each.after["stakes won"] for each in events}
    assert all(row["multiple_won"] == Decimal(told[row["round"]]) for row in wins)
    assert all(isinstance(row["round"], UUID) for row in wins)
    ids = {each.round_id: each.pk for each in events}
    assert {row["round"]: (row["event"], row["replay"]) for row in wins} == {
        round_id: (event, f"/admin/rounds/{round_id}/replay/") for round_id, event in ids.items()
    }
    adjusted = [row for row in records(played.report("alterations", period)) if row["amount"] == Decimal("7.5")]
    assert [(row["who"], row["reason"]) for row in adjusted] == [(played.operator.username, "a gift")] * 2
    assert all("balance" in row["before"] and "balance" in row["after"] for row in adjusted)


def test_funds_in_are_deposits_and_refills() -> None:
    wallet = player_make().wallets.get()
    move(wallet, Kind.DEPOSIT, "0.5")
    move(wallet, Kind.REFILL, "999.5", reason="play money")
    move(wallet, Kind.ADJUSTMENT, "3", reason="a gift")
    move(wallet, Kind.WITHDRAWAL, "-2")
    today, operator = datetime.now(UTC).date(), staff_make(Role.OPERATOR)
    report = report_make(kind=REPORTS["players"], viewer=operator, period=Period(today, today), partner=None)
    (found,) = records(report)
    assert [found[name] for name in ("funds_in", "funds_out", "adjustments", "last_balance")] == [1000, 2, 3, 1001]


def test_an_interrupted_game_has_its_player_s_own_timeouts_and_practice_bots_are_left_out() -> None:
    partner, players = players_make(3)
    table = PlayedTable(table_make(partner, currency="FUN", turn_s=60), players)
    TablePlayer.objects.filter(player=players[2]).update(is_bot=True)
    wait_until(lambda: _second_seat_decides(table), "the first seat's time has passed, and another has a decision")
    today = datetime.now(UTC).date()
    operator = staff_make(Role.OPERATOR)

    def report(name: str) -> list[dict[str, Any]]:
        return records(report_make(kind=REPORTS[name], viewer=operator, period=Period(today, today), partner=None))

    decided = {row["player"]: row["decisions_of_the_platform"] for row in report("interrupted")}
    assert decided == {players[0].pk: 1, players[1].pk: 0}
    (held,) = [row for row in report("game-performance") if row["status"] == "open"]
    assert (held["rounds"], held["held_in_open_rounds"]) == (2, 20)


def _second_seat_decides(table: PlayedTable) -> bool:
    """Play until the deadline of the first seat's decision has passed and the second seat has to decide."""
    table.next_window()
    for place in range(3):
        table.stake(place)
    table.window_end()

    def asked() -> list[int]:
        requests = [request for request in table.state["requests"] if request.get("answer") is None]
        return [table.seat_place(request["seat"]) for request in requests]

    if asked() == [0]:
        table.deadline_pass()
        if asked() == [1]:
            return True
    if asked():
        table.play_out()
    return False
