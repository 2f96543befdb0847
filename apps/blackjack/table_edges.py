"""The house edges of blackjack at tables: shipped, computed before, or computed by the worker."""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

import structlog
from celery import current_app
from django.conf import settings
from django.core.cache import cache
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from apps.blackjack.configuration import house_edge_known
from apps.blackjack.engine.rules import BlackjackRules
from apps.blackjack.mathematics.edge import edge_compute
from apps.blackjack.standard_deviations import deviation_keep, deviation_known
from apps.blackjack.table import MAIN, TABLE, rules_of
from apps.core.edge_rounding import edge_rounded
from apps.core.errors import RateLimited
from apps.core.money import plain
from apps.core.rate_limits import QuotaExceeded, quota_take
from apps.rounds.table_bets import bet_edge
from apps.rounds.table_game import BetEdge, TableTerms

KEPT_S: Final = 30 * 24 * 3600
ASKED_S: Final = 120
"""Seconds during which the same rules are not given to the worker again."""
QUOTA_WINDOW_S: Final = 300

log = structlog.get_logger(__name__)


def blackjack_table_edges(terms: TableTerms) -> Sequence[BetEdge]:
    """Return each bet on offer with its house edge; the text of the main bet's is empty while it is not known."""
    main, *side_bets = TABLE.house_edges(terms)
    if not main.edge:
        edge = edge_stored(rules_of(terms))
        main = bet_edge(MAIN, main.label, None if edge is None else Fraction(edge))
    return [main, *side_bets]


def blackjack_table_edges_compute(terms: TableTerms, partner_id: int | None) -> None:
    """Have the worker compute the main bet's edge, unless it was asked just before.

    Raises RateLimited if it was given too many other rules of the partner: its other tasks wait for all of them.
    """
    rules = rules_of(terms)
    # By name, since the module of the tasks imports this one.
    task = current_app.tasks["apps.blackjack.tasks.table_rules_compute"]
    try:
        if cache.add(f"{_key(rules)}:asked", True, ASKED_S):
            _limit_check(rules, partner_id)
            task.apply_async((rules.to_json(),), expires=ASKED_S)
    except (RedisError, OperationalError) as error:
        log.warning("edge_task_not_sent", error=str(error))


def table_edge_compute(rules: dict[str, Any]) -> None:
    """Compute the edge and the deviation of rules, seconds of one core, and keep them."""
    read = BlackjackRules.from_json(rules)
    if edge_stored(read) is None or deviation_known(read) is None:
        computed = edge_compute(read)
        # A pay table is made with the edge, so the deviation comes first.
        deviation_keep(read, computed)
        cache.set(_key(read), plain(edge_rounded(Fraction(computed.house_edge))), KEPT_S)


def edge_stored(rules: BlackjackRules) -> Decimal | None:
    """Return the main bet's edge if it is shipped or was computed before."""
    known = house_edge_known(rules)
    if known is not None:
        return known
    try:
        text = cache.get(_key(rules))
    except RedisError:
        return None
    return None if text is None else Decimal(text)


def _limit_check(rules: BlackjackRules, partner_id: int | None) -> None:
    most = settings.PUNTO_TABLE_EDGES_PER_5_MINUTES
    try:
        quota_take(kind="table-edges", who=partner_id, most=most, window_s=QUOTA_WINDOW_S)
    except QuotaExceeded as error:
        cache.delete(f"{_key(rules)}:asked")
        raise RateLimited(
            f"rules: their house edge is not known, and this partner sent more than {most} such rules in"
            f" {QUOTA_WINDOW_S} s",
            retry_after_s=error.retry_after_s,
            field="rules",
        ) from error


def _key(rules: BlackjackRules) -> str:
    return f"blackjack-edge:{rules.fingerprint()}"
