"""The statistics are the sums of the rounds and movements, whatever happens during the fold."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from random import Random

import psycopg
import pytest
from django.db import DatabaseError, connection, transaction
from django.test.utils import CaptureQueriesContext

from apps.accounts.models import Player, Role
from apps.audit.models import AuditEntry
from apps.core.database_snapshot import READERS_LOCK, one_moment
from apps.events.models import EventKind, SignificantEvent
from apps.events.thresholds import WAGER
from apps.office.proof import proof_run
from apps.office.threshold_changes import event_threshold_set
from apps.rounds.game_sessions import game_session_open
from apps.rounds.models import GameSession, Round
from apps.rounds.registry import games
from apps.rounds.selectors import round_explain
from apps.rounds.services import round_void
from apps.statistics import services
from apps.statistics.models import (
    CardStat,
    FoldState,
    GameDay,
    MovementDay,
    PartnerHour,
    PlayerDay,
    PlayStat,
    StatisticsDay,
)
from apps.statistics.recount_check import _days_asked, statistics_check
from apps.statistics.services import day_close, days_due
from apps.statistics.sums import SUM_TABLES
from apps.wallet.models import WalletTransaction
from apps.wallet.seals import daily_seal_take
from tests.conftest import superuser_url
from tests.contract.players import player_of
from tests.office.rows import config_make, round_make
from tests.support.baccarat import seeds_choose
from tests.support.factories import partner_make, player_make, staff_make
from tests.support.listed_rounds import listed_as_counted
from tests.support.long_form import IS_LONG
from tests.support.offers import games_offer
from tests.support.played import baccarat_session
from tests.support.table_play import PlayedTable
from tests.support.tables import players_make, table_make
from tests.support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("committed")

ROOT = Path(__file__).parents[2]
DAYS = 70 if IS_LONG else 35
"""The age in days of the rounds whose days are closed one after the other. A whole month has ended since."""


def everything_play(rounds: int = 3) -> Player:
    """Have a player play some rounds of each game, and two players one of a table; void one round."""
    partner = partner_make()
    games_offer(partner)
    player = player_make(balance=Decimal(10_000), partner=partner)
    random = Random(7)
    for game in games():
        _, token = game_session_open(player=player, game=game.id, currency_code="FUN")
        for _ in range(rounds):
            player_of(game).play(token, random)
    table_partner, players = players_make(2)
    PlayedTable(table_make(table_partner, currency="FUN", window_s=30, turn_s=60), players).round_play()
    first = Round.objects.filter(player=player).earliest("started_at")
    round_void(operator=staff_make(Role.OPERATOR), round=first, reason="a test")
    return player


def statistics_fold(edge_age: timedelta = timedelta(0)) -> datetime | None:
    """Fold without keeping a distance to the clock, or with this one."""
    return services.statistics_fold(edge_age=edge_age).edge


def folded() -> None:
    """Fold until all that has been committed is in the statistics, and the edge has come to the present.

    A fold ends early if another transaction runs meanwhile, such as one of an earlier test's server. Days are closed up
    to its edge alone, which may be behind although every row is added.
    """
    newest = max(
        datetime.now(UTC),
        Round.objects.exclude(ended_at=None).latest("ended_at").ended_at,
        WalletTransaction.objects.latest("ctime").ctime,
    )

    def is_in() -> bool:
        edge = statistics_fold()
        return edge is not None and edge > newest

    wait_until(is_in, "the edge is behind the newest row")


def findings() -> list[str]:
    return [f"{finding.where}: {finding.what}" for finding in proof_run().findings]


def statistics_findings() -> list[str]:
    """Return the findings about the statistics. The ledger's proof also names rows that a test has moved in time."""
    return [
        finding
        for finding in findings()
        if finding.startswith(("play_stat", "player_day", "partner_hour", "movement_day", "card_stat", "luck_stat"))
    ]


def total(name: str, **only: object) -> Decimal:
    return sum((getattr(row, name) for row in PlayStat.objects.filter(zone="UTC", level="day", **only)), Decimal(0))


def test_a_day_is_due_to_be_closed_two_hours_after_its_end_and_not_before_the_fold_is_there() -> None:
    baccarat_session()
    folded()
    day = PlayStat.objects.filter(zone="UTC", level="day").latest("period").period
    end = datetime.combine(day + timedelta(days=1), time(), UTC)
    early, due = end + timedelta(hours=1, minutes=59), end + timedelta(hours=2)
    assert (day, "UTC") not in days_due(now=early, edge=early)
    assert (day, "UTC") in days_due(now=due, edge=due)
    assert (day, "UTC") not in days_due(now=due, edge=end - timedelta(seconds=1))


