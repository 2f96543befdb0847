"""What follows a loss of data: its record, which only a person can make, and new seeds after a restore."""

from typing import Final, NamedTuple

from django.db import transaction

from apps.audit.services import audit_record
from apps.core.errors import BadRequest, Busy, ChangeSeedFailed
from apps.fairness.models import SeedPair, SeedStatus
from apps.rounds.services import seeds_renew

KINDS: Final = {"restore": "restore from a backup", "personal": "personal data"}
"""The kinds of loss, by the names of their options."""


class Renewal(NamedTuple):
    """The players of a renewal of all seeds."""

    renewed: int
    left: int
    """Players with an open round, which is dealt from the former seed to its end, or with a bet at that moment."""


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

    It may run again, for the players that are left; the others then get new seeds once more. Raises BadRequest (no
    reason).
    """
    if not reason.strip():
        raise BadRequest("reason: say what was lost, and since when", field="reason")
    renewed = left = 0
    active = SeedPair.objects.filter(status=SeedStatus.ACTIVE)
    for player_id in list(active.order_by("player_id").values_list("player_id", flat=True)):
        try:
            seeds_renew(player_id=player_id)
            renewed += 1
        except (ChangeSeedFailed, Busy):
            left += 1
    with transaction.atomic():
        audit_record(
            actor=actor,
            action="seeds.renew",
            subject="all seed pairs",
            data={"renewed": renewed, "left": left},
            reason=reason,
        )
    return Renewal(renewed, left)
