"""Use cases of the evidence: the watch with its alarms and mail, their close, and partners' and operators' choices."""

from collections.abc import Callable
from functools import partial
from math import log as natural_log
from operator import call
from typing import Final, NamedTuple

import structlog
from django.core.mail import send_mail
from django.db import connection, transaction
from django.db.models import Max

from apps.accounts.actors import operator_require
from apps.accounts.models import Role, User
from apps.approvals.models import Approval
from apps.approvals.services import SecondPersonNeeded, approval_act, approval_require
from apps.audit.services import audit_record
from apps.core.count_texts import counted
from apps.core.each_alone import each_alone
from apps.core.errors import Conflict
from apps.evidence.card_watch import cards_watched, face_counts_at
from apps.evidence.consequences import alarm_closed, alarm_follow_up, on_alarm_apply, on_alarm_of
from apps.evidence.models import (
    RESULT_MEASURES,
    EvidenceAlarm,
    EvidenceAlarmClose,
    EvidenceAlarmMail,
    Measure,
    OnAlarm,
    PayTableOnAlarm,
    RtpPublication,
    Slice,
)
from apps.evidence.rtp_watch import TABLES, SliceKey, SliceState, Watched, evidence_days_add, watch_lock, watched_now
from apps.evidence.selectors import TABLE_CHANNEL, alarms_open, part_title, partner_names, slice_of
from apps.partners.models import Partner
from apps.paytables.models import PayTable
from apps.rounds.registry import bet_labels, game_title

ACTOR: Final = "RTP watch"

_PER_NATURAL: Final = 1 / natural_log(10)
"""The factor from a natural to a decimal logarithm."""

_MISMATCHED_SQL: Final = """
    SELECT stat.game, stat.kind, line.law, currency.is_play, stat.door = %(table_channel)s,
        sum(stat.mismatched)::bigint, sum(stat.n)::bigint
    FROM play_stat AS stat
    JOIN paytable_line AS line ON line.paytable_id = stat.paytable_id AND line.kind = stat.kind
    JOIN currency ON currency.code = stat.currency_id
    WHERE stat.level = 'day' AND stat.zone = 'UTC' AND stat.mismatched > 0
    GROUP BY 1, 2, 3, 4, 5
"""

log = structlog.get_logger(__name__)


class _Reached(NamedTuple):
    """A threshold that a slice has reached."""

    key: SliceKey
    measure: Measure
    evidence: float | None
    threshold: float
    n: int


def rtp_watch() -> list[EvidenceAlarm]:
    """Keep the state of closed days, raise due alarms, and send their mail. Returns the new alarms.

    Commits by itself. A mail that cannot be sent is tried again by the next watch. A step that fails leaves the others;
    raises ExceptionGroup at the end.
    """
    raised: list[EvidenceAlarm] = []

    def raise_reached(read: Callable[[], list[_Reached]]) -> None:
        raised.extend(_alarms_raise(read))

    of_results, of_payouts = partial(raise_reached, _results_reached), partial(raise_reached, _payouts_wrong)
    steps: list[Callable[[], object]] = [evidence_days_add, of_results, of_payouts, alarm_mails_send]
    each_alone(steps, call, what="a step of the RTP watch")
    return raised


def card_watch() -> list[EvidenceAlarm]:
    """Raise an alarm for each place of the dealing order whose faces do not fit their chances. Returns the new alarms.

    Commits by itself. The next `rtp_watch` sends their mail.
    """
    return _alarms_raise(_cards_reached)


def alarm_mails_send() -> int:
    """Send the mail of alarms that have had none; return their number."""
    sent = 0
    for alarm in EvidenceAlarm.objects.filter(mail=None).order_by("pk"):
        people = User.objects.filter(role=Role.OPERATOR, is_active=True).exclude(email="")
        recipients = sorted(people.values_list("email", flat=True))
        try:
            if recipients:
                send_mail(f"Punto: RTP alarm {alarm.pk}", alarm_text(alarm), None, recipients)
        except OSError:
            log.exception("alarm_mail_failed", alarm=alarm.pk)
            return sent
        if not recipients:
            log.error("alarm_mail_without_recipients", alarm=alarm.pk)
        EvidenceAlarmMail.objects.create(alarm=alarm, recipients=len(recipients))
        sent += 1
    return sent


