"""The sums of the statistics after everything has been folded."""

from datetime import UTC, datetime, timedelta

from apps.statistics.ggr import Revenue, revenue_sums
from apps.statistics.models import GameDay
from apps.statistics.services import statistics_fold
from tests.support.waiting import wait_until


def all_folded() -> None:
    """Fold until all that has been committed is in the statistics: a fold ends early if another transaction runs."""
    now = datetime.now(UTC)

    def is_in() -> bool:
        edge = statistics_fold(edge_age=timedelta(0)).edge
        return edge is not None and edge > now

    wait_until(is_in, "all that was played is in the statistics")


def revenue_now() -> list[Revenue]:
    """Fold everything, and return the sums by currency."""
    all_folded()
    return revenue_sums(GameDay.objects.filter(zone="UTC"), ())
