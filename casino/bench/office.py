"""The speed of the back office with many rounds: first pages, reports, search, timelines and lists, for each role."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final
from urllib.parse import urlencode

from django.urls import reverse

from casino.bench.bench_environment import BenchDatabase, cpu_s
from casino.bench.office_rows import OfficeRows, office_rows_make
from casino.bench.report import Table

DASHBOARD_MS: Final = 500
REPORT_MS: Final = 2_000
SEARCH_MS: Final = 200
TIMELINE_MS: Final = 300
LIST_MS: Final = 500
SEARCHED_MS: Final = 10_000
"""A list that is searched in stretches (`apps/rounds/bet_search.py`)."""
SAMPLES: Final = 50
"""The number of rows of each kind that pages are requested for."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A kind of page, and its addresses, which one role requests in turns."""

    group: str
    name: str
    goal_ms: int
    role: str
    addresses: Sequence[str]


def office_measure(bench: BenchDatabase, *, rounds: int, repetitions: int) -> Iterator[Table]:
    """Write the rows, and yield a table for each group of pages."""
    from apps.evidence.rtp_watch import evidence_days_add

    staff = _staff_make()
    rows = office_rows_make(bench, rounds)
    evidence_days_add()
    _partner_set(staff, rows.partners[1])
    groups: dict[str, list[Visit]] = {}
    for visit in _visits(rows):
        groups.setdefault(visit.group, []).append(visit)
    made = f"{rows.rounds:,} rounds, {rows.players:,} players; written in {rows.seconds:,.0f} s"
    for group, visits in groups.items():
        table = Table(f"{group} ({made}): median, 95th percentile, CPU of Python and PostgreSQL")
        for visit in visits:
            client = _client(staff[visit.role])  # a log-in that is not used for 15 minutes ends
            taken = visit_measure(client, visit, repetitions, bench.postgres_pid)
            is_missed = " MISSED" if taken.p95_ms > visit.goal_ms else ""
            table.row(
                f"{visit.name}, {visit.role.replace('_', ' ')}",
                f"{taken.median_ms:,.0f} and {taken.p95_ms:,.0f} ms, {taken.cpu_ms:,.0f} ms",
                f"goal: {visit.goal_ms:,} ms{is_missed}",
            )
        yield table


@dataclass(frozen=True, slots=True)
class Taken:
    """The time of visits. On a busy machine the CPU says more than the clock."""

    median_ms: float
    p95_ms: float
    cpu_ms: float
    """The CPU time of one visit, this process and PostgreSQL together."""


