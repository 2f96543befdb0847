"""What follows a loss of data: its record, which only a person can make, and new seeds after a restore."""

from typing import Final, NamedTuple

from django.db import connection, transaction
from django.db.models import Max, QuerySet

from apps.audit.models import AuditEntry
from apps.audit.services import audit_record
from apps.core.errors import BadRequest, Busy, ChangeSeedFailed
from apps.fairness.models import SeedPair, SeedStatus
from apps.rounds.services import seeds_renew

KINDS: Final = {"restore": "restore from a backup", "personal": "personal data"}
"""The kinds of loss, by the names of their options."""
_BEGIN: Final = "seeds.renew_begin"
_END: Final = "seeds.renew"
_ALL: Final = "all seed pairs"


class Renewal(NamedTuple):
    """The players of a renewal of all seeds."""

    renewed: int
    left: int
    """Players with an open round, which is dealt from the former seed to its end, or with a bet at that moment."""
    renewed_before: int
    """Players whom a killed run with the same reason has given new seeds."""


@transaction.atomic
def data_loss_record(*, kind: str, reason: str, actor: str) -> None:
    """Record a loss of data as an act and a significant event. Raises BadRequest (kind, no reason)."""
    if kind not in KINDS:
        raise BadRequest(f"kind: {' or '.join(KINDS)}", field="kind")
    if not reason.strip():
        raise BadRequest("reason: say what was lost, and since when", field="reason")
    audit_record(actor=actor, action="data.lost", subject=KINDS[kind], data={}, reason=reason)


def all_seeds_renew(*, reason: str, actor: str) -> Renewal:
    """Renew the seeds of every player without an open solo round, each in a transaction of its own; record the act.

    The act is recorded at the beginning and at the end, so a run that was killed has a beginning without an end. The
    next run with the same reason continues it: it leaves out the players who have got new seeds since that beginning.
    After an end it renews all once more, and so it does after a restart, a restore or a failover of the database: any
    of them may have lost rounds that the killed run's seeds had dealt. Raises BadRequest (no reason).
    """
    if not reason.strip():
        raise BadRequest("reason: say what was lost, and since when", field="reason")
    active = SeedPair.objects.filter(status=SeedStatus.ACTIVE)
    done = _begin(reason, actor)
    renewed_before = active.filter(player_id__in=done).count()
    renewed = left = 0
    for player_id in list(active.exclude(player_id__in=done).order_by("player_id").values_list("player_id", flat=True)):
        try:
            seeds_renew(player_id=player_id)
            renewed += 1
        except (ChangeSeedFailed, Busy):
            left += 1
    with transaction.atomic():
        audit_record(
            actor=actor,
            action=_END,
            subject=_ALL,
            data={"renewed": renewed, "left": left, "renewed_before": renewed_before},
            reason=reason,
        )
    return Renewal(renewed, left, renewed_before)


@transaction.atomic
def _begin(reason: str, actor: str) -> QuerySet[SeedPair, int]:
    """Return the players whom the killed run with this reason has given new seeds; else record a beginning now.

    Each renewal makes two new pairs, whose ids are above all that there were at the beginning. The clock is not asked:
    a restored server's may be behind that of the lost one.
    """
    newest = AuditEntry.objects.filter(action__in=(_BEGIN, _END), reason=reason).order_by("-id").first()
    server = _server_identity()
    active = SeedPair.objects.filter(status=SeedStatus.ACTIVE)
    if newest is not None and newest.action == _BEGIN and newest.data.get("server") == server:
        return active.filter(pk__gt=int(newest.data["last_pair"])).values_list("player_id", flat=True)
    last = SeedPair.objects.aggregate(last=Max("pk"))["last"] or 0
    audit_record(
        actor=actor, action=_BEGIN, subject=_ALL, data={"server": server, "last_pair": str(last)}, reason=reason
    )
    return active.none().values_list("player_id", flat=True)


def _server_identity() -> str:
    """Return a text that changes when the database is restarted, restored or failed over.

    It has the timeline, the start of PostgreSQL, and the id of a table, which a restored dump changes.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT left(pg_walfile_name(pg_current_wal_insert_lsn()), 8), pg_postmaster_start_time(),"
            " %s::regclass::oid",
            [SeedPair._meta.db_table],
        )
        timeline, start, table = cursor.fetchone()
    return f"{timeline} {start.isoformat()} {table}"