def test_a_day_is_due_after_the_days_before_it_are_closed() -> None:
    baccarat_session()
    folded()
    day = PlayStat.objects.filter(zone="UTC", level="day").latest("period").period
    for number in range(3):
        due = datetime.combine(day + timedelta(days=number + 1), time(2), UTC)
        assert days_due(now=due, edge=due) == [(day + timedelta(days=number), "UTC")]
        day_close(day=day + timedelta(days=number), zone="UTC")
        assert days_due(now=due, edge=due) == []


def test_stakes_payouts_and_movements_are_those_of_the_ledger() -> None:
    player = everything_play()
    folded()
    ended = Round.objects.filter(how_ended__in=["played", "auto_completed"])
    assert total("stake") == sum(played.stake for played in ended)
    assert total("payout") == sum(played.payout for played in ended)
    movements = WalletTransaction.objects.all()
    assert -total("stake") == sum(each.change for each in movements if each.kind == "bet")
    assert total("payout") == sum(each.change for each in movements if each.kind == "reward")
    assert {row.kind: row.count for row in MovementDay.objects.filter(house_account__partner=player.partner)} == {
        kind: movements.filter(wallet__player=player, kind=kind).count()
        for kind in set(movements.filter(wallet__player=player).values_list("kind", flat=True))
    }
    assert sum(row.change for row in MovementDay.objects.all()) == sum(each.change for each in movements)
    assert sum(row.n for row in PlayerDay.objects.filter(player=player)) == ended.filter(player=player).count()
    assert listed_as_counted() >= 20
    of_hours, of_days = (rows.filter(zone="UTC") for rows in (PartnerHour.objects, GameDay.objects))
    assert sum(row.bets or 0 for row in of_hours) == sum(row.bets for row in of_days) > ended.count()
    assert findings() == []


def test_a_void_is_counted_beside_what_was_played() -> None:
    everything_play()
    folded()
    (voided,) = Round.objects.filter(void__isnull=False)
    assert total("voided_stake") == voided.stake
    assert total("voided_payout") == voided.payout
    assert total("voided_stake", game=voided.game) == voided.stake


def test_expected_payout_variance_and_hits_follow_from_the_pay_table() -> None:
    player, _ = baccarat_session(bets=5)
    folded()
    rows = PlayStat.objects.filter(partner=player.partner)
    assert {row.kind for row in rows} == {"BaccaratGameBetOnPlayer", "BaccaratGameBetTie"}
    for row in rows:
        assert row.paytable is not None
        line = row.paytable.lines.get(kind=row.kind)
        stake = {"BaccaratGameBetOnPlayer": Decimal(5), "BaccaratGameBetTie": Decimal(1)}[row.kind]
        assert (row.n, row.bets, row.stake, row.stake_squared) == (5, 5, 5 * stake, 5 * stake**2)
        assert row.expected == 5 * (stake * line.rtp).quantize(Decimal("1e-12"))
        assert row.variance == 5 * (stake**2 * line.deviation**2).quantize(Decimal("1e-12"))
        assert sum(row.hits) == 5
        payouts = [Decimal(each["payout"]) for each in line.lines]
        assert row.payout == sum(hits * stake * payout for hits, payout in zip(row.hits, payouts, strict=False))
        assert (row.door, row.device, row.band) == ("token", "unknown", 3)


def test_the_device_of_a_session_has_rows_of_its_own() -> None:
    player, _ = baccarat_session(bets=2)
    GameSession.objects.filter(player=player).update(device="app")
    baccarat_session(bets=1)
    folded()
    rows = PlayStat.objects.filter(zone="UTC", kind="BaccaratGameBetTie", level="day")
    assert {row.device: row.n for row in rows} == {"app": 2, "unknown": 1}


def test_all_seats_of_a_table_are_one_round_of_a_kind() -> None:
    partner, players = players_make(2)
    PlayedTable(table_make(partner, currency="FUN", window_s=30, turn_s=60), players).round_play(amount=10)
    folded()
    row = PlayStat.objects.get(partner=partner, kind="hand")
    assert (row.n, row.door) == (1, "table")
    assert row.stake_squared == row.stake**2
    assert row.stake >= 20


