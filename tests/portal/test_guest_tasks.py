"""The tasks about guests, with real commits."""

from datetime import timedelta

import psycopg
from django.utils import timezone

from apps.accounts.models import Player, PlayerStatus
from apps.portal.guests import guest_open
from apps.portal.tasks import idle_guests_close
from tests.support.factories import partner_make


def test_a_guest_that_cannot_be_closed_keeps_no_other_open(committed: None, superuser: psycopg.Connection) -> None:
    partner_make(is_house=True)
    faulty, other = guest_open(), guest_open()
    Player.objects.update(ctime=timezone.now() - timedelta(days=31))
    superuser.execute(f"ALTER TABLE player ADD CONSTRAINT faulty CHECK (id <> {faulty.pk} OR status = 'active')")
    try:
        idle_guests_close()
    finally:
        superuser.execute("ALTER TABLE player DROP CONSTRAINT faulty")
    faulty.refresh_from_db()
    other.refresh_from_db()
    assert (faulty.status, other.status) == (PlayerStatus.ACTIVE, PlayerStatus.BLOCKED)
