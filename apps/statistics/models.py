"""Sums of bets, rounds and movements of money by day and month, and the time up to which they are complete."""

from typing import Final

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now

from apps.accounts.models import Player
from apps.core.models import AmountSumField, AppendOnly, Currency
from apps.partners.models import Partner
from apps.paytables.models import PayTable
from apps.wallet.models import HouseAccount, Kind

SUM_DIGITS: Final = 60
SUM_DECIMALS: Final = 16


class SumField(models.DecimalField):
    """A sum of amounts, or of their squares.

    A bet may be of 10^12 units, so its square times that of its deviation is below 10^36. Such a sum of 10^8 bets fits.
    A sum that does not fit would stop the statistics of all partners.
    """

    def __init__(self, *args: object, **kwargs: object) -> None:
        kwargs.setdefault("max_digits", SUM_DIGITS)
        kwargs.setdefault("decimal_places", SUM_DECIMALS)
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]


class PeriodLength(models.TextChoices):
    """The length of a row's period."""

    DAY = "day", "day"
    MONTH = "month", "month"


class DayRow(models.Model):
    """A row of sums of one day in one time zone. It is final once its day is closed."""

    sealed_when = "held.closed_at IS NOT NULL"
    sealed_by = "held.closed_at"

    period = models.DateField()
    """The day, or the first day of the month."""
    zone = models.CharField(max_length=60)
    closed_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        abstract = True


class PlayStat(DayRow):
    """Bets of one kind that were settled by one pay table. At a live table the bets of one kind of all seats count as
    one."""

    level = models.CharField(max_length=5, choices=PeriodLength.choices)
    partner = models.ForeignKey(Partner, models.PROTECT, related_name="+", db_index=False)
    currency = models.ForeignKey(Currency, models.PROTECT, related_name="+", db_index=False)
    game = models.CharField(max_length=20)
    paytable = models.ForeignKey(PayTable, models.PROTECT, null=True, related_name="+", db_index=False)
    """None for rounds without one: they have no expected payout, variance and hits here."""
    kind = models.CharField(max_length=40)
    """The bet's name on the wire."""
    door = models.CharField(max_length=10)
    """The channel: one of `apps.rounds.models.Channel`."""
    device = models.CharField(max_length=10, default="unknown")
    """One of `apps.rounds.models.Device`; unknown at live tables, because the seats of a round share a row."""
    band = models.SmallIntegerField()
    """The number of digits of the stake in smallest units."""
    n = models.BigIntegerField()
    """Rounds with a bet of this kind."""
    bets = models.BigIntegerField()
    stake = SumField()
    payout = SumField()
    stake_squared = SumField()
    expected = SumField()
    """The sum of stake times theoretical RTP."""
    variance = SumField()
    hits = ArrayField(models.BigIntegerField())
    """The count of each result, in the order of the pay table's lines."""
    mismatched = models.BigIntegerField(default=0, db_default=0)
    """Rounds whose result or payout is not one of the pay table's."""
    voided_n = models.BigIntegerField()
    voided_stake = SumField()
    voided_payout = SumField()

    class Meta:
        db_table = "play_stat"
        ordering = ["-period", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=[
                    "level", "period", "zone", "partner", "currency", "game", "paytable", "kind", "door", "device",
                    "band",
                ],
                nulls_distinct=False,
                name="play_stat_key",
            ),
            models.CheckConstraint(
                condition=models.Q(level="day") | models.Q(level="month", closed_at__isnull=False),
                name="play_stat_level",
            ),
        ]  # fmt: skip
        indexes = [
            models.Index(
                fields=["game"], condition=models.Q(level="day", mismatched__gt=0), name="play_stat_mismatched"
            ),
            models.Index(fields=["zone", "period"], condition=models.Q(closed_at__isnull=True), name="play_stat_open"),
        ]

    def __str__(self) -> str:
        return f"{self.level} {self.period} {self.kind}"