def test_faces_are_counted_at_the_places_that_no_decision_moves() -> None:
    player = everything_play()
    folded()
    dealt = Counter[tuple[str, int, str]]()
    for each in Round.objects.filter(player=player):
        hands = round_explain(each).hands
        first, second = (hands[1], hands[0]) if each.game == "og-blackjack" else hands[:2]
        cards = [first.cards[0], second.cards[0]]
        if each.game == "og-baccarat":
            cards += [first.cards[1], second.cards[1], *first.cards[2:], *second.cards[2:]]
        dealt.update((each.game, place, card) for place, card in enumerate(cards))
    assert cards_counted() == dealt
    # The table's shoe has six decks. Its counts are of each seat's first card and the dealer's.
    at_table = CardStat.objects.filter(decks=6).values_list("game", "place").distinct()
    assert set(at_table) == {("og-blackjack", place) for place in range(3)}
    assert findings() == []


def cards_counted() -> dict[tuple[str, int, str], int]:
    """Return the counts of solo rounds by game, place and card."""
    rows = CardStat.objects.filter(zone="UTC", decks=8)
    return {(row.game, row.place, row.card): row.count for row in rows}


def test_third_cards_of_days_from_before_they_were_counted_are_added_by_their_migration(
    superuser: psycopg.Connection,
) -> None:
    baccarat_session(bets=30)
    played_days_ago(superuser, 2)
    folded()
    counted = cards_counted()
    assert {place for _, place, _ in counted} == set(range(6))
    for name in ("0010_third_cards_reverse.sql", "0010_third_cards.sql"):
        superuser.execute("SET session_replication_role = origin")
        superuser.execute((ROOT / "apps/baccarat/migrations" / name).read_bytes())
        assert (cards_counted() == counted) is (name == "0010_third_cards.sql")
    assert not CardStat.objects.filter(closed_at=None).exists()
    assert statistics_findings() == []


def test_a_second_fold_adds_nothing_again() -> None:
    everything_play()
    folded()
    before = list(PlayStat.objects.order_by("pk").values())
    folded()
    assert list(PlayStat.objects.order_by("pk").values()) == before


def test_a_fold_reads_the_rounds_once_for_all_tables() -> None:
    everything_play()
    with CaptureQueriesContext(connection) as ran:
        folded()
    tables = {table.name for table in SUM_TABLES}
    adding = [each["sql"] for each in ran if any(f"INTO {name} (" in each["sql"] for name in tables)]
    assert all(f"INTO {name} (" in sql for name in tables for sql in adding)
    assert adding


