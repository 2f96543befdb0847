"""An audit entry is committed or rolled back with the act that it records."""

from datetime import UTC, date, datetime
from decimal import Decimal
from uuid import UUID

import pytest
from django.db import transaction
from django.db.transaction import TransactionManagementError

from apps.audit.models import AuditEntry
from apps.audit.selectors import last_change_text
from apps.audit.services import audit_record, audit_record_awaited
from apps.core.postgres_pool import pool
from tests.support.loop import run


@pytest.mark.django_db
def test_an_entry_holds_actor_act_and_reason() -> None:
    audit_record(
        actor="ada",
        actor_user_id=7,
        partner_id=3,
        action="limits.save",
        subject="baccarat limits 4",
        reason="asked for by mail",
        data={
            "bet_max": Decimal("10.50000000"),
            "rounds": [UUID(int=1), 2],
            "from": {"day": date(2026, 1, 2), "at": datetime(2026, 1, 2, 3, 4, tzinfo=UTC)},
            "active": True,
            "note": None,
        },
    )
    entry = AuditEntry.objects.get()
    assert (entry.actor, entry.actor_user_id, entry.partner_id) == ("ada", 7, 3)
    assert (entry.action, entry.subject, entry.reason) == ("limits.save", "baccarat limits 4", "asked for by mail")
    assert entry.data == {
        "bet_max": "10.5",
        "rounds": ["00000000-0000-0000-0000-000000000001", 2],
        "from": {"day": "2026-01-02", "at": "2026-01-02T03:04:00+00:00"},
        "active": True,
        "note": None,
    }


@pytest.mark.usefixtures("committed")
def test_on_the_event_loop_an_entry_is_the_same_and_commits_with_its_transaction() -> None:
    async def record(*, is_undone: bool) -> None:
        async with pool().transaction() as transaction:
            await audit_record_awaited(
                transaction, actor="platform", action="a.b", subject="s", partner_id=3,
                data={"stake": Decimal("1.50"), "id": UUID(int=1)}, reason="why",
            )  # fmt: skip
            if is_undone:
                raise RuntimeError

    with pytest.raises(RuntimeError):
        run(record(is_undone=True))
    run(record(is_undone=False))
    with transaction.atomic():
        data = {"stake": Decimal("1.50"), "id": UUID(int=1)}
        audit_record(actor="platform", action="a.b", subject="s", partner_id=3, data=data, reason="why")
    awaited, other = AuditEntry.objects.order_by("pk").values(
        "actor", "action", "subject", "partner_id", "data", "reason"
    )
    assert awaited == other


@pytest.mark.usefixtures("committed")
def test_a_rolled_back_act_leaves_no_entry() -> None:
    with transaction.atomic():
        audit_record(actor="ada", action="limits.save", subject="limits")
        transaction.set_rollback(True)
    assert not AuditEntry.objects.exists()


@pytest.mark.usefixtures("committed")
def test_an_entry_outside_a_transaction_is_refused() -> None:
    with pytest.raises(TransactionManagementError):
        audit_record(actor="ada", action="limits.save", subject="limits")


@pytest.mark.django_db
def test_the_last_change_is_named_if_it_has_led_to_the_values_that_hold() -> None:
    def named(after: dict[str, object] | None) -> str:
        return last_change_text(action="limits.save", subject="limits", partner_id=None, after=after)

    assert named(None) == ""
    for bet_max in (10, 20):
        data = {"before": {}, "after": {"bet_max": Decimal(bet_max)}}
        audit_record(actor="platform", action="limits.save", subject="limits", data=data)
    assert named({"bet_max": Decimal(20)}).startswith(": platform at ")
    assert named({"bet_max": Decimal(10)}) == ""
