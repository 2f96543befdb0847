"""Every process knows the tasks, since pages send some of them by name."""

from celery import current_app
from django.conf import settings


def test_a_page_finds_the_tasks_by_their_names() -> None:
    assert "apps.blackjack.tasks.terms_decide" in current_app.tasks
    assert "apps.office.tasks.ledger_reconcile" in current_app.tasks
    scheduled = {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()}
    assert scheduled
    assert scheduled <= set(current_app.tasks)
