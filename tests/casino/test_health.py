"""Health and readiness as a load balancer sees them."""

import pytest
from django.test import Client, override_settings

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
