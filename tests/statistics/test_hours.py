"""Hours of days that were folded before the statistics had hours: the last four weeks are filled in, and earlier days
are not compared."""

from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from apps.statistics.models import PartnerHour, StatisticsDay
from tests.statistics.test_fold import everything_play, folded, statistics_findings
from tests.support.server import ROOT

pytestmark = pytest.mark.usefixtures("committed")

KEYS = ("period", "zone", "partner_id", "currency_id", "hour")
SUMS = ("n", "stake", "payout", "voided_n", "voided_stake", "voided_payout")


def test_an_upgrade_fills_in_the_newest_hours_as_the_fold_would_have_counted_them(
    superuser: psycopg.Connection,
) -> None:
    player = everything_play()
    superuser.execute("SET session_replication_role = replica")
    superuser.execute(
        "INSERT INTO partner_zone (partner_id, zone, from_day, by) VALUES (%s, 'Asia/Kathmandu', '2020-01-01', 'test')",
        [player.partner_id],
    )
    folded()
    counted = rows()
    assert {zone for _, zone, *_ in counted} == {"UTC", "Asia/Kathmandu"}
    superuser.execute("DELETE FROM partner_hour")
    file = ROOT / "apps" / "statistics" / "migrations" / "0009_partner_hour.sql"
    superuser.execute(file.read_text().split("CREATE TRIGGER")[0])  # type: ignore[arg-type]
    assert rows() == counted
    assert statistics_findings() == []


def test_days_that_were_closed_before_there_were_hours_are_not_compared(superuser: psycopg.Connection) -> None:
    everything_play()
    superuser.execute("SET session_replication_role = replica")
    before = datetime.now(UTC) - timedelta(days=2)
    superuser.execute("UPDATE game_round SET started_at = %s, ended_at = %s WHERE ended_at IS NOT NULL", [before] * 2)
    superuser.execute("UPDATE wallet_transaction SET ctime = %s", [before])
    folded()
    assert StatisticsDay.objects.filter(day=before.date()).exists()
    superuser.execute("DELETE FROM partner_hour")
    assert any("partner_hour" in finding for finding in statistics_findings())
    superuser.execute("UPDATE statistics_day SET ctime = '2001-01-01'")
    assert not any("partner_hour" in finding for finding in statistics_findings() if f"of {before.date()}" in finding)


def rows() -> set[tuple[object, ...]]:
    return set(PartnerHour.objects.values_list(*KEYS, *SUMS))
