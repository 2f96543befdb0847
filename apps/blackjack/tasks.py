"""Blackjack's tasks: each calls one service."""

from datetime import timedelta
from operator import call
from typing import Any, Final

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from apps.blackjack.advice_values import chart_keep, values_keep
from apps.blackjack.configuration import blackjack_terms_decide
from apps.blackjack.models import BlackjackTerms, TermsStatus
from apps.blackjack.selectors import idle_round_ids
from apps.blackjack.services import idle_rounds_play_out
from apps.blackjack.standard_deviations import deviations_add_missing
from apps.blackjack.table_edges import table_edge_compute
from apps.core.each_alone import each_alone
from apps.core.threads import in_loop

DECIDED_AT_ONCE: Final = 10
"""House edges that one run computes, seconds of one core each."""


@shared_task
def terms_decide(terms_id: int) -> None:
    """Compute the house edge of pending terms."""
    blackjack_terms_decide(terms_id=terms_id)


@shared_task
def table_rules_compute(rules: dict[str, Any]) -> None:
    """Compute the house edge and deviation of a table's rules."""
    table_edge_compute(rules)


@shared_task
def terms_decide_all() -> None:
    """Compute all unknown house edges and deviations, which makes up for tasks that were lost with their worker."""
    each_alone((_waiting_terms_decide, deviations_add_missing), call, what="unknown figures")


def _waiting_terms_decide() -> int:
    waiting = BlackjackTerms.objects.filter(status=TermsStatus.PENDING, house_edge__isnull=True)
    return each_alone(
        waiting.order_by("pk").values_list("pk", flat=True),
        lambda terms_id: blackjack_terms_decide(terms_id=terms_id),
        what="blackjack terms",
        at_most=DECIDED_AT_ONCE,
    )


@shared_task
def idle_rounds_complete() -> None:
    """Play out the rounds without an action for `PUNTO_IDLE_ROUND_S` seconds."""
    idle_before = timezone.now() - timedelta(seconds=settings.PUNTO_IDLE_ROUND_S)
    round_ids = idle_round_ids(idle_before=idle_before, limit=500)
    if round_ids:
        in_loop(idle_rounds_play_out(round_ids=round_ids, idle_before=idle_before))


@shared_task
def advice_values_compute(key: str, rules: dict[str, Any], facts: dict[str, Any]) -> None:
    """Compute the exact values of a decision."""
    values_keep(key, rules, facts)


@shared_task
def advice_chart_compute(key: str, rules: dict[str, Any]) -> None:
    """Compute the basic strategy of rules."""
    chart_keep(key, rules)