class PlayerDay(DayRow):
    """A player's rounds of a game on a day."""

    partner = models.ForeignKey(Partner, models.PROTECT, related_name="+", db_index=False)
    player = models.ForeignKey(Player, models.PROTECT, related_name="+")
    currency = models.ForeignKey(Currency, models.PROTECT, related_name="+", db_index=False)
    game = models.CharField(max_length=20)
    n = models.BigIntegerField()
    stake = AmountSumField()
    payout = AmountSumField()
    voided_n = models.BigIntegerField()
    voided_stake = AmountSumField()
    voided_payout = AmountSumField()

    class Meta:
        db_table = "player_day"
        ordering = ["-period", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["period", "zone", "partner", "player", "currency", "game"], name="player_day_key"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.period} player {self.player_id}"


class GameDay(DayRow):
    """A partner's rounds of a game on a day: the rows of first pages and summaries, for any number of players."""

    partner = models.ForeignKey(Partner, models.PROTECT, related_name="+", db_index=False)
    currency = models.ForeignKey(Currency, models.PROTECT, related_name="+", db_index=False)
    game = models.CharField(max_length=20)
    n = models.BigIntegerField()
    bets = models.BigIntegerField()
    stake = SumField()
    payout = SumField()
    voided_n = models.BigIntegerField()
    voided_stake = SumField()
    voided_payout = SumField()

    class Meta:
        db_table = "game_day"
        ordering = ["-period", "id"]
        constraints = [
            models.UniqueConstraint(fields=["period", "zone", "partner", "currency", "game"], name="game_day_key"),
        ]

    def __str__(self) -> str:
        return f"{self.period} {self.game}"


class PartnerHour(DayRow):
    """A partner's rounds in an hour of a day, of all games. The days that were closed before there were such rows have
    none, or some that are not compared (migrations/0009_partner_hour.sql)."""

    partner = models.ForeignKey(Partner, models.PROTECT, related_name="+", db_index=False)
    currency = models.ForeignKey(Currency, models.PROTECT, related_name="+", db_index=False)
    hour = models.SmallIntegerField()
    """0 to 23 in the row's zone. Where clocks are set back, two hours of the day are one."""
    n = models.BigIntegerField()
    bets = models.BigIntegerField(null=True)
    """None in rows from before they were counted."""
    stake = SumField()
    payout = SumField()
    voided_n = models.BigIntegerField()
    voided_stake = SumField()
    voided_payout = SumField()

    class Meta:
        db_table = "partner_hour"
        ordering = ["-period", "id"]
        constraints = [
            models.UniqueConstraint(fields=["period", "zone", "partner", "currency", "hour"], name="partner_hour_key"),
        ]

    def __str__(self) -> str:
        return f"{self.period} hour {self.hour}"


