"""The records of the watch over the published RTPs: its state by day, its alarms, and publications."""

from typing import Final

from django.contrib.postgres.fields import ArrayField
from django.db import models

from apps.approvals.models import Approval
from apps.core.models import AppendOnly
from apps.partners.models import Partner
from apps.paytables.models import PayTable


class Slice(models.TextChoices):
    """The part of a bet's rounds that is watched by itself."""

    ALL = "all", "all rounds"
    PARTNER = "partner", "one partner"
    CHANNEL = "door", "one channel"


class Measure(models.TextChoices):
    """The measures that raise alarms."""

    EVIDENCE = "e", "evidence over all rounds"
    RESTARTED = "R", "evidence that restarts"
    PAYOUT = "payout", "payouts that are not the pay table's"
    CARDS = "cards", "faces of the cards at a place"


RESULT_MEASURES: Final = (Measure.EVIDENCE, Measure.RESTARTED)
"""Measures of how the results of bets are distributed. e and R begin anew when an alarm by one of them is closed."""


class WatchedLaw(AppendOnly):
    """A part of the rounds with one kind of bet and one law. Play money is watched separately."""

    game = models.CharField(max_length=20)
    kind = models.CharField(max_length=40)
    """The bet; for cards, the place."""
    law = models.CharField(max_length=64)
    """The law of a bet; for cards, the number of decks."""
    is_play = models.BooleanField("play money")
    part = models.CharField(max_length=10, choices=Slice.choices)
    value = models.CharField(max_length=20, blank=True)
    """The partner's id or the channel; empty for all rounds."""

    class Meta:
        abstract = True


class EvidenceDay(WatchedLaw):
    """The state of the watch after a closed day (docs/statistics.md)."""

    day = models.DateField()
    n = models.BigIntegerField()
    """Rounds up to the end of the day."""
    products = ArrayField(models.FloatField())
    """For each L the logarithm of the product over all rounds up to the end of the day."""
    restarted = ArrayField(models.FloatField(), default=list)
    """For each L the logarithm of R; empty if an alarm was closed after the day, before the day was kept."""

    class Meta:
        db_table = "evidence_day"
        ordering = ["-day", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["day", "game", "kind", "law", "is_play", "part", "value"], name="evidence_day_once"
            ),
        ]
        indexes = [
            models.Index(
                fields=["game", "kind", "law", "is_play", "part", "value", "-day"], name="evidence_day_newest"
            ),
        ]

    def __str__(self) -> str:
        return f"evidence on {self.day}"


class EvidenceAlarm(WatchedLaw):
    """An alarm. It is open until two persons have closed it in writing."""

    measure = models.CharField(max_length=10, choices=Measure.choices)
    evidence = models.FloatField(null=True)
    """The decimal logarithm of the value that was reached; None if an impossible result occurred."""
    threshold = models.FloatField()
    """The decimal logarithm of the threshold; for payouts, their number up to then."""
    n = models.BigIntegerField()
    """Rounds up to then."""

    class Meta:
        db_table = "evidence_alarm"
        ordering = ["-id"]
        verbose_name = "RTP alarm"

    def __str__(self) -> str:
        return f"RTP alarm {self.pk}"


class EvidenceAlarmClose(AppendOnly):
    """The close of an alarm by two persons. Its evidence begins anew from here, unless it was about payouts."""

    alarm = models.OneToOneField(EvidenceAlarm, models.PROTECT, related_name="close")
    approval = models.ForeignKey(Approval, models.PROTECT, null=True, related_name="+")
    """The second person's approval; None if one person may close it (`PUNTO_TWO_PERSONS`)."""
    by = models.CharField(max_length=160)
    reason = models.TextField()
    products = ArrayField(models.FloatField())
    """The products up to the close; for cards the count of each face, for payouts nothing."""

    class Meta:
        db_table = "evidence_alarm_close"
        constraints = [models.CheckConstraint(condition=~models.Q(reason=""), name="evidence_alarm_close_reason")]

    def __str__(self) -> str:
        return f"close of RTP alarm {self.alarm_id}"


class EvidenceAlarmMail(AppendOnly):
    """An alarm's mail was handed to the mail server."""

    alarm = models.OneToOneField(EvidenceAlarm, models.PROTECT, related_name="mail")
    recipients = models.IntegerField()

    class Meta:
        db_table = "evidence_alarm_mail"

    def __str__(self) -> str:
        return f"mail of RTP alarm {self.alarm_id}"


class RtpPublication(AppendOnly):
    """A partner's choice whether its rounds are in the public RTPs. The newest row counts."""

    partner = models.ForeignKey(Partner, models.PROTECT, related_name="+")
    is_allowed = models.BooleanField("published")
    by = models.CharField(max_length=160)

    class Meta:
        db_table = "rtp_publication"
        ordering = ["-id"]
        verbose_name = "publication of RTP"
        verbose_name_plural = "publications of RTP"

    def __str__(self) -> str:
        return f"publication {self.pk}"


class OnAlarm(models.TextChoices):
    """What an alarm does to the offers of a pay table."""

    GO_ON = "go_on", "go on"
    REFUSE = "refuse", "refuse new rounds"


class PayTableOnAlarm(AppendOnly):
    """An operator's choice of what an alarm does to a pay table. The newest row counts; without a row, play
    continues."""

    paytable = models.ForeignKey(PayTable, models.PROTECT, related_name="+")
    on_alarm = models.CharField(max_length=10, choices=OnAlarm.choices)
    by = models.CharField(max_length=160)
    reason = models.TextField()

    class Meta:
        db_table = "paytable_on_alarm"
        ordering = ["-id"]
        verbose_name = "pay table's answer to alarms"
        verbose_name_plural = "pay tables' answers to alarms"

    def __str__(self) -> str:
        return self.on_alarm
