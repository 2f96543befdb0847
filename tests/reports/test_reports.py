"""Reports are the sums of rounds and ledger, for any days and zone, and all their forms say the same."""

import csv
import io
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from hashlib import sha256
from itertools import pairwise
from random import Random
from typing import Any
from uuid import UUID

import psycopg
import pytest
from django.db import DatabaseError, connection, transaction
from django.test import Client
from django.urls import reverse
from openpyxl import load_workbook

from apps.accounts.models import PlayerStatus, Role, User
from apps.accounts.services import player_status_set
from apps.audit.models import AuditEntry
from apps.core import json
from apps.core.exports import FileForm
from apps.events.models import SignificantEvent
from apps.events.thresholds import WIN
from apps.office.kept_reports import reports_keep
from apps.office.reports import REPORTS, report_make
from apps.office.threshold_changes import event_threshold_set
from apps.partners.models import Partner
from apps.reports.document import Report, cell_text
from apps.reports.models import KeptReport
from apps.reports.period import Length, Period, period_to_date
from apps.reports.render import report_file
from apps.rounds.game_sessions import game_session_open
from apps.rounds.models import Round
from apps.rounds.registry import games
from apps.rounds.services import round_void
from apps.staff_access.models import AccessKind, StaffAccess
from apps.staff_access.services import access_record
from apps.statistics.models import StatisticsDay
from apps.statistics.services import statistics_fold
from apps.wallet.services import wallet_adjust
from tests.contract.players import player_of
from tests.support.factories import partner_make, player_make, staff_make
from tests.support.offers import games_offer
from tests.support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("committed")

DAYS = 63
ZONES = ("UTC", "America/New_York")
ZONE_CHANGES = (("Asia/Tokyo", 40), ("America/New_York", 30), ("Asia/Tokyo", 20), ("UTC", 10))
"""The time zones of the second partner, and how many days ago they began."""


class Played:
    """Two partners with players who have played on many days, one of them with a time zone of its own."""

    def __init__(self, superuser: psycopg.Connection) -> None:
        self.superuser = superuser
        self.operator = staff_make(Role.OPERATOR)
        event_threshold_set(operator=self.operator, measure=WIN, currency="FUN", value=Decimal("0.01"), reason="a test")
        self.partners = [partner_make() for _ in range(2)]
        for number, partner in enumerate(self.partners):
            games_offer(partner)
            player = player_make(balance=Decimal(10_000), partner=partner)
            for game in games():
                _, token = game_session_open(player=player, game=game.id, currency_code="FUN")
                for turn in range(8):
                    player_of(game).play(token, Random(100 * number + turn))
            wallet_adjust(operator=self.operator, wallet=player.wallets.get(), change=Decimal("7.5"), reason="a gift")
            first = Round.objects.filter(player=player).earliest("started_at")
            round_void(operator=self.operator, round=first, reason="a fault")
            for status in (PlayerStatus.BLOCKED, PlayerStatus.ACTIVE) * 2:
                player_status_set(operator=self.operator, player=player, status=status, reason="asked for it")
            for who in (self.operator, staff_make(Role.PARTNER_STAFF, partner=partner)):
                for kind in AccessKind:
                    access_record(user=who, kind=kind, request=None)
        self.spread()
        self.spread_at = datetime.now(UTC)
        wait_until(self.is_folded, "all is in the statistics")

    def spread(self) -> None:
        """Move what was played to the last days, in its order."""
        random = Random(3)
        link = self.superuser
        link.execute("SET session_replication_role = replica")
        rows = link.execute(
            "SELECT id, ctime, coalesce((SELECT ended_at FROM game_round WHERE id = round_id), ctime)"
            " FROM wallet_transaction ORDER BY wallet_id, id"
        ).fetchall()
        now = datetime.now(UTC)
        times = sorted(now - timedelta(seconds=random.randrange(3600, DAYS * 86_400)) for _ in rows)
        moved = dict(zip((row[0] for row in sorted(rows)), times, strict=True))
        for movement, at in moved.items():
            link.execute("UPDATE wallet_transaction SET ctime = %s WHERE id = %s", [at, movement])
        link.execute(
            "UPDATE game_round SET started_at = first, ended_at = last FROM ("
            " SELECT round_id, min(ctime) AS first, max(ctime) AS last FROM wallet_transaction"
            " WHERE source_key NOT LIKE '%%:void:%%' AND round_id IS NOT NULL GROUP BY round_id) AS moved"
            " WHERE id = round_id"
        )
        # The platform has played some out; acts and events are of other times too.
        link.execute(
            "UPDATE game_round SET how_ended = 'auto_completed' WHERE game = 'og-blackjack' AND NOT EXISTS"
            " (SELECT FROM round_void WHERE round_id = game_round.id) AND nonce % 3 = 0"
        )
        for table in ("audit_entry", "significant_event", "staff_access"):
            ids = [row[0] for row in link.execute(f"SELECT id FROM {table} ORDER BY id").fetchall()]
            moments = sorted(now - timedelta(seconds=random.randrange(3600, DAYS * 86_400)) for _ in ids)
            for entry, at in zip(ids, moments, strict=True):
                link.execute(f"UPDATE {table} SET ctime = %s WHERE id = %s", [at, entry])
        chosen = [(0, ZONES[1], DAYS + 3), *((1, *change) for change in ZONE_CHANGES)]
        for partner, zone, days in chosen:
            link.execute(
                "INSERT INTO partner_zone (partner_id, zone, from_day, by, ctime) VALUES (%s, %s, %s, 'test', now())",
                [self.partners[partner].pk, zone, now.date() - timedelta(days=days)],
            )
        link.execute("SET session_replication_role = origin")

    def is_folded(self) -> bool:
        edge = statistics_fold(edge_age=timedelta(0)).edge
        return edge is not None and edge > self.spread_at and StatisticsDay.objects.exists()

    def report(
        self, name: str, period: Period, partner: Partner | None = None, *, viewer: User | None = None,
        most: int | None = None,
    ) -> Report:  # fmt: skip
        return report_make(
            kind=REPORTS[name], viewer=viewer or self.operator, period=period, partner=partner, most=most
        )

    def plain(self, sql: str, period: Period, partner: Partner | None) -> list[tuple[Any, ...]]:
        parameters = {
            "since": period.since, "until": period.until, "partner": None if partner is None else partner.pk,
        }  # fmt: skip
        return self.superuser.execute(sql, parameters).fetchall()  # type: ignore[arg-type]


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


