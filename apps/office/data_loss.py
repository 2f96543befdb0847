"""What follows a loss of data: its record, which only a person can make, and new seeds after a restore."""

from datetime import datetime
from typing import Final, NamedTuple

from django.db import transaction
from django.db.models import QuerySet

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
    already: int
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
    After an end it renews all once more. Raises BadRequest (no reason).
    """
    if not reason.strip():
        raise BadRequest("reason: say what was lost, and since when", field="reason")
    since = _begin(reason, actor)
    active = SeedPair.objects.filter(status=SeedStatus.ACTIVE)
    done = _renewed_since(since)
    already = active.filter(player_id__in=done).count()
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
            data={"renewed": renewed, "left": left, "already": already},
            reason=reason,
        )
    return Renewal(renewed, left, already)


@transaction.atomic
def _begin(reason: str, actor: str) -> datetime:
    """Return the beginning of the killed run with this reason; else record a beginning now."""
    acts = AuditEntry.objects.filter(action__in=(_BEGIN, _END), reason=reason).order_by("-id")
    newest = acts.first()
    if newest is not None and newest.action == _BEGIN:
        return newest.ctime
    audit_record(actor=actor, action=_BEGIN, subject=_ALL, reason=reason)
    return AuditEntry.objects.filter(action=_BEGIN, reason=reason).latest("id").ctime


def _renewed_since(since: datetime) -> QuerySet[SeedPair, int]:
    """Return the players whose present pair was made since then: each renewal makes two new ones."""
    return SeedPair.objects.filter(status=SeedStatus.ACTIVE, ctime__gt=since).values_list("player_id", flat=True)
