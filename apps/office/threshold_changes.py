"""Changes the thresholds of significant events. Raising one takes two operators: fewer events are then recorded."""

from decimal import Decimal
from typing import Final

from django.db import transaction

from apps.accounts.actors import operator_require
from apps.accounts.models import User
from apps.approvals.models import Approval
from apps.approvals.services import SecondPersonNeeded, approval_act, approval_require
from apps.audit.services import audit_record
from apps.core.errors import BadRequest, Conflict
from apps.core.locks import advisory_lock
from apps.core.models import Currency
from apps.core.money import plain
from apps.events.models import EventThreshold
from apps.events.thresholds import COUNTS, DEFAULTS, OF_MONEY, ThresholdMeasure, threshold_value

MAX_THRESHOLD: Final = Decimal(1_000_000_000)


@transaction.atomic
def event_threshold_set(
    *,
    operator: User,
    measure: ThresholdMeasure,
    currency: str,
    value: Decimal,
    reason: str,
    approval: Approval | None = None,
) -> EventThreshold:
    """Set the lowest value that makes something a significant event. It applies from the next look. `currency` is empty
    for all currencies, and for measures that are no amounts. Raises Refused, SecondPersonNeeded, BadRequest, Conflict
    (nothing would change).
    """
    reason = operator_require(operator, "sets thresholds", reason=reason)
    if measure not in DEFAULTS:
        raise BadRequest("measure: there is no such threshold", field="measure")
    if currency and (measure not in OF_MONEY or not Currency.objects.filter(code=currency).exists()):
        raise BadRequest("currency: none, or one that amounts are in", field="currency")
    if not 0 < value <= MAX_THRESHOLD:
        raise BadRequest(f"value: above 0, up to {MAX_THRESHOLD}", field="value")
    if measure in COUNTS and value != value.to_integral_value():
        raise BadRequest("value: a whole number, because this is a count", field="value")
    advisory_lock("threshold", measure.kind, measure.name, currency)
    before = threshold_value(measure, currency=currency)
    if value == before:
        raise Conflict(f"it is {plain(value)} already")
    payload = {"kind": measure.kind.value, "measure": measure.name, "currency": currency, "value": plain(value)}
    subject = f"threshold {measure.kind.value}, {measure.name}{currency and f', {currency}'}"
    if value > before:
        needed = SecondPersonNeeded(
            "with a higher threshold fewer events are recorded",
            act="threshold.set",
            subject=subject,
            payload=payload,
            reason=reason,
        )
        approval_require(approval, needed)
    row = EventThreshold.objects.create(
        kind=measure.kind,
        measure=measure.name,
        currency=currency,
        value=value,
        by=operator.get_username(),
        reason=reason,
    )
    audit_record(
        actor=operator.get_username(),
        actor_user_id=operator.pk,
        action="threshold.set",
        subject=subject,
        data={"before": {"value": before}, "after": {"value": value}},
        reason=reason,
    )
    return row


@approval_act("threshold.set")
def event_threshold_set_approved(approval: Approval) -> None:
    """Carry out an approved change."""
    asked = approval.payload
    event_threshold_set(
        operator=approval.asked_by,
        measure=measure_named(f"{asked['kind']} {asked['measure']}"),
        currency=asked["currency"],
        value=Decimal(asked["value"]),
        reason=approval.reason,
        approval=approval,
    )


def measure_named(name: str) -> ThresholdMeasure:
    """Return the measure from a form's text, which has kind and name. Raises BadRequest."""
    for measure in DEFAULTS:
        if measure_key(measure) == name:
            return measure
    raise BadRequest("measure: there is no such threshold", field="measure")


def measure_key(measure: ThresholdMeasure) -> str:
    """Return a measure as one text."""
    return f"{measure.kind.value} {measure.name}"