def visit_measure(client: Any, visit: Visit, repetitions: int, postgres_pid: int) -> Taken:
    """Request the addresses in turns."""
    client.get(visit.addresses[-1])  # the data that a process reads once
    before = time.process_time() + cpu_s(postgres_pid)
    times = sorted(_times_ms(client, visit.addresses, repetitions))
    cpu = time.process_time() + cpu_s(postgres_pid) - before
    return Taken(times[len(times) // 2], times[-1 - len(times) // 20], 1000 * cpu / repetitions)


def _staff_make() -> dict[str, Any]:
    from apps.accounts.models import Role, User

    return {
        role.value: User.objects.create(username=f"bench-{role}", role=role, is_staff=True)
        for role in (Role.OPERATOR, Role.AUDITOR)
    }


def _partner_set(staff: dict[str, Any], partner_id: int) -> None:
    """Add the staff of a partner, which needs the partners first."""
    from apps.accounts.models import Role, User

    staff[Role.PARTNER_STAFF.value] = User.objects.create(
        username="bench-staff", role=Role.PARTNER_STAFF, partner_id=partner_id, is_staff=True
    )


def _client(user: Any) -> Any:
    """Return Django's test client, logged in: only the server's time counts."""
    from django.test import Client

    client = Client(headers={"host": "localhost"})
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


def _times_ms(client: Any, addresses: Sequence[str], repetitions: int) -> Iterator[float]:
    for number in range(repetitions):
        address = addresses[number % len(addresses)]
        began = time.perf_counter()
        answer = client.get(address)
        size = len(b"".join(answer.streaming_content) if answer.streaming else answer.content)
        yield 1000 * (time.perf_counter() - began)
        if answer.status_code != 200 or not size:
            raise SystemExit(f"{address} answered {answer.status_code}")


def _visits(rows: OfficeRows) -> Iterator[Visit]:
    roles = ("operator", "auditor", "partner_staff")
    found = _Samples(rows)
    for role in roles:
        yield Visit("First pages", "first page", DASHBOARD_MS, role, [reverse("admin:index")])
    yield from _reports(rows)
    for role in ("operator", "partner_staff"):
        for name, terms in found.terms.items():
            addresses = [f"{reverse('admin:search')}?{urlencode({'s': term, 'extended': 1})}" for term in terms]
            yield Visit("Search", name, SEARCH_MS, role, addresses)
    for role in ("operator", "auditor"):
        for kind, keys in found.subjects.items():
            addresses = [reverse("admin:timeline", args=[kind, key]) for key in keys]
            yield Visit("Timelines", f"timeline of a {kind}", TIMELINE_MS, role, addresses)
    files = [reverse("admin:player_file", args=[key]) for key in found.subjects["player"]]
    yield Visit("Lists", "a player's file", LIST_MS, "operator", files)
    yield from _lists(rows, found)


def _reports(rows: OfficeRows) -> Iterator[Visit]:
    from apps.office.reports import REPORTS

    day = rows.now.date().isoformat()
    for role in ("operator", "partner_staff"):
        for report in REPORTS.values():
            if role in report.readers:
                for length in ("day", "month", "year"):
                    asked = urlencode({"length": length, "until": day, "zone": "UTC"})
                    address = f"{reverse('admin:report', args=[report.name])}?{asked}"
                    yield Visit("Reports", f"{report.title}, {length} to date", REPORT_MS, role, [address])
    yield Visit("Reports", "RTP evidence", REPORT_MS, "auditor", [reverse("admin:evidence")])


def _lists(rows: OfficeRows, found: "_Samples") -> Iterator[Visit]:
    week = {"from": (rows.now.date()).isoformat(), "to": rows.now.date().isoformat()}
    partner = rows.partners[3]
    rounds, moved = "rounds_round", "wallet_wallettransaction"
    asked: dict[str, tuple[str, Sequence[dict[str, Any]]]] = {
        "rounds": (rounds, [{}]),
        "rounds, page 100": (rounds, [{"p": 100}]),
        "rounds of a partner": (rounds, [{"partner__id__exact": partner}]),
        "rounds of a game": (rounds, [{"game": game} for game in found.games]),
        "rounds of a partner's game": (
            rounds,
            [{"partner__id__exact": partner, "game": game} for game in found.games],
        ),
        "rounds of a day": (rounds, [{"started_at_from": week["from"], "started_at_to": week["to"]}]),
        "rounds by a rare bet": (rounds, [{"bet": "BaccaratGameBetTie", "result": "Draw"}]),
        "rounds of a day by a rare bet": (
            rounds,
            [{"bet": "BaccaratGameBetTie", "ended_at_from": week["from"], "ended_at_to": week["to"]}],
        ),
        "rounds of an unplayed day": (rounds, [{"started_at_from": "2001-01-01", "started_at_to": "2001-01-02"}]),
        "rounds of a player": (rounds, [{"player__id__exact": key} for key in found.subjects["player"]]),
        "rounds by how the id begins": (rounds, [{"q": term} for term in found.terms["a round"]]),
        "rounds by player's reference": (rounds, [{"q": term} for term in found.terms["a player"]]),
        "movements": (moved, [{}]),
        "movements of a partner": (moved, [{"house_account__partner__id__exact": partner}]),
        "movements of a day": (moved, [{"ctime_from": week["from"], "ctime_to": week["to"]}]),
        "movements by player's reference": (moved, [{"q": term} for term in found.terms["a player"]]),
        "movements of a round": (moved, [{"q": term} for term in found.terms["a round"]]),
        "players": ("accounts_player", [{}]),
        "players of a partner, blocked": (
            "accounts_player",
            [{"partner__id__exact": partner, "status__exact": "blocked"}],
        ),
        "players by a part of the reference": ("accounts_player", [{"q": "yer-77"}]),
        "audit": ("audit_auditentry", [{}]),
        "audit of a day": ("audit_auditentry", [{"ctime_from": week["from"], "ctime_to": week["to"]}]),
        "audit by act": ("audit_auditentry", [{"q": "wallet.adjust"}, {"q": "player.status"}]),
        "audit by nothing that is there": ("audit_auditentry", [{"q": "no such act"}]),
        "significant events": ("events_significantevent", [{}, {"kind__exact": "large_win"}]),
        "sessions": ("rounds_gamesession", [{}]),
        "sessions of a game": ("rounds_gamesession", [{"game": game} for game in found.games]),
        "records": ("baccarat_baccaratgamerecord", [{}]),
        "accesses of staff": ("staff_access_staffaccess", [{}]),
    }
    for name, (listing, queries) in asked.items():
        base = reverse(f"admin:{listing}_changelist")
        addresses = [f"{base}?{urlencode(query)}" for query in queries]
        goal = SEARCHED_MS if "rare bet" in name else LIST_MS
        yield Visit("Lists", name, goal, "operator", addresses)
        if listing in (rounds, moved) and "partner" not in name:
            yield Visit("Lists", name, goal, "partner_staff", addresses)


class _Samples:
    """Random rows that pages are requested for."""

    def __init__(self, rows: OfficeRows) -> None:
        from apps.accounts.models import Player, User
        from apps.partners.models import Partner
        from apps.rounds.models import GameSession, Round
        from apps.rounds.registry import games
        from apps.wallet.models import Wallet, WalletTransaction

        random = Random(1)
        own = Player.objects.filter(partner_id=rows.partners[1])
        players = _some(own.values_list("pk", flat=True), random)
        rounds = _some(Round.objects.filter(player__in=players[:5]).values_list("pk", flat=True)[:5_000], random)
        moved = WalletTransaction.objects.filter(wallet__player__in=players[:5]).values_list("pk", flat=True)
        self.games = [game.id for game in games()]
        self.terms: dict[str, list[str]] = {
            "a round": [str(key)[:8] for key in rounds],
            "a player": list(Player.objects.filter(pk__in=players).values_list("reference", flat=True)),
            "how many players begin": ["play", "player-1"],
            "a transaction": [str(key) for key in _some(moved[:5_000], random)],
            "a session": [
                str(key) for key in GameSession.objects.filter(player__in=players).values_list("pk", flat=True)[:20]
            ],
            "nothing that is there": ["zzzz", "7f7f7f7f7f"],
        }
        self.subjects: dict[str, list[Any]] = {
            "player": players,
            "wallet": list(Wallet.objects.filter(player__in=players).values_list("pk", flat=True)),
            "round": rounds,
            "partner": list(Partner.objects.values_list("pk", flat=True)),
            "log-in": list(User.objects.values_list("pk", flat=True)),
        }


def _some(keys: Any, random: Random) -> list[Any]:
    every = list(keys)
    return random.sample(every, min(SAMPLES, len(every)))
