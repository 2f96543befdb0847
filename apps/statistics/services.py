"""The fold: rounds and movements since the last fold are added to the day's rows, and days that ended two hours ago
are closed. The worker folds every 30 s (`CELERY_BEAT_SCHEDULE`).

Each step is one transaction that locks the row of `statistics_fold`, so that two folds take turns.
"""

from datetime import date, datetime, timedelta
from typing import Any, Final, NamedTuple

from django.db import IntegrityError, OperationalError, connection, transaction
from django.utils import timezone

from apps.audit.services import audit_record
from apps.core.database_errors import domain_error_of
from apps.core.database_snapshot import READERS_LOCK
from apps.core.errors import BadRequest, Busy, Conflict
from apps.core.reasons import reason_require
from apps.partners.models import Partner
from apps.statistics.large_plays import large_plays_record
from apps.statistics.luck import luck_json
from apps.statistics.models import FoldState, PartnerZone
from apps.statistics.ranges import UTC_ZONE
from apps.statistics.sums import SUM_TABLES, close_sql, differences_sql, fold_sql, month_sql, recount_sql

EDGE_AGE: Final = timedelta(seconds=5)
"""The minimum age of an edge. A transaction's time is slightly older than its virtual id."""
MAX_PERIOD_AT_ONCE: Final = timedelta(days=1)
"""The longest period that one transaction adds."""
CLOSED_AFTER: Final = timedelta(hours=2)
MAX_ZONE_WAIT: Final = timedelta(days=400)
"""How far ahead a time zone may begin. None can be chosen before it, unless it is withdrawn, so a wrong year would be
noticed late."""

_OLDEST_SQL: Final = """
    SELECT least((SELECT min(started_at) FROM game_round), (SELECT min(ctime) FROM wallet_transaction))
"""
# Transactions of others in this database. Those that hold the lock of readers cannot write.
_RUNNING_SQL: Final = """
    SELECT coalesce(array_agg(running.virtualtransaction), '{}')
    FROM pg_locks AS running JOIN pg_stat_activity AS activity ON activity.pid = running.pid
    WHERE running.locktype = 'virtualxid' AND running.mode = 'ExclusiveLock' AND running.pid <> pg_backend_pid()
        AND activity.datname = current_database() AND activity.usesysid IS NOT NULL
        AND NOT EXISTS (
            SELECT FROM pg_locks AS reader
            WHERE reader.pid = running.pid AND reader.locktype = 'advisory' AND reader.granted
                AND reader.classid = 0 AND reader.objid = %(readers)s
        )
"""

# The moment at which each day begins. Where clocks are set back from one o'clock to midnight, a day has two midnights:
# PostgreSQL takes the second one, although the date is the day's from the first one on. The first is midnight by the
# clock of 24 hours before.
_MIDNIGHTS_SQL: Final = """
    SELECT CASE WHEN earlier AT TIME ZONE %(zone)s = midnight THEN least(earlier, later) ELSE later END
    FROM unnest(%(days)s::date[]) AS day, LATERAL (
        SELECT day::timestamp AS midnight, day::timestamp AT TIME ZONE %(zone)s AS later
    ) AS named, LATERAL (
        SELECT later - interval '24 hours' AS before
    ) AS of_before, LATERAL (
        SELECT (midnight - (before AT TIME ZONE %(zone)s - before AT TIME ZONE 'UTC')) AT TIME ZONE 'UTC' AS earlier
    ) AS by_former_clock
    ORDER BY day
"""


class Folded(NamedTuple):
    """The result of a fold."""

    edge: datetime | None
    closed: int
    """The number of closed days, of all time zones."""


def statistics_fold(*, edge_age: timedelta = EDGE_AGE) -> Folded:
    """Add everything before the newest safe edge (`_fold_once`), and close the days that are due.

    The edge stays at least `edge_age` behind the clock. Commits by itself, more than once if there is much to add. A
    day that fails keeps only the later days of its zone from their close; raises ExceptionGroup at the end. A fold that
    finds another one at work for longer than `lock_timeout`, as at the close of a day with many rounds, leaves the rest
    to it.
    """
    try:
        while _fold_once(edge_age):
            pass
    except Busy:
        return Folded(FoldState.objects.values_list("edge", flat=True).first(), 0)
    state = FoldState.objects.get(pk=1)
    return Folded(state.edge, _days_close(state.edge))


def days_due(*, now: datetime, edge: datetime) -> list[tuple[date, str]]:
    """Return the days to be closed, with their zones, oldest first."""
    with connection.cursor() as cursor:
        cursor.execute(_DAYS_DUE_SQL, {"over": min(now - CLOSED_AFTER, edge)})
        due: list[tuple[date, str]] = cursor.fetchall()
        return due


