"""The tiles of each role: a figure, what it means, and the list that it leads to."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Final
from urllib.parse import urlencode

from django.db.models import Count, Min
from django.urls import reverse
from django.utils import timezone

from apps.approvals.selectors import approvals_waiting
from apps.audit.models import AuditEntry
from apps.core.staff_scope import AUDITOR, OPERATOR, PARTNER_STAFF, Viewer, in_scope
from apps.dashboards.play_tiles import play_tiles
from apps.dashboards.system_tiles import (
    build_tiles,
    fold_tile,
    process_tiles,
    replica_tiles,
    seal_tile,
    watch_tiles,
)
from apps.dashboards.tile import Tile, recent_since, span_text
from apps.rounds.bets_sql import bets_begun
from apps.rounds.models import Round, RoundEnd, RoundVoid
from apps.scheduled_changes.models import ChangeStatus, ScheduledChange
from apps.statistics.models import FoldState, StatisticsDay

BETS_OVER_S: Final = 10
"""The seconds that bets a second are counted over."""
_PROOF: Final = "ledger.reconcile"


def tiles_of(viewer: Viewer) -> list[Tile]:
    """Return the tiles of the viewer's role, within its scope."""
    now = timezone.now()
    match viewer.role:
        case role if role == PARTNER_STAFF:
            return [*play_tiles(viewer, now), _open_rounds(viewer, now), _scheduled_changes(viewer)]
        case role if role == AUDITOR:
            watched = [*watch_tiles(viewer, now), *build_tiles(viewer, now)]
            return [*_proof_tiles(viewer, now), *watched, *_act_tiles(viewer, now), *play_tiles(viewer, now)]
        case role if role == OPERATOR:
            return [*_system_tiles(viewer, now), *_act_tiles(viewer, now), *play_tiles(viewer, now)]
    return []


def _open_rounds(viewer: Viewer, now: datetime) -> Tile:
    rows = in_scope(Round.objects.filter(how_ended=RoundEnd.OPEN), viewer=viewer, partner_path="partner_id")
    oldest = rows.aggregate(oldest=Min("started_at"))["oldest"]
    note = "none is open" if oldest is None else f"the oldest for {span_text(now - oldest)}"
    return Tile("Open rounds", str(rows.count()), note, f"{reverse('admin:rounds_round_changelist')}?state=open")


def _scheduled_changes(viewer: Viewer) -> Tile:
    waiting = ScheduledChange.objects.filter(status=ChangeStatus.WAITING)
    rows = in_scope(waiting, viewer=viewer, partner_path="partner_id")
    sums = rows.aggregate(count=Count("pk"), soonest=Min("apply_at"))
    note = "none waits" if sums["soonest"] is None else f"the next at {sums['soonest']:%Y-%m-%d %H:%M} UTC"
    url = f"{reverse('admin:scheduled_changes_scheduledchange_changelist')}?status__exact={ChangeStatus.WAITING}"
    return Tile("Scheduled changes", str(sums["count"]), note, url)


def _proof_tiles(viewer: Viewer, now: datetime) -> Iterator[Tile]:
    runs = in_scope(AuditEntry.objects.filter(action=_PROOF), viewer=viewer, partner_path="partner_id")
    proof = runs.order_by("-ctime").first()
    page = reverse("admin:reconcile")
    if proof is None:
        yield Tile("Last proof", "never", "nothing has been proven yet", page, "bad")
    else:
        found = int(proof.data.get("found", 0))
        value = "nothing found" if not found else f"{found} found"
        yield Tile("Last proof", value, f"{span_text(now - proof.ctime)} ago", page, "bad" if found else "good")
    yield seal_tile(viewer, now)
    closed = StatisticsDay.objects.filter(zone="UTC").order_by("-day").first()
    value = "none" if closed is None else f"{closed.day}"
    yield Tile("Statistics closed up to", value, _fold_note(now), reverse("admin:reports_kept"))


def _act_tiles(viewer: Viewer, now: datetime) -> Iterator[Tile]:
    since = recent_since(now)
    acts = in_scope(AuditEntry.objects.filter(ctime__gte=since), viewer=viewer, partner_path="partner_id")
    voids = in_scope(RoundVoid.objects.filter(ctime__gte=since), viewer=viewer, partner_path="round__partner_id")
    from_day = urlencode({"ctime_from": since.date().isoformat()})
    audit = reverse("admin:audit_auditentry_changelist")
    adjusted = acts.filter(action="wallet.adjust").count()
    yield Tile("Adjustments", str(adjusted), "in 7 days", f"{audit}?{from_day}&q=wallet.adjust")
    url = f"{reverse('admin:rounds_roundvoid_changelist')}?{from_day}"
    yield Tile("Voided rounds", str(voids.count()), "in 7 days", url)
    blocked = acts.filter(action="player.status").count()
    yield Tile("Blocked and unblocked", str(blocked), "players in 7 days", f"{audit}?{from_day}&q=player.status")


def _system_tiles(viewer: Viewer, now: datetime) -> Iterator[Tile]:
    bets = bets_begun(now - timedelta(seconds=BETS_OVER_S))
    today = urlencode({"started_at_from": now.astimezone(UTC).date().isoformat()})
    rounds = f"{reverse('admin:rounds_round_changelist')}?{today}"
    note = f"of the rounds that began in the last {BETS_OVER_S} s"
    yield Tile("Bets a second", f"{Decimal(bets) / BETS_OVER_S:.1f}", note, rounds)
    yield _open_rounds(viewer, now)
    yield from process_tiles()
    yield fold_tile(now)
    yield from replica_tiles()
    yield seal_tile(viewer, now)
    yield from watch_tiles(viewer, now)
    waiting = approvals_waiting().count()
    approvals = f"{reverse('admin:approvals_approval_changelist')}?state=waiting"
    yield Tile("Approvals waiting", str(waiting), "for a second operator", approvals, "bad" if waiting else "")


def _fold_note(now: datetime) -> str:
    edge = FoldState.objects.values_list("edge", flat=True).first()
    return "the sums have not begun" if edge is None else f"today's are {span_text(now - edge)} behind"
