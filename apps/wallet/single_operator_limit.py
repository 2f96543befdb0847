"""The limit above which one operator moves no money by hand alone: `PUNTO_SINGLE_OPERATOR_LIMIT`.

It holds for adjustments of wallets and for voids, each by itself, for one act and for those of a UTC day.
"""

from datetime import UTC, datetime, time
from decimal import Decimal
from typing import Final

from django.conf import settings

from apps.accounts.models import User
from apps.audit.models import AuditEntry
from apps.core.locks import advisory_lock, advisory_lock_awaited
from apps.core.models import Currency
from apps.core.money import amount_text
from apps.core.postgres_pool import Transaction

_MOVED_TODAY: Final = """
    SELECT coalesce(sum((data ->> 'amount')::numeric), 0) FROM audit_entry
     WHERE actor_user_id = $1 AND action = ANY($2) AND ctime >= $3 AND data ->> 'currency' = $4
"""


def second_person_reason(operator: User, actions: tuple[str, ...], currency: Currency, amount: Decimal) -> str:
    """Return why one operator may not move this amount by hand without a second person, or an empty text.

    The limit holds for each act and for what the operator has moved by such acts in the UTC day. `actions` are their
    names in the audit. Locks the operator's acts of this kind, so the second of two concurrent acts counts the first.
    """
    return second_person_reason_for(currency, moved_today(operator, actions, currency), amount)


def second_person_reason_for(currency: Currency, today: Decimal, amount: Decimal) -> str:
    """Do the same as `second_person_reason` for an operator who has already moved `today`, without reading anything."""
    limit = Decimal(settings.PUNTO_SINGLE_OPERATOR_LIMIT)
    if amount > limit:
        return f"{amount_text(amount, currency)} is more than {amount_text(limit, currency)}"
    if today + amount > limit:
        done, now = amount_text(today, currency), amount_text(amount, currency)
        return f"{now} and the {done} of today are more than {amount_text(limit, currency)}"
    return ""


def moved_today(operator: User, actions: tuple[str, ...], currency: Currency) -> Decimal:
    """Return what the operator has moved by such acts in the UTC day.

    Locks these acts of the operator until the caller's transaction ends; the lock comes before those of rows.
    """
    advisory_lock("alone", actions[0], str(operator.pk))
    midnight = _midnight()
    acts = AuditEntry.objects.filter(
        actor_user_id=operator.pk, action__in=actions, ctime__gte=midnight, data__currency=currency.pk
    )
    return sum((Decimal(data["amount"]) for data in acts.values_list("data", flat=True)), Decimal(0))


async def moved_today_awaited(
    transaction: Transaction, operator: User, actions: tuple[str, ...], currency: Currency
) -> Decimal:
    """Do the same as `moved_today` in a transaction of the event loop."""
    await advisory_lock_awaited(transaction, "alone", actions[0], str(operator.pk))
    ((today,),) = await transaction.fetch(_MOVED_TODAY, operator.pk, list(actions), _midnight(), currency.pk)
    return Decimal(today)


def _midnight() -> datetime:
    return datetime.combine(datetime.now(UTC), time(), UTC)