def test_the_fold_finds_the_rows_of_open_days_by_index() -> None:
    """It asks every 30 seconds, and the rows of closed days become more every day."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(f"EXPLAIN {services._DAYS_DUE_SQL}", {"over": datetime.now(UTC)})
        plan = "\n".join(line for (line,) in cursor.fetchall())
    for table in ("play_stat", "movement_day"):
        assert f"using {table}_open on {table}" in plan, plan
        assert f"Seq Scan on {table}" not in plan, plan


def test_two_folds_at_once_add_everything_once(at_once: Callable[[int, Callable[[], object]], list[str]]) -> None:
    everything_play()
    assert at_once(3, statistics_fold) == ["ok"] * 3
    folded()
    assert findings() == []


def test_a_fold_beside_a_long_close_leaves_the_rest_to_it(superuser: psycopg.Connection) -> None:
    """A close holds the state for longer than `lock_timeout`, and the worker begins a fold every 30 seconds."""
    everything_play()
    folded()
    before = FoldState.objects.get()
    assert before.edge is not None
    with superuser.transaction(), connection.cursor() as cursor:
        superuser.execute("SELECT FROM statistics_fold FOR UPDATE")
        cursor.execute("SET lock_timeout = 1")
        try:
            assert services.statistics_fold() == (before.edge, 0)
            assert services._days_close(datetime.now(UTC) + timedelta(days=2)) == 0
        finally:
            cursor.execute("RESET lock_timeout")
    assert FoldState.objects.get().candidate == before.candidate
    assert (statistics_fold() or before.edge) > before.edge


def test_a_row_that_commits_late_is_not_lost(superuser: psycopg.Connection) -> None:
    """Its transaction began and wrote long before it commits, and the edge waits for it."""
    everything_play()
    folded()
    with psycopg.connect(superuser_url()) as late:
        late.execute("SET ROLE punto_app")
        written = _movement_write(late)
        before = FoldState.objects.get().edge
        for _ in range(3):
            statistics_fold()
        stuck = FoldState.objects.get().edge
        assert stuck is not None
        assert stuck <= written
        late.commit()
    folded()
    after = FoldState.objects.get().edge
    assert before is not None
    assert after is not None
    assert after > written
    assert sum(row.change for row in MovementDay.objects.all()) == sum(
        each.change for each in WalletTransaction.objects.all()
    )


def test_a_row_is_not_lost_whose_transaction_begins_while_the_fold_chooses_its_edge() -> None:
    """The fold stops after it has looked for running transactions, as on a paused machine."""
    everything_play()
    folded()
    with psycopg.connect(superuser_url()) as late:
        late.execute("SET ROLE punto_app")
        late.commit()
        written: list[datetime] = []

        def write_after_the_look(execute: Callable[..., object], sql: str, *rest: object) -> object:
            answer = execute(sql, *rest)
            if "virtualxid" in sql and not written:
                written.append(_movement_write(late))
            return answer

        with connection.execute_wrapper(write_after_the_look):
            statistics_fold()
        edge = FoldState.objects.get().edge
        late.commit()
    assert edge is not None
    assert edge <= written[0]
    folded()
    assert sum(row.change for row in MovementDay.objects.all()) == sum(
        each.change for each in WalletTransaction.objects.all()
    )


def test_with_the_clock_alone_the_late_row_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the wait for running transactions the row is lost, so the race is real."""
    monkeypatch.setattr(services, "_running", lambda _: set())
    everything_play()
    folded()
    with psycopg.connect(superuser_url()) as late:
        late.execute("SET ROLE punto_app")
        written = _movement_write(late)
        wait_until(lambda: (statistics_fold() or written) > written, "the edge passes the open transaction")
        late.commit()
    folded()
    assert sum(row.change for row in MovementDay.objects.all()) != sum(
        each.change for each in WalletTransaction.objects.all()
    )


def _movement_write(late: psycopg.Connection) -> datetime:
    """Write a deposit in an open transaction, and return its time."""
    row = late.execute(
        "INSERT INTO wallet_transaction (wallet_id, kind, change, source_key, reason)"
        " SELECT id, 'deposit', 7, 'late:1:deposit', '' FROM wallet ORDER BY id LIMIT 1 RETURNING ctime"
    ).fetchone()
    assert row is not None
    written: datetime = row[0]
    return written


def test_a_long_reader_does_not_hold_the_edge() -> None:
    everything_play()
    folded()
    with psycopg.connect(superuser_url()) as reader:
        reader.execute("SET ROLE punto_app")
        reader.execute("SELECT pg_advisory_xact_lock_shared(%s)", [READERS_LOCK])
        before = FoldState.objects.get().edge
        assert before is not None
        wait_until(lambda: (statistics_fold() or before) > before, "the edge moves while the reader reads")


def days_ago(number: int) -> date:
    return datetime.now(UTC).date() - timedelta(days=number)


def played_days_ago(superuser: psycopg.Connection, number: int) -> None:
    """Move all rounds to a time in the past."""
    superuser.execute("SET session_replication_role = replica")
    for table, columns in {
        "game_round": ("started_at", "ended_at"), "wallet_transaction": ("ctime",), "round_void": ("ctime",),
        "statistics_fold": ("edge", "candidate"),
    }.items():  # fmt: skip
        shifted = ", ".join(f"{name} = {name} - make_interval(days => {number})" for name in columns)
        superuser.execute(f"UPDATE {table} SET {shifted}")


def test_a_closed_day_never_changes(superuser: psycopg.Connection) -> None:
    everything_play()
    played_days_ago(superuser, 2)
    folded()
    assert StatisticsDay.objects.filter(day=days_ago(2), zone="UTC").exists()
    for statement, why in (
        ("UPDATE play_stat SET stake = stake + 1", "is closed"),
        ("DELETE FROM player_day", "is closed"),
        ("UPDATE movement_day SET closed_at = NULL", "is closed"),
        (
            (
                "INSERT INTO movement_day (period, zone, house_account_id, kind, count, change)"
                " SELECT period, zone, house_account_id, 'other', 1, 1 FROM movement_day"
            ),
            "is closed",
        ),
        ("DELETE FROM statistics_day", "permission denied"),
    ):
        refusal = pytest.raises(DatabaseError, match=why)
        with refusal, transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
    assert all(row.closed_at for row in PlayStat.objects.all())


