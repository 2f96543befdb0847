"""Two partners' play of many days, which the tests of reports read."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any, Final

import psycopg

from apps.accounts.models import Player, PlayerStatus, Role, User
from apps.accounts.services import player_status_set
from apps.events.thresholds import WIN
from apps.office.reports import REPORTS, report_make
from apps.office.threshold_changes import event_threshold_set
from apps.partners.models import Partner
from apps.reports.document import Report
from apps.reports.period import Period
from apps.rounds.game_sessions import game_session_open
from apps.rounds.models import Round
from apps.rounds.registry import game_at, games
from apps.rounds.services import round_void
from apps.staff_access.models import AccessKind
from apps.staff_access.services import access_record
from apps.statistics.models import StatisticsDay
from apps.statistics.services import statistics_fold
from apps.wallet.services import wallet_adjust
from tests.contract.players import player_of
from tests.support.factories import partner_make, player_make, staff_make
from tests.support.long_form import IS_LONG
from tests.support.offers import games_offer
from tests.support.waiting import wait_until

DAYS: Final = 63 if IS_LONG else 42
"""`make test` has fewer days between changes of zones, since each day is closed in each zone."""
ZONES: Final = ("UTC", "America/New_York")
ZONE_CHANGES: Final = tuple(
    (zone, days * DAYS // 63)
    for zone, days in (("Asia/Tokyo", 40), ("America/New_York", 30), ("Asia/Tokyo", 20), ("UTC", 10))
)
"""The time zones of the second partner, and how many days ago they began."""


class Played:
    """Two partners with players who have played on many days, one of them with a time zone of its own."""

    def __init__(self, superuser: psycopg.Connection, *, days: int = DAYS) -> None:
        self.superuser, self.days = superuser, days
        self.operator = staff_make(Role.OPERATOR)
        event_threshold_set(operator=self.operator, measure=WIN, currency="FUN", value=Decimal("0.01"), reason="a test")
        self.partners = [partner_make() for _ in range(2)]
        self.players: list[Player] = []
        for number, partner in enumerate(self.partners):
            games_offer(partner)
            player = player_make(balance=Decimal(10_000), partner=partner)
            self.players.append(player)
            for game in games():
                _, token = game_session_open(player=player, game=game.id, currency_code="FUN")
                for turn in range(8):
                    player_of(game).play(token, Random(100 * number + turn))
            wallet_adjust(operator=self.operator, wallet=player.wallets.get(), change=Decimal("7.5"), reason="a gift")
            first = Round.objects.filter(player=player).earliest("started_at")
            round_void(operator=self.operator, round=first, reason="a fault")
            for status in (PlayerStatus.BLOCKED, PlayerStatus.ACTIVE) * 2:
                player_status_set(operator=self.operator, player=player, status=status, reason="asked for it")
            left_open(player_make(balance=Decimal(100), partner=partner))
            excluded = player_make(partner=partner)
            player_status_set(operator=self.operator, player=excluded, status=PlayerStatus.BLOCKED, reason="for long")
            for who in (self.operator, staff_make(Role.PARTNER_STAFF, partner=partner)):
                for kind in AccessKind:
                    access_record(user=who, kind=kind, request=None)
        self.spread()
        self.spread_at = datetime.now(UTC)
        wait_until(self.is_folded, "all is in the statistics")

    def spread(self) -> None:
        """Move all rounds and movements to the last days, in their order."""
        random = Random(3)
        link = self.superuser
        link.execute("SET session_replication_role = replica")
        rows = link.execute(
            "SELECT id, ctime, coalesce((SELECT ended_at FROM game_round WHERE id = round_id), ctime)"
            " FROM wallet_transaction ORDER BY wallet_id, id"
        ).fetchall()
        now = datetime.now(UTC)
        times = sorted(now - timedelta(seconds=random.randrange(3600, self.days * 86_400)) for _ in rows)
        moved = dict(zip((row[0] for row in sorted(rows)), times, strict=True))
        for movement, at in moved.items():
            link.execute("UPDATE wallet_transaction SET ctime = %s WHERE id = %s", [at, movement])
        link.execute(
            "UPDATE game_round SET started_at = first, ended_at = CASE WHEN how_ended <> '' THEN last END FROM ("
            " SELECT round_id, min(ctime) AS first, max(ctime) AS last FROM wallet_transaction"
            " WHERE source_key NOT LIKE '%%:void:%%' AND round_id IS NOT NULL GROUP BY round_id) AS moved"
            " WHERE id = round_id"
        )
        # The platform has played some out; acts and events are of other times too.
        link.execute(
            "UPDATE game_round SET how_ended = 'auto_completed' WHERE game = 'og-blackjack' AND how_ended = 'played'"
            " AND nonce % 3 = 0 AND NOT EXISTS (SELECT FROM round_void WHERE round_id = game_round.id)"
        )
        for table in ("audit_entry", "significant_event", "staff_access"):
            ids = [row[0] for row in link.execute(f"SELECT id FROM {table} ORDER BY id").fetchall()]
            moments = sorted(now - timedelta(seconds=random.randrange(3600, self.days * 86_400)) for _ in ids)
            for entry, at in zip(ids, moments, strict=True):
                link.execute(f"UPDATE {table} SET ctime = %s WHERE id = %s", [at, entry])
        chosen = [(0, ZONES[1], self.days + 3), *((1, *change) for change in ZONE_CHANGES)]
        for partner, zone, days in chosen:
            link.execute(
                "INSERT INTO partner_zone (partner_id, zone, from_day, by, ctime) VALUES (%s, %s, %s, 'test', now())",
                [self.partners[partner].pk, zone, now.date() - timedelta(days=days)],
            )
        before = now - timedelta(days=self.days + 3)
        link.execute("UPDATE partner SET ctime = %s", [before])
        link.execute("UPDATE paytable_use SET available_from = %s", [before])
        link.execute("UPDATE row_change SET ctime = %s WHERE table_name = 'player'", [before])
        link.execute("SET session_replication_role = origin")

    def is_folded(self) -> bool:
        edge = statistics_fold(edge_age=timedelta(0)).edge
        return edge is not None and edge > self.spread_at and StatisticsDay.objects.exists()

    def report(
        self, name: str, period: Period, partner: Partner | None = None, *, viewer: User | None = None,
        most: int | None = None,
    ) -> Report:  # fmt: skip
        return report_make(
            kind=REPORTS[name], viewer=viewer or self.operator, period=period, partner=partner, most=most
        )

    def plain(self, sql: str, period: Period, partner: Partner | None) -> list[tuple[Any, ...]]:
        parameters = {
            "since": period.since, "until": period.until, "partner": None if partner is None else partner.pk,
        }  # fmt: skip
        return self.superuser.execute(sql, parameters).fetchall()  # type: ignore[arg-type]


def left_open(player: Player) -> None:
    """Begin a round of the player that is not played on."""
    game = game_at("blackjack")
    assert player_of(game).leave_open(game_session_open(player=player, game=game.id, currency_code="FUN")[1])
