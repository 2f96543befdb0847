"""A player's file and timelines: they show each role its entries in one order, and nothing outside the viewer's
scope."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import PlayerStatus, Role
from apps.accounts.services import player_status_set, user_active_set
from apps.audit.models import AuditEntry
from apps.audit.row_changes_check import row_changes_check
from apps.audit.services import audit_record
from apps.baccarat.apps import GAME_ID as GAME
from apps.core.errors import BadRequest, Refused
from apps.core.models import Currency
from apps.events.models import SignificantEvent
from apps.office.proof import proof_run
from apps.one_deal.messages import Bet, Slip
from apps.player_files.models import PlayerNote
from apps.player_files.selectors import _session_end, played_days, played_sums, sessions_of
from apps.player_files.services import player_note_add
from apps.rounds.bettor_identity import Bettor
from apps.rounds.game_sessions import game_session_end, game_session_find, game_session_open, token_hash
from apps.rounds.launch_codes import launch_code_create, launch_code_spend
from apps.rounds.models import GameSession, Round
from apps.rounds.services import round_void
from apps.statistics.models import PlayerDay
from apps.tables.models import TableSession
from apps.timelines.entries import Entry, timeline_page
from apps.timelines.subjects import sources_of
from apps.wallet.models import Kind, WalletTransaction
from apps.wallet.services import wallet_adjust
from tests.office.conftest import Casino
from tests.office.queries import ROLES
from tests.support.baccarat import offer_make
from tests.support.baccarat_use_cases import baccarat_bet_place
from tests.support.factories import staff_make, wallet_make
from tests.support.ledger import round_make
from tests.support.loop import run
from tests.support.played import baccarat_session

LogIn = Callable[[str], Client]

START = datetime(2026, 3, 1, tzinfo=UTC)


def file_of(casino: Casino) -> str:
    return reverse("admin:player_file", args=[casino.player.pk])


def timelines_of(casino: Casino) -> list[str]:
    """Return the addresses of one timeline of each kind that every role may read."""
    rows = [("player", casino.player), ("wallet", casino.player.wallets.get()), ("round", casino.record.round)]
    rows += [("partner", casino.partner), ("baccaratconfig", casino.config)]
    return [reverse("admin:timeline", args=[kind, row.pk]) for kind, row in rows]


def played_day_make(casino: Casino, *, days_ago: int, stake: str, payout: str) -> None:
    PlayerDay.objects.create(
        period=datetime.now(UTC).date() - timedelta(days=days_ago), zone="UTC", partner=casino.partner,
        player=casino.player, currency_id="FUN", game="og-baccarat", n=3, stake=Decimal(stake),
        payout=Decimal(payout), voided_n=0, voided_stake=0, voided_payout=0,
    )  # fmt: skip


@pytest.mark.parametrize("who", ROLES)
def test_a_file_shows_status_sums_days_money_rounds_sessions_and_timeline(
    who: str, log_in: LogIn, ours: Casino
) -> None:
    played_day_make(ours, days_ago=2, stake="100", payout="90")
    played_day_make(ours, days_ago=40, stake="50", payout="60")
    operator = staff_make(Role.OPERATOR)
    player_status_set(operator=operator, player=ours.player, status=PlayerStatus.BLOCKED, reason="lost her phone")
    page = log_in(who).get(file_of(ours))
    assert page.status_code == 200
    context = page.context
    (played,) = context["sums"]
    assert (played["rounds"], played["stake"], played["net"]) == (6, "150.00 FUN", "0.00 FUN")
    assert len(context["days"]) == 30
    assert [row["net"] for row in context["days"] if row["rounds"]] == ["-10.00"]
    assert [row["short_id"] for row in context["rounds"]] == [str(ours.record.round_id)[:8]]
    assert context["funds"][0]["deposits"] == "500.00 FUN"
    assert context["sessions"][0]["why_ended"] == "it lasts"
    text = page.content.decode()
    assert "lost her phone" in text
    assert (operator.username in text) == (who in ("auditor", "operator"))
    kinds = {entry.kind for entry in context["entries"]}
    assert {"movement", "round", "act", "session"} <= kinds


@pytest.mark.parametrize("who", ["partner_staff", "partner_auditor"])
def test_files_and_timelines_of_another_partner_are_like_unknown_ones(
    who: str, log_in: LogIn, ours: Casino, theirs: Casino
) -> None:
    browser = log_in(who)
    for address in [file_of(theirs), *timelines_of(theirs)]:
        assert browser.get(address).status_code == 404, address
    unknown = [reverse("admin:timeline", args=["player", "x"]), reverse("admin:timeline", args=["table", "1"])]
    for address in unknown:
        assert browser.get(address).status_code == 404, address


@pytest.mark.parametrize("who", ROLES)
def test_every_kind_of_timeline_is_shown_newest_first(who: str, log_in: LogIn, ours: Casino) -> None:
    wallet_adjust(
        operator=staff_make(Role.OPERATOR), wallet=ours.player.wallets.get(), change=Decimal(5), reason="a goodwill"
    )
    browser = log_in(who)
    for address in timelines_of(ours):
        page = browser.get(address)
        times = [entry.time for entry in page.context["page"].entries]
        assert page.status_code == 200, address
        assert times, address
        assert times == sorted(times, reverse=True), address
    of_player = browser.get(timelines_of(ours)[0]).content.decode()
    assert "a goodwill" in of_player
    refused = browser.get(timelines_of(ours)[0], {"until": "yesterday"})
    assert (refused.status_code, "until: " in refused.content.decode()) == (400, True)


def test_the_timeline_of_a_log_in_has_its_acts_and_is_not_for_partner_staff(log_in: LogIn, ours: Casino) -> None:
    operator = staff_make(Role.OPERATOR)
    wallet_adjust(operator=operator, wallet=ours.player.wallets.get(), change=Decimal(5), reason="a goodwill")
    user_active_set(operator=operator, user=staff_make(Role.AUDITOR), active=False, reason="on leave")
    address = reverse("admin:timeline", args=["log-in", operator.pk])
    page = log_in("auditor").get(address).content.decode()
    assert "a goodwill" in page
    assert "active yes to no" in page
    assert log_in("partner_staff").get(address).status_code == 404


def test_pages_of_a_timeline_have_every_entry_once_also_of_one_transaction() -> None:
    entries = [Entry(START + timedelta(seconds=number // 3), "act", str(number)) for number in range(20)]

    def source(until: datetime, limit: int) -> list[Entry]:
        return [entry for entry in reversed(entries) if entry.time <= until][:limit]

    for size in range(1, 22):
        found: list[Entry] = []
        until: datetime | None = START + timedelta(days=1)
        while until is not None:
            page = timeline_page([source], until=until, size=max(size, 2))
            found += page.entries
            until = page.older_until
        assert sorted(entry.text for entry in found) == sorted(entry.text for entry in entries), size


def test_no_entry_is_lost_where_numbers_and_times_disagree(ours: Casino) -> None:
    """A transaction that waited for a lock is numbered after those that began later."""
    wallet = ours.player.wallets.get()
    for number, minute in enumerate((5, 2, 4, 1, 3, 0)):
        at = START + timedelta(minutes=minute)
        about: dict[str, Any] = {"actor": "test", "subject": f"player {ours.player.pk}", "ctime": at}
        AuditEntry.objects.create(**about, action="test.made", partner_id=ours.partner.pk)
        SignificantEvent.objects.create(**about, kind="account_changed", component="test", partner_id=ours.partner.pk)
        WalletTransaction.objects.create(
            wallet=wallet, kind=Kind.DEPOSIT, change=1, source_key=f"late:{number}", ctime=at
        )
        session, _ = game_session_open(player=ours.player, game=GAME, currency_code="FUN")
        GameSession.objects.filter(pk=session.pk).update(ctime=at)
    operator = staff_make(Role.OPERATOR)
    for row in (ours.player, ours.partner, wallet):
        sources = sources_of(row, operator)
        whole = timeline_page(sources, until=START + timedelta(hours=1), size=1000).entries
        assert len(whole) == {"Player": 24, "Partner": 12, "Wallet": 6}[type(row).__name__]
        found: list[Entry] = []
        until: datetime | None = START + timedelta(hours=1)
        while until is not None:
            page = timeline_page(sources, until=until, size=4)
            found += page.entries
            until = page.older_until
        assert found == list(whole)


def test_a_note_is_written_once_and_an_internal_one_is_not_for_the_partner(log_in: LogIn, ours: Casino) -> None:
    address = reverse("admin:player_note", args=[ours.player.pk])
    operator, staff, auditor = log_in("operator"), log_in("partner_staff"), log_in("auditor")
    assert operator.post(address, {"text": "asks for credit", "is_internal": "on"})["Location"] == file_of(ours)
    assert staff.post(address, {"text": "a friend of the house", "is_internal": "on"})["Location"] == file_of(ours)
    assert "The note is in the player&#x27;s file." in staff.get(file_of(ours)).content.decode()
    assert auditor.get(address).status_code == 403
    assert [note.is_internal for note in PlayerNote.objects.order_by("pk")] == [True, False]
    assert "asks for credit" in auditor.get(file_of(ours)).content.decode()
    seen_by_staff = staff.get(file_of(ours)).content.decode()
    assert "a friend of the house" in seen_by_staff
    assert "asks for credit" not in seen_by_staff


def test_a_note_needs_a_text_and_a_player_within_the_scope(ours: Casino, theirs: Casino) -> None:
    staff = staff_make(Role.PARTNER_STAFF, partner=ours.partner)
    with pytest.raises(Refused):
        player_note_add(user=staff, player=theirs.player, text="x", is_internal=False)
    for text in ("  ", "x" * (PlayerNote.MAX_CHARS + 1)):
        with pytest.raises(BadRequest):
            player_note_add(user=staff, player=ours.player, text=text, is_internal=False)
    with pytest.raises(Refused):
        player_note_add(user=staff_make(Role.AUDITOR), player=ours.player, text="x", is_internal=False)
    assert not PlayerNote.objects.exists()
    assert not player_note_add(user=staff, player=ours.player, text="x", is_internal=True).is_internal


def test_a_player_s_sums_are_by_currency_and_of_days_in_utc_without_voided_rounds(ours: Casino) -> None:
    today = datetime.now(UTC).date()
    row = {"period": today, "partner": ours.partner, "player": ours.player, "game": "og-baccarat"}
    voided = {"voided_n": 1, "voided_stake": Decimal(2), "voided_payout": Decimal(1)}
    for zone, currency, stake in (("UTC", "FUN", 10), ("Asia/Tokyo", "FUN", 20), ("UTC", "EUR", 40)):
        PlayerDay.objects.create(
            **row, **voided, zone=zone, currency_id=currency, n=3, stake=Decimal(stake), payout=Decimal(stake) / 2
        )
    sums = [(each.currency.code, each.rounds, each.stake, each.payout) for each in played_sums(ours.player)]
    assert sums == [("EUR", 2, 38, 19), ("FUN", 2, 8, 4)]
    day = played_days(ours.player, Currency.objects.get(code="FUN"), today=today)[-1]
    assert (day.day, day.rounds, day.stake, day.payout) == (today, 2, 8, 4)


def test_a_solo_round_is_in_no_sum_of_a_session_at_tables(ours: Casino) -> None:
    def at_tables() -> list[tuple[int, Decimal]]:
        rows = sessions_of(ours.player, now=timezone.now())
        return [(row.rounds, row.staked) for row in rows if row.kind == "tables"]

    before = at_tables()
    round_make(ours.player, stake="5", payout="0")
    assert at_tables() == before != []


def test_a_session_s_sums_are_those_of_its_own_rounds(committed: None) -> None:
    browser = Client()
    browser.force_login(staff_make(Role.OPERATOR))
    player, token = baccarat_session(bets=4)
    round_void(operator=staff_make(Role.OPERATOR), round=Round.objects.filter(player=player)[1], reason="a test")
    game_session_end(session=game_session_find(token=token))
    game_session_open(player=player, game="og-baccarat", currency_code="FUN")
    page = browser.get(reverse("admin:player_file", args=[player.pk]))
    newest, former = page.context["sessions"]
    rounds = list(Round.objects.filter(player=player, void=None).order_by("started_at"))
    assert (newest["rounds"], newest["why_ended"], newest["balance_in"]) == (0, "it lasts", "-")
    assert (former["rounds"], former["why_ended"]) == (3, "ended")
    staked, won = (sum(getattr(row, name) for row in rounds) for name in ("stake", "payout"))
    assert (former["staked"], former["won"]) == (f"{staked:.2f} FUN", f"{won:.2f} FUN")
    assert former["balance_in"] == f"{rounds[0].balance_before:.2f} FUN"
    assert former["balance_out"] == f"{rounds[-1].balance_after:.2f} FUN"


def test_a_bet_in_another_currency_than_its_session_s_is_proven_and_not_added_to_the_session_s_sums(
    committed: None,
) -> None:
    player, token = baccarat_session(bets=1)
    wallet_make(player=player, balance=Decimal(50), currency="EUR")
    offer_make(player.partner, currency="EUR")
    slip = Slip((Bet(1, Decimal(7)),), is_list=True, currency="EUR")
    run(baccarat_bet_place(bettor=Bettor(token_hash=token_hash(token)), slip=slip))
    assert proof_run().findings == []
    (session,) = sessions_of(player, now=timezone.now())
    assert (session.rounds, session.staked, session.currency.code) == (1, 6, "FUN")


def test_a_session_without_an_end_ends_when_its_time_is_over() -> None:
    now = timezone.now()
    for left, ended_at, expected in (
        (timedelta(seconds=1), None, (None, "")),
        (timedelta(0), None, (now, "its time was over")),
        (timedelta(0), now - timedelta(hours=1), (now - timedelta(hours=1), "ended")),
    ):
        session = SimpleNamespace(ended_at=ended_at, expires_at=now + left)
        assert _session_end(session, now) == expected


def test_sessions_show_the_address_that_their_player_first_used_them_from(log_in: LogIn, ours: Casino) -> None:
    session, token = game_session_open(player=ours.player, game="", currency_code="FUN")
    assert session.address == ""
    for address in ("192.0.2.7", "198.51.100.9"):
        browser = Client(REMOTE_ADDR=address)
        assert browser.get(reverse("launch"), {"game_session_id": token}).status_code == 302
    session.refresh_from_db()
    assert session.address == "192.0.2.7"
    answer = Client(REMOTE_ADDR="203.0.113.4").post(
        "/api/auth/token", b"{}", content_type="application/json", headers={"authorization": f"Bearer {token}"}
    )
    at_tables = TableSession.objects.get(session_id=answer.json()["sessionId"])
    assert at_tables.address == "203.0.113.4"
    framed, _ = game_session_open(player=ours.player, game=GAME, currency_code="FUN")
    code = launch_code_create(session=framed)
    launch_code_spend(code=code, partner=ours.partner, game=GAME, address="192.0.2.99")
    staff = log_in("partner_staff")
    for page, shown in (
        (reverse("admin:rounds_gamesession_changelist"), {"192.0.2.7", "192.0.2.99"}),
        (reverse("admin:rounds_gamesession_change", args=[session.pk]), {"192.0.2.7"}),
        (reverse("admin:tables_tablesession_changelist"), {"203.0.113.4"}),
        (reverse("admin:tables_tablesession_change", args=[at_tables.pk]), {"203.0.113.4"}),
        (reverse("admin:player_file", args=[ours.player.pk]), {"192.0.2.7", "192.0.2.99", "203.0.113.4"}),
    ):
        text = staff.get(page).content.decode()
        assert all(address in text for address in shown), page
    assert [each for each in row_changes_check(at_most=5).findings if "session" in each.where] == []


def test_nested_values_of_an_act_are_in_words(log_in: LogIn, ours: Casino) -> None:
    data = {"before": {"active": None}, "after": {"active": {"rules": {"dealer_peek": True, "double": "any"}}}}
    with transaction.atomic():
        audit_record(actor="test", action="rules.set", subject="a test", partner_id=ours.partner.pk, data=data)
    page = log_in("auditor").get(reverse("admin:timeline", args=["partner", ours.partner.pk])).content.decode()
    assert "active none to (rules (double any, dealer peek yes))" in page