def day_parameters(day: date, zone: str) -> dict[str, Any]:
    """Return the parameters of the statements about a day: its beginning and end in its zone."""
    with connection.cursor() as cursor:
        cursor.execute(_MIDNIGHTS_SQL, {"days": [day, day + timedelta(days=1)], "zone": zone})
        (since,), (until,) = cursor.fetchall()
    return {"day": day, "zone": zone, "since": since, "until": until}


@transaction.atomic(durable=True)
def day_close(*, day: date, zone: str) -> int:
    """Compare a day with a recount, correct the differences, and close it. Returns the number of rows that differed.

    Locks the state of the fold. Does nothing if the day is closed. Raises Busy.
    """
    _state_lock()
    parameters = day_parameters(day, zone)
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = 0")
        cursor.execute("SELECT FROM statistics_day WHERE day = %(day)s AND zone = %(zone)s", parameters)
        if cursor.rowcount:
            return 0
        parameters["luck"] = luck_json(parameters)
        cursor.execute(differences_sql(), parameters | {"at_most": None})
        differing = [name for name, _ in cursor.fetchall()]
        for table in SUM_TABLES:
            if table.name in differing:
                for statement in recount_sql(table):
                    cursor.execute(statement, parameters)
            cursor.execute(close_sql(table), parameters)
        cursor.execute(
            "INSERT INTO statistics_day (day, zone, corrected) VALUES (%(day)s, %(zone)s, %(corrected)s)",
            parameters | {"corrected": len(differing)},
        )
        if differing and zone == UTC_ZONE:
            # A round that no fold has added may be large.
            large_plays_record(since=parameters["since"], until=parameters["until"])
        if (day + timedelta(days=1)).day == 1:
            cursor.execute(month_sql(), parameters | {"first": day.replace(day=1)})
    if differing:
        audit_record(
            actor="platform",
            action="statistics.corrected",
            subject=f"statistics of {day} {zone}",
            data={"rows": len(differing)},
            reason="the recount of the day differed",
        )
    return len(differing)


@transaction.atomic
def partner_zone_set(
    *, partner: Partner, zone: str, from_day: date, actor: str, actor_user_id: int | None = None
) -> PartnerZone:
    """Let the partner's days be those of a time zone, from a future day.

    Raises BadRequest: there is no such zone, or the day has begun there, is too far away or is not after those chosen
    before.
    """
    before = PartnerZone.objects.filter(partner=partner, withdrawn_at__isnull=True).order_by("-from_day").first()
    if from_day > timezone.now().date() + MAX_ZONE_WAIT:
        raise BadRequest(f"from_day: a time zone begins on one of the next {MAX_ZONE_WAIT.days} days", field="from_day")
    try:
        with transaction.atomic():
            chosen = PartnerZone.objects.create(partner=partner, zone=zone, from_day=from_day, by=actor)
    except IntegrityError as error:
        chosen_before = "" if before is None else f"; {before.zone} from {before.from_day} was chosen before"
        raise BadRequest(
            f"from_day: a time zone begins on a coming day, after those that were chosen before{chosen_before}",
            field="from_day",
        ) from error
    audit_record(
        actor=actor,
        actor_user_id=actor_user_id,
        action="partner.zone",
        subject=f"partner {partner.slug}",
        partner_id=partner.pk,
        data={
            "before": {"zone": "UTC" if before is None else before.zone},
            "after": {"zone": zone, "from_day": from_day},
        },
    )
    return chosen


@transaction.atomic
def partner_zone_withdraw(
    *, chosen: PartnerZone, reason: str, actor: str, actor_user_id: int | None = None
) -> PartnerZone:
    """Withdraw a time zone that has not begun: the one before it goes on. Its row stays.

    Locks the row. Raises BadRequest (no reason), Conflict (it is withdrawn already, or has begun).
    """
    reason = reason_require(reason)
    held = PartnerZone.objects.select_for_update(of=("self",)).select_related("partner").get(pk=chosen.pk)
    if held.withdrawn_at is not None:
        raise Conflict("this time zone is withdrawn already")
    held.withdrawn_at, held.withdrawn_by, held.withdrawn_reason = timezone.now(), actor, reason
    try:
        with transaction.atomic():
            held.save(update_fields=["withdrawn_at", "withdrawn_by", "withdrawn_reason"])
    except IntegrityError as error:
        raise Conflict(
            "this time zone has begun, so days are counted in it: choose another one from a coming day"
        ) from error
    audit_record(
        actor=actor,
        actor_user_id=actor_user_id,
        action="partner.zone_withdraw",
        subject=f"partner {held.partner.slug}",
        partner_id=held.partner_id,
        data={"before": {"zone": held.zone, "from_day": held.from_day}, "after": {}},
        reason=held.withdrawn_reason,
    )
    return held