def test_a_row_of_a_closed_day_that_is_altered_or_removed_is_named_by_the_seal(superuser: psycopg.Connection) -> None:
    """The recount names the row too, but an intruder could alter the rounds as well."""
    baccarat_session(bets=2)
    played_days_ago(superuser, 2)
    folded()
    sealed_on = daily_seal_take(day=days_ago(1)).day
    expected = set()
    for table in (table.name for table in SUM_TABLES if table.name != "luck_stat"):
        rows = superuser.execute(f"SELECT id FROM {table} ORDER BY id").fetchall()  # type: ignore[arg-type]
        (first,), (last,) = rows[0], rows[-1]
        column = "count" if table in ("movement_day", "card_stat") else "n"
        superuser.execute(f"UPDATE {table} SET {column} = {column} + 1 WHERE id = %s", [first])  # type: ignore[arg-type]
        expected.add(f"{table} row {first}: it is not as it was sealed on {sealed_on}")
        if last != first:
            superuser.execute(f"DELETE FROM {table} WHERE id = %s", [last])  # type: ignore[arg-type]
            expected.add(f"{table} row {last}: it was removed: it was sealed on {sealed_on}")
    assert expected <= set(findings())
    assert len(expected) > 6


def test_the_recount_puts_right_what_a_clock_that_was_set_back_left_out(superuser: psycopg.Connection) -> None:
    """Rounds get a time before the edge, so no fold adds them. The close of their day adds them and says so. Their wins
    are large, so they become events then.
    """
    operator = staff_make(Role.OPERATOR)
    event_threshold_set(operator=operator, measure=WAGER, currency="FUN", value=Decimal(6), reason="a test")
    everything_play()
    folded()
    before = total("n")
    player, _ = baccarat_session(bets=2)
    superuser.execute("SET session_replication_role = replica")
    superuser.execute(
        "UPDATE game_round SET ended_at = (SELECT min(ended_at) FROM game_round) WHERE player_id = %s", [player.pk]
    )
    folded()
    assert total("n") == before
    rounds = Round.objects.filter(player=player).values("pk")
    large = SignificantEvent.objects.filter(kind=EventKind.LARGE_WAGER, round_id__in=rounds)
    assert not large.exists()
    day = Round.objects.filter(player=player).latest("ended_at").ended_at
    assert day is not None
    corrected = day_close(day=day.astimezone(UTC).date(), zone="UTC")
    assert corrected >= 2
    assert total("n") == before + 4
    assert AuditEntry.objects.filter(action="statistics.corrected").count() == 1
    assert SignificantEvent.objects.get(kind=EventKind.DATA_CHANGED).reason == "the recount of the day differed"
    assert large.count() == 2


def test_a_day_that_cannot_be_closed_keeps_only_its_zone_from_the_close(superuser: psycopg.Connection) -> None:
    baccarat_session(bets=1)
    played_days_ago(superuser, 4)
    for zone in ("Asia/Tokyo", "Europe/Berlin"):
        StatisticsDay.objects.create(day=days_ago(5), zone=zone, corrected=0)
    superuser.execute("ALTER TABLE statistics_day ADD CONSTRAINT refused CHECK (zone <> 'Asia/Tokyo') NOT VALID")
    try:
        with pytest.raises(ExceptionGroup) as failed:
            folded()
    finally:
        superuser.execute("ALTER TABLE statistics_day DROP CONSTRAINT refused")
    (error,) = failed.value.exceptions
    assert error.__notes__ == [f"the close of {days_ago(4)} in Asia/Tokyo"]
    closed = StatisticsDay.objects.filter(day__gte=days_ago(4), day__lte=days_ago(3))
    assert sorted(set(closed.values_list("zone", flat=True))) == ["Europe/Berlin", "UTC"]
    folded()
    assert closed.filter(zone="Asia/Tokyo").count() == 2


