"""Liveness and readiness probes for load balancers."""

from collections.abc import Callable

import structlog
from django.core.cache import cache
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from casino.outage_events import outages

logger = structlog.get_logger(__name__)


@never_cache
@require_safe
def alive(_request: HttpRequest) -> JsonResponse:
    """200 as long as the process answers; checks nothing else."""
    return JsonResponse({"status": "ok"})


@never_cache
@require_safe
def ready(_request: HttpRequest) -> JsonResponse:
    """200 if PostgreSQL and Redis answer and all migrations are applied; else 503 with the failed checks."""
    answers = _passes("postgresql", _database_answers)
    passed = {
        "postgresql": answers,
        "redis": _passes("redis", _redis_answers),
        # A PostgreSQL that says nothing is waited for once.
        "migrations": answers and _passes("migrations", _migrations_applied),
    }
    outages.note(passed)
    checks = {name: "ok" if passes else "failed" for name, passes in passed.items()}
    whole = all(passed.values())
    return JsonResponse({"status": "ok" if whole else "unavailable", "checks": checks}, status=200 if whole else 503)


def _passes(name: str, check: Callable[[], bool]) -> bool:
    try:
        return check()
    except Exception as error:  # noqa: BLE001 - on any error the answer is "not ready"
        logger.warning("not_ready", check=name, error=type(error).__name__)
        return False


def _database_answers() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        return bool(cursor.fetchone() == (1,))


def _redis_answers() -> bool:
    cache.set("readyz", "1", timeout=10)
    return bool(cache.get("readyz") == "1")


def _migrations_applied() -> bool:
    executor = MigrationExecutor(connection)
    return not executor.migration_plan(executor.loader.graph.leaf_nodes())