@transaction.atomic
def alarm_close(*, operator: User, alarm: EvidenceAlarm, reason: str, approval: Approval | None = None) -> None:
    """Close an alarm in writing, by two persons: rounds that it refused begin again.

    Its evidence begins anew. An alarm about payouts has none: e and R of its law go on.

    Locks: the watch. Raises Refused (not an operator), SecondPersonNeeded, BadRequest (no reason), Conflict (closed).
    """
    reason = operator_require(operator, "closes an RTP alarm", reason=reason)
    watch_lock()
    if EvidenceAlarmClose.objects.filter(alarm=alarm).exists():
        raise Conflict("this alarm is closed already")
    approval_require(
        approval,
        SecondPersonNeeded(
            "two persons close an RTP alarm",
            act="rtp_alarm.close",
            subject=f"RTP alarm {alarm.pk}",
            payload={"alarm": alarm.pk},
            reason=reason,
        ),
    )
    key = SliceKey(*slice_of(alarm))
    products: list[float] = []
    if alarm.measure == Measure.CARDS:
        products = face_counts_at(key)
    elif alarm.measure in RESULT_MEASURES:
        products = list(next((each.state.products for each in watched_now() if each.key == key), SliceState().products))
    EvidenceAlarmClose.objects.create(
        alarm=alarm, approval=approval, by=operator.get_username(), reason=reason, products=products
    )
    alarm_closed(alarm, operator=operator, approval=approval, reason=reason)
    audit_record(
        actor=operator.get_username(),
        actor_user_id=operator.pk,
        action="rtp_alarm.close",
        subject=f"RTP alarm {alarm.pk}",
        data={"before": {"open": True}, "after": {"open": False}},
        reason=reason,
    )


@approval_act("rtp_alarm.close")
def alarm_close_approved(approval: Approval) -> None:
    """Carry out an approved close."""
    alarm_close(
        operator=approval.asked_by,
        alarm=EvidenceAlarm.objects.get(pk=approval.payload["alarm"]),
        reason=approval.reason,
        approval=approval,
    )


@transaction.atomic
def rtp_publication_set(*, partner: Partner, is_allowed: bool, actor: str, actor_user_id: int | None = None) -> None:
    """Choose whether the partner's rounds are in the public RTPs, from the next page load."""
    before = RtpPublication.objects.filter(partner=partner).first()
    RtpPublication.objects.create(partner=partner, is_allowed=is_allowed, by=actor)
    audit_record(
        actor=actor,
        actor_user_id=actor_user_id,
        action="rtp.publish",
        subject=f"partner {partner.slug}",
        partner_id=partner.pk,
        data={
            "before": {"published": partner.is_house if before is None else before.is_allowed},
            "after": {"published": is_allowed},
        },
    )


@transaction.atomic
def paytable_on_alarm_set(*, operator: User, paytable: PayTable, on_alarm: OnAlarm, reason: str) -> None:
    """Choose what an alarm does to a pay table; refusing applies to open alarms too.

    Raises Refused (not an operator), BadRequest (no reason).
    """
    reason = operator_require(operator, "chooses what an alarm does", reason=reason)
    before = on_alarm_of(paytable.pk)
    PayTableOnAlarm.objects.create(paytable=paytable, on_alarm=on_alarm, by=operator.get_username(), reason=reason)
    audit_record(
        actor=operator.get_username(),
        actor_user_id=operator.pk,
        action="paytable.on_alarm",
        subject=f"pay table {paytable.pk}",
        data={"before": {"on_alarm": str(before)}, "after": {"on_alarm": str(on_alarm)}},
        reason=reason,
    )
    on_alarm_apply(paytable.pk, reason=reason)