def test_each_day_since_the_first_is_closed_once_and_a_month_is_the_sum_of_its_days(
    superuser: psycopg.Connection,
) -> None:
    everything_play()
    played_days_ago(superuser, DAYS)
    folded()
    days = list(StatisticsDay.objects.filter(zone="UTC").order_by("day").values_list("day", flat=True))
    assert days[0] == days_ago(DAYS)
    assert days == [days[0] + timedelta(days=number) for number in range(len(days))]
    assert days[-1] in {days_ago(1), days_ago(2)}
    months = PlayStat.objects.filter(level="month")
    assert {row.period for row in months} == {days_ago(DAYS).replace(day=1)}
    for name in ("n", "stake", "payout", "expected", "variance", "voided_stake"):
        assert sum(getattr(row, name) for row in months) == total(name)
    assert statistics_findings() == []
    superuser.execute("UPDATE play_stat SET n = n + 1 WHERE level = 'month'")
    assert any("is not the sum of its days" in finding for finding in findings())


def test_the_proof_recounts_yesterday_and_a_month_by_chance_or_every_day(superuser: psycopg.Connection) -> None:
    """Two days of one month and one of another are closed too, without rounds."""
    baccarat_session(bets=2)
    played_days_ago(superuser, 2)
    folded()
    superuser.execute("SET session_replication_role = replica")
    superuser.execute("UPDATE player_day SET stake = stake + 1")
    superuser.execute(
        "INSERT INTO statistics_day (day, zone, corrected) SELECT day, 'UTC', 0 FROM ("
        " SELECT current_date - 300 AS day"
        " UNION ALL SELECT date_trunc('month', current_date - 100)::date + number FROM generate_series(0, 1) AS number"
        ") AS closed"
    )
    with one_moment(read_only=True):
        now = datetime.now(UTC)
        whole = statistics_check(at_most=9)
        some = [statistics_check(at_most=9, since=now).checked]
        while len(set(some)) == 1 and len(some) < 40:  # until chance has chosen two months of different lengths
            some.append(statistics_check(at_most=9, since=now).checked)
    assert any(finding.where.startswith("player_day") for finding in whole.findings)
    assert whole.checked > max(some) > min(some)
    with connection.cursor() as cursor:
        assert _days_asked(cursor, now)["since"] == now.date() - timedelta(days=1)
        assert _days_asked(cursor, now - timedelta(days=5))["since"] == now.date() - timedelta(days=5)


def test_the_proof_names_a_row_that_is_not_as_recounted(
    superuser: psycopg.Connection, subtests: pytest.Subtests
) -> None:
    baccarat_session()
    folded()
    assert findings() == []
    superuser.execute("SET session_replication_role = replica")
    for table, statement in (
        ("play_stat", "UPDATE play_stat SET hits[1] = hits[1] + 1"),
        ("play_stat", "UPDATE play_stat SET variance = variance + 1"),
        ("player_day", "UPDATE player_day SET payout = payout + 1"),
        ("partner_hour", "UPDATE partner_hour SET n = n + 1"),
        ("partner_hour", "DELETE FROM partner_hour"),
        ("card_stat", "UPDATE card_stat SET count = count + 1"),
        ("movement_day", "DELETE FROM movement_day"),
    ):
        with subtests.test(statement), table_kept(superuser, table):
            superuser.execute(statement)
            assert any("a recount of" in finding for finding in findings())
    assert findings() == []


@contextmanager
def table_kept(superuser: psycopg.Connection, table: str) -> Iterator[None]:
    """Put the rows of the table back at the end of the block."""
    superuser.execute(f"CREATE TEMPORARY TABLE kept AS SELECT * FROM {table}")  # type: ignore[arg-type]
    try:
        yield
    finally:
        superuser.execute(f"DELETE FROM {table}")  # type: ignore[arg-type]
        superuser.execute(f"INSERT INTO {table} OVERRIDING SYSTEM VALUE SELECT * FROM kept")  # type: ignore[arg-type]
        superuser.execute("DROP TABLE kept")


def test_the_highest_stakes_fit_into_all_sums() -> None:
    """A sum that did not fit would stop the statistics of all partners: a fold is one statement."""
    stake = Decimal(900_000_000_000)
    player = player_make(balance=stake)
    config = config_make(player.partner)
    seeds_choose(player, lambda dealt: dealt.player_score == dealt.banker_score, rounds=3)
    for _ in range(3):
        round_make(player, config, stake=stake)
    folded()
    assert PlayerDay.objects.get(zone="UTC").stake == 3 * stake
    play = PlayStat.objects.get(zone="UTC", level="day")
    assert (play.stake, play.payout, play.stake_squared) == (3 * stake, 3 * stake, 3 * stake**2)
    assert GameDay.objects.get(zone="UTC").payout == 3 * stake
    assert proof_run().findings == []