INTERRUPTED_SQL = """
    SELECT id FROM game_round
    WHERE (how_ended = '' OR how_ended = 'auto_completed' AND ended_at >= %(since)s AND ended_at < %(until)s)
        AND (%(partner)s::bigint IS NULL OR partner_id = %(partner)s)
"""
WINS_SQL = """
    SELECT id FROM game_round
    WHERE payout - stake >= 0.01 AND how_ended IN ('played', 'auto_completed')
        AND (SELECT min(ctime) FROM significant_event WHERE kind = 'large_win' AND round_id = game_round.id)
            BETWEEN %(since)s AND %(until)s::timestamptz - interval '1 microsecond'
        AND (%(partner)s::bigint IS NULL OR partner_id = %(partner)s)
"""
ALTERATIONS_SQL = """
    SELECT actor, reason, count(*) FROM significant_event
    WHERE kind NOT IN ('login_failed', 'authentication_mismatch', 'unavailable', 'large_win', 'large_wager', 'unusual',
        'jackpot_changed') AND ctime >= %(since)s AND ctime < %(until)s
        AND (%(partner)s::bigint IS NULL OR partner_id = %(partner)s)
    GROUP BY 1, 2
"""
# A block lasts until the next change of the player's status.
EXCLUSIONS_SQL = """
    SELECT player_id, begin, until FROM (
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
    """Return twenty random ranges, each with whether it is of one partner."""
    random, today = Random(15), datetime.now(UTC).date()
    chosen = []
    for number in range(20):
        ends = sorted(today - timedelta(days=random.randrange(0, DAYS)) for _ in range(2))
        chosen.append((Period(ends[0], ends[1], ZONES[number % 2]), number % 2 == 1 or number % 4 == 0))
    return chosen


def test_every_form_of_every_report_equals_plain_sql_over_rounds_and_ledger_in_the_viewer_s_scope(
    played: Played, client: Client
) -> None:
    """One casino for all, since its days are added up for long."""
    _sums_are_those_of_plain_sql(played)
    _liability_follows_changes_of_the_zone(played)
    _events_are_told(played)
    _forms_are_the_same(played)
    _first_rows_are_those_of_the_whole(played)
    _pages_keep_to_the_scope(played, client)
    _staff_accesses_are_told(played)
    _a_page_shows_the_first_rows_of_a_long_report(played, client)


def _sums_are_those_of_plain_sql(played: Played) -> None:
    """For twenty ranges and both zones."""
    not_empty, seen = 0, dict[str, int]()
    for period, is_one in periods():
        partner = played.partners[0] if is_one else None
        performance = records(played.report("game-performance", period, partner))
        values = ("wagers", "payouts", "voided_wagers", "voided_payouts")
        assert added(performance, ("pay_table", "currency"), values) == {
            (row[0], row[1]): list(row[2:]) for row in played.plain(PLAY_SQL, period, partner) if any(row[2:])
        }, period
        of_players = [row for row in records(played.report("players", period, partner)) if row["game"] != "wallet"]
        sums = added(of_players, ("player", "currency"), ("rounds", "stakes", "payouts"))
        assert sums == {(row[0], row[1]): list(row[2:]) for row in played.plain(PLAYERS_SQL, period, partner)}, period
        not_empty += bool(sums)
        for row in records(played.report("liability", period, partner)):
            (slug, opening, closing, bets) = next(
                each for each in played.plain(MONEY_SQL, period, partner) if each[0] == row["partner"]
            )
            assert (row["opening"], row["closing"], row["bet"]) == (opening or 0, closing or 0, bets), (period, slug)
            assert (row["sum_of_wallets"], row["difference"]) == (row["closing"], 0)
        summary = added(
            records(played.report("summary", period, partner)), ("day", "currency"), ("rounds", "stakes", "payouts")
        )
        told = played.plain(SUMMARY_SQL.replace("%(zone)s", f"'{period.zone}'"), period, partner)
        assert summary == {(row[0], row[1]): list(row[2:]) for row in told}, period
        trail = _trail_compare(played, period, partner)
        seen = {name: seen.get(name, 0) + rows for name, rows in trail.items()}
    assert not_empty >= 10
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
    """Each zone's days end with the balances that the next zone's begin with."""
    today = datetime.now(UTC).date()
    closing = None
    for (zone, days), (_, end) in pairwise([("UTC", DAYS), *ZONE_CHANGES, ("UTC", 0)]):
        # West of Tokyo the next zone's first day has not begun yet when its date has.
        last = end if zone == "Asia/Tokyo" else end + 1
        period = Period(today - timedelta(days=days), today - timedelta(days=last), zone)
        (row,) = records(played.report("liability", period, played.partners[1]))
        assert row["difference"] == 0, period
        assert closing in (None, row["opening"]), period
        closing = row["closing"]


def _trail_compare(played: Played, period: Period, partner: Partner | None) -> dict[str, int]:
    """Compare the reports of what happened; return the number of their rows."""
    counts = {}
    for name, sql in (("interrupted", INTERRUPTED_SQL), ("large-wins", WINS_SQL)):
        rows = records(played.report(name, period, partner))
        assert sorted(row["round"] for row in rows) == sorted(row[0] for row in played.plain(sql, period, partner)), (
            name
        )
        counts[name] = len(rows)
    changes = Counter((row["who"], row["reason"]) for row in records(played.report("alterations", period, partner)))
    assert changes == {(row[0], row[1]): row[2] for row in played.plain(ALTERATIONS_SQL, period, partner)}
    blocks = [
        (row["player"], row["begin"], row["end"]) for row in records(played.report("exclusions", period, partner))
    ]
    assert sorted(blocks, key=str) == sorted(played.plain(EXCLUSIONS_SQL, period, partner), key=str)
    accesses = Counter((row["who"], row["what"]) for row in records(played.report("staff", period, partner)))
    asked = {(row[0], AccessKind(row[1]).label): row[2] for row in played.plain(STAFF_SQL, period, partner)}
    assert accesses == asked
    return counts | {"alterations": changes.total(), "exclusions": len(blocks), "staff": accesses.total()}


def test_each_closed_day_s_reports_are_kept_and_downloaded_again_byte_for_byte(played: Played, client: Client) -> None:
    assert reports_keep() >= 1
    assert reports_keep() == 0
    kept = KeptReport.objects.order_by("-day")
    day = kept[0].day
    assert set(kept.filter(day=day, partner=None).values_list("name", flat=True)) == set(REPORTS)
    for row in kept.filter(day=day):
        assert sha256(bytes(row.body)).hexdigest() == row.sha256
        head = dict(row.head)
        assert (head["period"], head["made_by"], head["build"]) == (f"{day} (UTC)", "the platform", "no release")
    liability = kept.get(day=day, partner=None, name="liability")
    again = report_file(played.report("liability", Period(day, day)), FileForm.CSV)
    assert bytes(liability.body) == again
    ours, theirs = (kept.get(day=day, partner=partner, name="players") for partner in played.partners)
    client.force_login(staff_make(Role.PARTNER_STAFF, partner=played.partners[0]))
    page = client.get(reverse("admin:reports_kept")).content.decode()
    assert ours.sha256 in page
    assert played.partners[1].slug not in page
    assert client.get(reverse("admin:report_kept", args=[ours.pk])).content == bytes(ours.body)
    assert client.get(reverse("admin:report_kept", args=[theirs.pk])).status_code == 404
    assert client.get(reverse("admin:report_kept", args=[liability.pk])).status_code == 404
    client.force_login(staff_make(Role.AUDITOR))
    assert client.get(reverse("admin:report_kept", args=[liability.pk])).content == again
    assert AuditEntry.objects.filter(action="report.export", subject=f"kept report {ours.pk}").count() == 1
    for statement in ("UPDATE kept_report SET body = ''", "DELETE FROM kept_report"):
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)


def _forms_are_the_same(played: Played) -> None:
    today = datetime.now(UTC).date()
    player = played.partners[0].players.get()
    player_status_set(operator=played.operator, player=player, status=PlayerStatus.BLOCKED, reason="=asked()")
    access_record(user=played.operator, kind=AccessKind.LOG_IN, request=None)
    token = game_session_open(player=played.partners[1].players.get(), game="og-blackjack", currency_code="FUN")[1]
    assert player_of(next(game for game in games() if game.slug == "blackjack")).leave_open(token)
    for name in REPORTS:
        report = played.report(name, Period(today - timedelta(days=DAYS), today))
        assert report.table.rows, name
        lines = list(csv.reader(io.StringIO(report_file(report, FileForm.CSV).decode())))
        sheet = load_workbook(io.BytesIO(report_file(report, FileForm.XLSX))).worksheets[0]
        assert [[_sheet_text(value) for value in row] for row in sheet.iter_rows(values_only=True)] == lines, name
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
    """However few rows are asked for: they are the first ones, and the number of all is known."""
    seen = dict[str, int]()
    for period, is_one in periods()[:4]:
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


def _sheet_text(value: object) -> str:
    """Return what a spreadsheet's cell holds as files write it."""
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
    query = {"length": "year", "until": f"{datetime.now(UTC):%Y-%m-%d}", "zone": "UTC"}
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


def _a_page_shows_the_first_rows_of_a_long_report(played: Played, client: Client) -> None:
    """The number of all rows stands on the page, and the files have them all."""
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
    assert f"The first 1000 of {count} rows." in page
    assert page.count("<tr>") == 1 + 1000
    body = client.get(reverse("admin:report_export", args=["staff", "csv"]), query).content.decode()
    assert len(list(csv.reader(io.StringIO(body)))) == 1 + count


def _events_are_told(played: Played) -> None:
    """Large wins and alterations are the events."""
    today = datetime.now(UTC).date()
    period = Period(today - timedelta(days=DAYS + 1), today)
    wins = records(played.report("large-wins", period))
    events = SignificantEvent.objects.filter(kind="large_win", round_id__isnull=False)
    assert [row["round"] for row in wins] == list(events.order_by("id").values_list("round_id", flat=True))
    assert wins
    assert all(isinstance(row["round"], UUID) for row in wins)
    adjusted = [row for row in records(played.report("alterations", period)) if row["amount"] == Decimal("7.5")]
    assert [(row["who"], row["reason"]) for row in adjusted] == [(played.operator.username, "a gift")] * 2
    assert all("balance" in row["before"] and "balance" in row["after"] for row in adjusted)
