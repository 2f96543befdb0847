"""The standard deviation of the main game: what is shipped, what was simulated before, and the rest by the worker.

It is beside the house edge everywhere. No alarm rests on it, so what is not known yet is left out.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from django.core.cache import cache
from redis.exceptions import RedisError

from apps.blackjack.engine.rules import BlackjackRules
from apps.blackjack.mathematics.edge import COMPUTED_ROUNDS, Edge, deviation_simulated, edge_compute, edge_known
from apps.blackjack.models import BlackjackTerms
from apps.core.each_alone import each_alone
from apps.core.money import plain

KEPT_S: Final = 30 * 24 * 3600
ADDED_AT_ONCE: Final = 10


def deviation_compute(edge: Edge) -> Decimal:
    """Return the standard deviation per unit staked, by a simulation of half a second."""
    return Decimal(str(deviation_simulated(edge, rounds=COMPUTED_ROUNDS)))


def deviation_known(rules: BlackjackRules) -> Decimal | None:
    """Return the deviation if it is shipped, or was simulated for terms or a table of these rules."""
    known = edge_known(rules)
    if known is not None and known.deviation is not None:
        return Decimal(str(known.deviation))
    of_terms = BlackjackTerms.objects.filter(fingerprint=rules.fingerprint(), deviation__isnull=False)
    stored = of_terms.values_list("deviation", flat=True).first()
    if stored is not None:
        return stored
    try:
        text = cache.get(_key(rules))
    except RedisError:
        return None
    return None if text is None else Decimal(text)


def deviation_of_terms(terms: Mapping[str, Any]) -> Decimal | None:
    """Return the deviation of a pay table's main bet, if it is known by now."""
    return deviation_known(BlackjackRules.from_json(terms["rules"]))


def deviation_keep(rules: BlackjackRules, edge: Edge) -> None:
    """Simulate the deviation of a table's rules and keep it."""
    cache.set(_key(rules), plain(deviation_compute(edge)), KEPT_S)


def deviations_add_missing() -> int:
    """Simulate the deviation of terms that have a house edge and none yet, seconds of one core each.

    Returns the number of rule sets. One that fails leaves the others; raises ExceptionGroup at the end.
    """
    waiting = BlackjackTerms.objects.filter(house_edge__isnull=False, deviation__isnull=True)
    missing = dict(waiting.order_by("pk").values_list("fingerprint", "rules"))

    def add(fingerprint: str) -> bool:
        rules = BlackjackRules.from_json(missing[fingerprint])
        if deviation_known(rules) is not None:
            return False
        waiting.filter(fingerprint=fingerprint).update(deviation=deviation_compute(edge_compute(rules)))
        return True

    return each_alone(missing, add, what="the deviation of the rules", at_most=ADDED_AT_ONCE)


def _key(rules: BlackjackRules) -> str:
    return f"blackjack-deviation:{rules.fingerprint()}"