def alarm_text(alarm: EvidenceAlarm) -> str:
    """Return the text of an alarm, for people."""
    bet = bet_labels(alarm.game).get(alarm.kind, alarm.kind)
    money = "play money" if alarm.is_play else "real money"
    where = f"{game_title(alarm.game)}, {bet}, {money}, {part_title(alarm.part, alarm.value, partner_names())}"
    if alarm.measure == Measure.PAYOUT:
        wrong = f"{alarm.threshold:.0f} of {counted(alarm.n, 'round')}"
        return f"{where}: {wrong} {'has' if alarm.threshold == 1 else 'have'} a payout that is not the pay table's."
    assert alarm.evidence is not None
    if alarm.measure == Measure.CARDS:
        return (
            f"{game_title(alarm.game)}, {alarm.kind} of {alarm.law}: the faces of {counted(alarm.n, 'card')} do not"
            f" come equally often. e is 10^{alarm.evidence:.2f}, and the alarm is raised at 10^{alarm.threshold:.2f}."
        )
    return (
        f"{where}: the results of {counted(alarm.n, 'round')} do not fit the published RTP. {alarm.measure} is"
        f" 10^{alarm.evidence:.2f}, and the alarm is raised at 10^{alarm.threshold:.2f}."
    )


@transaction.atomic(durable=True)
def _alarms_raise(read: Callable[[], list[_Reached]]) -> list[EvidenceAlarm]:
    """Raise the alarms that are not open yet. One that cannot be raised leaves the others, and the next watch tries it
    again."""
    watch_lock()
    known = {(slice_of(alarm), alarm.measure) for alarm in alarms_open()}
    raised = []
    for each in read():
        if (tuple(each.key), each.measure) in known:
            continue
        try:
            with transaction.atomic():
                raised.append(_alarm_raise(each))
        except Exception:
            log.exception("rtp_alarm_failed", **each.key._asdict(), measure=each.measure)
    return raised


def _results_reached() -> list[_Reached]:
    return [each for watched in watched_now() for each in _reached(watched)]


def _cards_reached() -> list[_Reached]:
    return [
        _Reached(each.key, Measure.CARDS, each.evidence * _PER_NATURAL, each.evidence_alarm * _PER_NATURAL, each.n)
        for each in cards_watched()
        if each.is_alarming
    ]


def _reached(watched: Watched) -> list[_Reached]:
    found = []
    if watched.evidence >= watched.evidence_alarm:
        values = (watched.evidence * _PER_NATURAL, watched.evidence_alarm * _PER_NATURAL)
        found.append(_Reached(watched.key, Measure.EVIDENCE, *values, watched.state.n))
    if watched.restarted is not None and watched.restarted >= watched.restarted_alarm:
        values = (watched.restarted * _PER_NATURAL, watched.restarted_alarm * _PER_NATURAL)
        found.append(_Reached(watched.key, Measure.RESTARTED, *values, watched.state.n))
    return found


def _payouts_wrong() -> list[_Reached]:
    """Return the laws with more wrong payouts than at their last alarm. Rounds at tables are a separate part, as in the
    watch over results."""
    named = {
        tuple(row[:6]): row[6]
        for row in EvidenceAlarm.objects.filter(measure=Measure.PAYOUT)
        .values_list("game", "kind", "law", "is_play", "part", "value")
        .annotate(most=Max("threshold"))
        .order_by()
    }
    with connection.cursor() as cursor:
        cursor.execute(_MISMATCHED_SQL, {"table_channel": TABLE_CHANNEL})
        rows = cursor.fetchall()
    found = []
    for game, kind, law, is_play, is_of_tables, count, n in rows:
        part = TABLES if is_of_tables else (Slice.ALL.value, "")
        key = SliceKey(game, kind, law, is_play, *part)
        if count > named.get(tuple(key), 0):
            found.append(_Reached(key, Measure.PAYOUT, None, count, n))
    return found


def _alarm_raise(reached: _Reached) -> EvidenceAlarm:
    alarm = EvidenceAlarm.objects.create(
        **reached.key._asdict(),
        measure=reached.measure,
        evidence=reached.evidence,
        threshold=reached.threshold,
        n=reached.n,
    )
    audit_record(
        actor=ACTOR,
        action="rtp_alarm.raise",
        subject=f"RTP alarm {alarm.pk}",
        data={"text": alarm_text(alarm)},
        reason="the watch of the published RTPs",
    )
    log.error("rtp_alarm", alarm=alarm.pk, text=alarm_text(alarm))
    alarm_follow_up(alarm, alarm_text(alarm))
    return alarm