class MovementDay(DayRow):
    """A house account's movements of one kind on a day."""

    house_account = models.ForeignKey(HouseAccount, models.PROTECT, related_name="+")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    count = models.BigIntegerField()
    change = SumField()
    """The sum of the wallets' changes."""

    class Meta:
        db_table = "movement_day"
        ordering = ["-period", "id"]
        constraints = [
            models.UniqueConstraint(fields=["period", "zone", "house_account", "kind"], name="movement_day_key"),
        ]
        indexes = [
            models.Index(
                fields=["zone", "period"], condition=models.Q(closed_at__isnull=True), name="movement_day_open"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.period} {self.kind}"


class CardStat(DayRow):
    """The count of a card at a place of the dealing order on a day in UTC."""

    game = models.CharField(max_length=20)
    decks = models.SmallIntegerField()
    """1 to 8, or the number of infinite decks."""
    place = models.SmallIntegerField()
    """From 0."""
    card = models.CharField(max_length=3)
    count = models.BigIntegerField()

    class Meta:
        db_table = "card_stat"
        ordering = ["-period", "id"]
        constraints = [
            models.UniqueConstraint(fields=["period", "zone", "game", "decks", "place", "card"], name="card_stat_key"),
        ]

    def __str__(self) -> str:
        return f"{self.period} {self.game} {self.place} {self.card}"


class LuckStat(DayRow):
    """The luck of bets whose results depend on decisions (`GameSpec.luck`), on a day, by the keys of `PlayStat`."""

    partner = models.ForeignKey(Partner, models.PROTECT, related_name="+", db_index=False)
    currency = models.ForeignKey(Currency, models.PROTECT, related_name="+", db_index=False)
    game = models.CharField(max_length=20)
    paytable = models.ForeignKey(PayTable, models.PROTECT, related_name="+", db_index=False)
    kind = models.CharField(max_length=40)
    door = models.CharField(max_length=10)
    device = models.CharField(max_length=10)
    band = models.SmallIntegerField()
    n = models.BigIntegerField()
    """Rounds whose luck is known."""
    luck = SumField()
    """In first stakes, like the next two columns."""
    luck_squared = SumField()
    given_away = SumField()
    """The loss by decisions that were not the best."""
    logs = ArrayField(models.BigIntegerField())
    """For each L the sum of ln(1 + L x luck), in units of 1e-9."""

    class Meta:
        db_table = "luck_stat"
        ordering = ["-period", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["period", "zone", "partner", "currency", "game", "paytable", "kind", "door", "device", "band"],
                name="luck_stat_key",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.period} luck of {self.kind}"


class StatisticsDay(AppendOnly):
    """A closed day in a time zone: its rows were compared with a recount, and never change."""

    day = models.DateField()
    zone = models.CharField(max_length=60)
    corrected = models.IntegerField()
    """The number of rows that the recount changed."""

    class Meta:
        db_table = "statistics_day"
        ordering = ["-day", "zone"]
        constraints = [models.UniqueConstraint(fields=["day", "zone"], name="statistics_day_once")]

    def __str__(self) -> str:
        return f"{self.day} {self.zone}"


class PartnerZone(models.Model):
    """A partner's time zone from a day on. Its days have rows of their own beside those of UTC.

    A row is never changed, but it can be withdrawn once, before it begins: the trigger `partner_zone_guard` enforces
    this too.
    """

    app_may_update = ("withdrawn_at", "withdrawn_by", "withdrawn_reason")
    # Seals of versions that could not withdraw a zone have its rows, so later ones have them too.
    sealed_without = app_may_update

    partner = models.ForeignKey(Partner, models.PROTECT, related_name="+")
    zone = models.CharField(max_length=60)
    from_day = models.DateField()
    by = models.CharField(max_length=160)
    ctime = models.DateTimeField("created", db_default=Now(), editable=False)
    withdrawn_at = models.DateTimeField(null=True, editable=False)
    """It never applies then."""
    withdrawn_by = models.CharField(max_length=160, blank=True, default="", db_default="")
    withdrawn_reason = models.TextField(blank=True, default="", db_default="")

    class Meta:
        db_table = "partner_zone"
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["partner", "from_day"],
                condition=models.Q(withdrawn_at__isnull=True),
                name="partner_zone_from",
            ),
            models.CheckConstraint(
                condition=models.Q(withdrawn_at__isnull=True, withdrawn_by="", withdrawn_reason="")
                | models.Q(withdrawn_at__isnull=False) & ~models.Q(withdrawn_by="") & ~models.Q(withdrawn_reason=""),
                name="partner_zone_withdrawn",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.zone} from {self.from_day}"


class FoldState(models.Model):
    """The progress of the fold. There is one row."""

    edge = models.DateTimeField(null=True)
    """All that ended before this time has been added; None before the first fold."""
    candidate = models.DateTimeField(null=True)
    """The next edge. It is used after all transactions have ended that were running when it was chosen."""
    waits_for = ArrayField(models.TextField(), default=list)
    """The virtual ids of those transactions."""

    class Meta:
        db_table = "statistics_fold"
        constraints = [models.CheckConstraint(condition=models.Q(pk=1), name="statistics_fold_one")]

    def __str__(self) -> str:
        return f"edge {self.edge}"
