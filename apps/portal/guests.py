"""Guests: players of the house without a log-in, who play with play money.

A visitor sees a table without a row of its own; the first deal makes the guest, or at live tables the button on the
log-in page. Signing up adds the log-in to the guest's row. A guest that has not played for `PUNTO_GUEST_IDLE_DAYS` days
is closed. An IP address begins at most `PUNTO_GUESTS_PER_HOUR` guests within an hour; `apps.portal.views` counts them.
"""

import secrets
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from apps.accounts.models import Player, PlayerStatus, User
from apps.audit.services import audit_record
from apps.core.errors import PlayerBlocked
from apps.partners.models import Partner
from apps.rounds.models import Round, RoundEnd
from apps.rounds.services import player_open
from apps.tables.models import TableSession

PLAY_MONEY: Final = "FUN"
REFERENCE_START: Final = "guest-"


@transaction.atomic(durable=True)
def guest_open() -> Player:
    """Create a guest with the play grant of FUN. Raises PlayerBlocked if there is no open house."""
    house = Partner.objects.filter(is_house=True, active=True).first()
    if house is None:
        raise PlayerBlocked("nobody can play here at the moment")
    reference = REFERENCE_START + secrets.token_hex(8)
    player = player_open(partner=house, reference=reference, currency_code=PLAY_MONEY)
    player.is_guest = True
    player.save(update_fields=["is_guest"])
    return player


def guest_log_in_add(*, player_id: int, user: User) -> bool:
    """Make the guest the player of a new log-in, in the caller's transaction; no money moves.

    False if the player is no longer a guest, or is closed. Locks the player.
    """
    guest = Player.objects.select_for_update(no_key=True).filter(pk=player_id, is_guest=True).first()
    if guest is None or guest.status != PlayerStatus.ACTIVE:
        return False
    guest.user, guest.reference, guest.is_guest = user, user.get_username(), False
    guest.save(update_fields=["user", "reference", "is_guest"])
    return True


def idle_guest_ids() -> list[int]:
    """Return the guests that were created, and began their last round, more than `PUNTO_GUEST_IDLE_DAYS` days ago.

    A guest with an open round is not one of them, nor is one that was at the live tables: a table for points has no
    round of the guest's own.
    """
    return list(_idle_guests().values_list("pk", flat=True))


@transaction.atomic(durable=True)
def guest_close(*, player_id: int) -> None:
    """Block a guest for good if it is idle; it may have played again since it was listed. Locks the player."""
    guest = Player.objects.select_for_update(no_key=True).get(pk=player_id)
    if not _idle_guests().filter(pk=player_id).exists():
        return
    guest.status = PlayerStatus.BLOCKED
    guest.save(update_fields=["status"])
    audit_record(
        actor="platform",
        partner_id=guest.partner_id,
        action="player.status",
        subject=f"player {guest.pk}",
        data={
            "before": {"status": str(PlayerStatus.ACTIVE)},
            "after": {"status": str(PlayerStatus.BLOCKED)},
        },
        reason=f"a guest without play for {settings.PUNTO_GUEST_IDLE_DAYS} days",
    )


def _idle_guests() -> QuerySet[Player]:
    since = timezone.now() - timedelta(days=settings.PUNTO_GUEST_IDLE_DAYS)
    rounds = Round.objects.filter(player=OuterRef("pk"))
    at_tables = TableSession.objects.filter(player=OuterRef("pk"), active_at__gte=since)
    return (
        Player.objects.filter(is_guest=True, status=PlayerStatus.ACTIVE, ctime__lt=since)
        .exclude(Exists(rounds.filter(started_at__gte=since)))
        .exclude(Exists(rounds.filter(how_ended=RoundEnd.OPEN)))
        .exclude(Exists(at_tables))
    )
