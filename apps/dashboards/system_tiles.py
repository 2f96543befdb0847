"""The tiles of the running system: the load of its processes, and switches, alarms and delays."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

from django.db.models import Count
from django.urls import reverse

from apps.build.models import BuildCheck
from apps.core.count_texts import counted
from apps.core.metrics import served_now
from apps.core.staff_scope import Viewer, sees_all_partners
from apps.dashboards.system import replicas_now
from apps.dashboards.tile import Tile, recent_since, span_text
from apps.events.models import EventKind, SignificantEvent
from apps.evidence.selectors import alarms_open
from apps.statistics.models import FoldState
from apps.switches.models import Switch
from apps.switches.selectors import switches_named
from apps.wallet.models import DailySeal

KINDS_SHOWN: Final = 3
LATE_QUEUE: Final = 100
"""Tasks that wait; beat sends a handful a minute."""
SLOW_BET_S: Final = 0.15
LATE_FOLD: Final = timedelta(seconds=90)
LATE_REPLICA: Final = timedelta(seconds=10)


def process_tiles() -> Iterator[Tile]:
    """Yield the work of the server processes in the last minute, and the worker's queue."""
    served = served_now()
    system = reverse("admin:system")
    if served is None:
        note = "Redis does not answer, which counts them"
        for label in ("Server processes", "Bets, 99th percentile", "Open sockets", "Queue"):
            yield Tile(label, "unknown", note, system, "bad")
        return
    hosts = f"on {counted(len(served.hosts), 'host')}"
    yield Tile("Server processes", f"{served.processes:,}", hosts, system, "" if served.processes else "bad")
    is_slow = served.p99_s is not None and served.p99_s > SLOW_BET_S
    yield Tile(
        "Bets, 99th percentile",
        "-" if served.p99_s is None else f"{1000 * served.p99_s:.1f} ms",
        f"of {counted(served.answers, 'answer')} in the last minute",
        system,
        "bad" if is_slow else "",
    )
    yield Tile("Open sockets", f"{served.sockets:,}", "of tables and of games", system)
    is_long = served.queue >= LATE_QUEUE
    yield Tile("Queue", f"{served.queue:,}", "tasks that wait for a worker", system, "bad" if is_long else "")


def fold_tile(now: datetime) -> Tile:
    """Return the delay of the statistics."""
    edge = FoldState.objects.values_list("edge", flat=True).first()
    is_late = edge is None or now - edge > LATE_FOLD
    lag = "not begun" if edge is None else span_text(now - edge)
    return Tile("Statistics behind by", lag, "90 s at most", reverse("admin:system"), "bad" if is_late else "good")


def replica_tiles() -> Iterator[Tile]:
    """Yield the delay of each replica."""
    replicas = replicas_now()
    if not replicas:
        return
    may_see = all(each.state is not None for each in replicas)
    lag = max(each.lag or timedelta(0) for each in replicas)
    note = counted(len(replicas), "replica")
    yield Tile(
        "Replica behind by",
        span_text(lag) if may_see else "unknown",
        note if may_see else "the servers' role lacks pg_read_all_stats",
        reverse("admin:system"),
        "bad" if not may_see or lag > LATE_REPLICA else "good",
    )


def watch_tiles(viewer: Viewer, now: datetime) -> Iterator[Tile]:
    """Yield open alarms and switches that are off, for viewers of all partners, and the events of a week."""
    if sees_all_partners(viewer):
        alarms = len(alarms_open())
        yield Tile(
            "RTP alarms open",
            str(alarms),
            "two operators close one" if alarms else "every published RTP fits",
            f"{reverse('admin:evidence_evidencealarm_changelist')}?state=open",
            "bad" if alarms else "good",
        )
        off = list(Switch.objects.filter(is_off=True)[:3])
        more = Switch.objects.filter(is_off=True).count() - len(off)
        names = ", ".join(switches_named(off).values()) + (f" and {more} more" if more else "")
        yield Tile(
            "Switched off",
            str(len(off) + more),
            names or "everything is on",
            f"{reverse('admin:switches_switch_changelist')}?state=off",
            "bad" if off else "good",
        )
        yield _events_tile(recent_since(now))


def _events_tile(since: datetime) -> Tile:
    """Return the number of significant events, and of those of the most frequent kinds."""
    rows = SignificantEvent.objects.filter(ctime__gte=since).order_by().values_list("kind")
    counts = sorted(rows.annotate(count=Count("pk")), key=lambda counted: (-counted[1], counted[0]))
    kinds = [f"{count} {EventKind(kind).label}" for kind, count in counts[:KINDS_SHOWN]]
    others = sum(count for _, count in counts[KINDS_SHOWN:])
    note = "; ".join([*kinds, *([f"{others} of other kinds"] if others else [])])
    return Tile(
        "Significant events",
        str(sum(count for _, count in counts)),
        f"in 7 days: {note}" if note else "in 7 days",
        f"{reverse('admin:events_significantevent_changelist')}?ctime_from={since.date()}",
    )


def seal_tile(viewer: Viewer, now: datetime) -> Tile:
    """Return whether every day that has ended is sealed."""
    seal = DailySeal.objects.order_by("-day").first()
    behind = None if seal is None else (now.astimezone(UTC).date() - seal.day).days
    page = "admin:wallet_dailyseal_changelist" if sees_all_partners(viewer) else "admin:reconcile"
    return Tile(
        "Last seal",
        "none" if seal is None else f"{seal.day}",
        "covers every day that has ended" if behind == 1 else "a day that has ended has none",
        reverse(page),
        "good" if behind == 1 else "bad",
    )


def build_tiles(viewer: Viewer, now: datetime) -> Iterator[Tile]:
    """Yield the last check of the build, if there was one, for viewers of all partners."""
    check = BuildCheck.objects.order_by("-id").first() if sees_all_partners(viewer) else None
    if check is not None:
        value = f"{check.found} found" if check.found else "nothing found"
        note = f"version {check.version or 'unknown'}, {span_text(now - check.ctime)} ago"
        listing = reverse("admin:build_buildcheck_changelist")
        yield Tile("Build check", value, note, listing, "bad" if check.found else "good")
