"""Consequences of an RTP alarm: a significant event, and a switch that stops the pay table where operators chose so."""

from typing import Final

from django.db.models import QuerySet

from apps.accounts.models import User
from apps.approvals.models import Approval
from apps.events.models import EventKind
from apps.events.services import event_record
from apps.evidence.models import EvidenceAlarm, Measure, OnAlarm, PayTableOnAlarm
from apps.evidence.selectors import alarms_open
from apps.paytables.models import PayTable
from apps.switches.models import Switch, SwitchScope
from apps.switches.services import switch_off_by_platform, switch_on_after_check

COMPONENT: Final = "RTP watch"


def alarm_follow_up(alarm: EvidenceAlarm, text: str) -> None:
    """Record the event of a new alarm, and stop new rounds of the pay tables whose operators want that.

    The caller's transaction has the alarm. Open rounds are finished.
    """
    event_record(kind=EventKind.UNUSUAL, component=COMPONENT, subject=f"RTP alarm {alarm.pk}", reason=text)
    for paytable_id in _refusing(_paytables_of(alarm)):
        switch_off_by_platform(
            scope=SwitchScope.PAY_TABLE,
            key=str(paytable_id),
            reason=f"RTP alarm {alarm.pk}: {text}",
            component=COMPONENT,
        )


def alarm_closed(alarm: EvidenceAlarm, *, operator: User, approval: Approval | None, reason: str) -> None:
    """Let new rounds of these pay tables begin again, unless another open alarm is about them.

    A pay table that an operator has switched off stays off. The caller's transaction has closed the alarm, and has
    checked that two persons did.
    """
    held = {pk for other in alarms_open() for pk in _refusing(_paytables_of(other))}
    for paytable_id in _paytables_of(alarm):
        if paytable_id not in held:
            switch_on_after_check(
                scope=SwitchScope.PAY_TABLE,
                key=str(paytable_id),
                reason=f"RTP alarm {alarm.pk} is closed: {reason}",
                component=COMPONENT,
                operator=operator,
                approval=approval,
            )


def on_alarm_apply(paytable_id: int, *, reason: str) -> None:
    """Apply a new choice of what alarms do to a pay table that has an open alarm: refusing begins at once.

    Choosing "go on" does not end a refusal; two persons closing the alarm does.
    """
    for alarm in alarms_open():
        if paytable_id in _refusing(_paytables_of(alarm)):
            switch_off_by_platform(
                scope=SwitchScope.PAY_TABLE,
                key=str(paytable_id),
                reason=f"RTP alarm {alarm.pk}: {reason}",
                component=COMPONENT,
            )


def on_alarm_of(paytable_id: int) -> str:
    """Return what an alarm does to the pay table."""
    chosen = PayTableOnAlarm.objects.filter(paytable=paytable_id).first()
    return OnAlarm.GO_ON if chosen is None else chosen.on_alarm


def switches_of(alarm: EvidenceAlarm) -> "QuerySet[Switch]":
    """Return the switches by which the watch stops pay tables of the alarm's bet now."""
    keys = [str(paytable_id) for paytable_id in _paytables_of(alarm)]
    return Switch.objects.filter(scope=SwitchScope.PAY_TABLE, key__in=keys, is_off=True, by=COMPONENT).order_by("pk")


def _paytables_of(alarm: EvidenceAlarm) -> list[int]:
    """Return the pay tables that have the alarm's bet with its law; for an alarm about cards, all pay tables of the
    game."""
    found = PayTable.objects.filter(game=alarm.game)
    if alarm.measure != Measure.CARDS:
        found = found.filter(lines__kind=alarm.kind, lines__law=alarm.law)
    return list(found.order_by("pk").values_list("pk", flat=True))


def _refusing(paytables: list[int]) -> list[int]:
    return [pk for pk in paytables if on_alarm_of(pk) == OnAlarm.REFUSE]