@transaction.atomic(durable=True)
def _fold_once(edge_age: timedelta) -> bool:
    """Advance the edge once if that is safe; return whether there is more to add.

    A transaction's rows have a time that is not before its start. So no row can appear before an edge after all
    transactions have ended that were running when the edge was chosen.
    """
    state = _state_lock()
    is_more = False
    with connection.cursor() as cursor:
        # The clock is read first: a transaction that begins later writes nothing before the edge.
        cursor.execute("SELECT clock_timestamp()")
        fresh = cursor.fetchone()[0] - edge_age
        running = _running(cursor)
        if state.edge is None:
            cursor.execute(_OLDEST_SQL)
            (state.edge,) = cursor.fetchone()
        if state.candidate is None or not set(state.waits_for) & running:
            until = state.candidate
            if not running:
                until = fresh
            is_more = state.edge is not None and until is not None and until > state.edge + MAX_PERIOD_AT_ONCE
            if not is_more:
                state.candidate, state.waits_for = fresh, sorted(running)
            if state.edge is not None and until is not None and until > state.edge:
                state.edge = _add(cursor, since=state.edge, until=min(until, state.edge + MAX_PERIOD_AT_ONCE))
    state.save()
    return is_more


def _add(cursor: Any, *, since: datetime, until: datetime) -> datetime:
    cursor.execute("SET LOCAL statement_timeout = 0")
    parameters: dict[str, Any] = {"since": since, "until": until, "zone": None}
    parameters["luck"] = luck_json(parameters)
    # The rows of a day are counted in memory.
    cursor.execute("SET LOCAL work_mem = '64MB'")
    cursor.execute(fold_sql(), parameters)
    large_plays_record(since=since, until=until)
    return until


def _state_lock() -> FoldState:
    try:
        with connection.cursor() as cursor:
            cursor.execute("INSERT INTO statistics_fold (id, waits_for) VALUES (1, '{}') ON CONFLICT DO NOTHING")
        return FoldState.objects.select_for_update().get(pk=1)
    except OperationalError as error:
        refusal = domain_error_of(error)
        if isinstance(refusal, Busy):
            raise refusal from error
        raise


def _running(cursor: Any) -> set[str]:
    cursor.execute(_RUNNING_SQL, {"readers": READERS_LOCK})
    (ids,) = cursor.fetchone()
    return set(ids)


def _days_close(edge: datetime | None) -> int:
    if edge is None:
        return 0
    with connection.cursor() as cursor:
        cursor.execute("SELECT now()")
        (now,) = cursor.fetchone()
    closed = 0
    errors: dict[str, Exception] = {}
    for day, zone in days_due(now=now, edge=edge):
        if zone in errors:  # the last day of a month sums the days before it
            continue
        try:
            day_close(day=day, zone=zone)
            closed += 1
        except Busy:
            break
        except Exception as error:  # noqa: BLE001 - it is raised once the days of the other zones are closed
            error.add_note(f"the close of {day} in {zone}")
            errors[zone] = error
    if errors:
        raise ExceptionGroup("days that could not be closed", list(errors.values()))
    return closed


# Every day since the first row of its zone, so that a day without rows is closed too.
_DAYS_DUE_SQL: Final = """
    WITH zone AS (
        SELECT zone AS name, least(
            min(period), (SELECT max(day) + 1 FROM statistics_day WHERE statistics_day.zone = open.zone)
        ) AS first
        FROM (
            SELECT zone, period FROM play_stat WHERE closed_at IS NULL
            UNION ALL SELECT zone, period FROM movement_day WHERE closed_at IS NULL
            UNION ALL SELECT zone, max(day) + 1 FROM statistics_day GROUP BY zone
        ) AS open
        GROUP BY zone
    )
    SELECT midnight::date, zone.name
    FROM zone, generate_series(
        zone.first::timestamp, (%(over)s::timestamptz AT TIME ZONE zone.name)::date, '1 day'
    ) AS midnight
    WHERE (midnight + interval '1 day') AT TIME ZONE zone.name <= %(over)s
        AND NOT EXISTS (
            SELECT FROM statistics_day AS closed WHERE closed.day = midnight::date AND closed.zone = zone.name
        )
    ORDER BY midnight, zone.name
"""
