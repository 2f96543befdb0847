"""Health and readiness as a load balancer sees them."""

from decimal import Decimal

import psycopg
import pytest
from django.db import OperationalError, close_old_connections, connection
from django.test import Client, override_settings

from apps.events.models import EventThreshold, SignificantEvent
from casino.outage_events import Outages
from tests.support.waiting import wait_until

CHECKS = ("postgresql", "redis", "migrations")
GONE = {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": "unix:///nowhere/redis.sock"}}


def test_health_answers_without_database_and_redis() -> None:
    answer = Client().get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
    assert "no-store" in answer["Cache-Control"]


@pytest.mark.django_db
def test_ready_with_database_and_redis() -> None:
    answer = Client().get("/readyz")
    assert answer.status_code == 200
    assert answer.json() == {"status": "ok", "checks": {"postgresql": "ok", "redis": "ok", "migrations": "ok"}}


@pytest.mark.django_db
@override_settings(CACHES=GONE)
def test_not_ready_without_redis_which_the_answer_names() -> None:
    answer = Client().get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["checks"] == {"postgresql": "ok", "redis": "failed", "migrations": "ok"}


@pytest.mark.django_db
def test_only_get_and_head_are_allowed() -> None:
    assert Client().post("/healthz").status_code == 405
    assert Client().post("/readyz").status_code == 405


@pytest.mark.django_db
def test_an_outage_of_redis_is_told_once_as_not_ready_and_as_no_limiter() -> None:
    EventThreshold.objects.create(kind="unavailable", measure="seconds", value=Decimal("0.001"), by="x", reason="x")
    watched = Outages()
    away, whole = {"postgresql": True, "redis": False, "migrations": True}, dict.fromkeys(CHECKS, True)
    watched.note(away)
    wait_until(lambda: watched.note(away) or SignificantEvent.objects.exists(), "the outage is long enough")
    watched.note(away)
    watched.note(whole)
    watched.note(whole)
    told = SignificantEvent.objects.order_by("kind").values_list("kind", "component", "after__failed")
    assert list(told) == [("unavailable", "web", ["redis"]), ("unusual", "rate limits", ["redis"])]
    assert SignificantEvent.objects.values("subject").distinct().count() == 1


@pytest.mark.usefixtures("committed")
def test_a_request_after_a_failover_does_not_meet_the_broken_connection_of_the_request_before(
    superuser: psycopg.Connection,
) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        [pid] = cursor.fetchone()
    superuser.execute("SELECT pg_terminate_backend(%s, 30000)", [pid])
    close_old_connections()  # what Django does at the beginning of each request, but not for its test client
    answer = Client().get("/readyz")
    assert (answer.status_code, answer.json()["checks"]["postgresql"]) == (200, "ok")


@pytest.mark.django_db
def test_an_outage_that_could_not_be_recorded_is_told_later_with_what_was_away() -> None:
    watched = Outages()
    away = {"postgresql": False, "redis": True, "migrations": False}
    with connection.execute_wrapper(refused):
        watched.note(away)
        watched.note(dict.fromkeys(CHECKS, True))
    EventThreshold.objects.create(kind="unavailable", measure="seconds", value=Decimal("0.000001"), by="x", reason="x")
    watched.note(dict.fromkeys(CHECKS, True))
    event = SignificantEvent.objects.get()
    assert (event.component, event.after["failed"]) == ("web", ["migrations", "postgresql"])


def refused(*_statement: object) -> None:
    """Raise the error of a lost connection."""
    raise OperationalError


@pytest.mark.django_db
def test_a_short_outage_is_not_told() -> None:
    watched = Outages()
    watched.note(dict.fromkeys(CHECKS, False))
    watched.note(dict.fromkeys(CHECKS, True))
    assert not SignificantEvent.objects.exists()
