"""Significant events: the real cause of each kind records it once, in the transaction of the act. All events form one
chain."""

import os
import signal
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial
from subprocess import run as run_program
from types import SimpleNamespace

import psycopg
import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from celery.signals import worker_ready, worker_shutdown, worker_shutting_down
from django.conf import settings
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from django.test import Client, RequestFactory, override_settings
from django.urls import reverse
from django.utils import timezone
from psycopg.conninfo import make_conninfo

from apps.accounts.models import Player, PlayerStatus, Role
from apps.accounts.services import player_status_set, staff_create
from apps.approvals.models import Approval
from apps.approvals.services import SecondPersonNeeded, act_or_ask, approval_approve
from apps.audit.services import audit_record
from apps.core.errors import BadRequest, NotFound
from apps.events.authentication_failures import UNKNOWN, key_refusal_count, login_failure_count
from apps.events.models import EventKind, EventLink, EventThreshold, EventWatch, SignificantEvent
from apps.events.services import event_record
from apps.events.thresholds import (
    ADDRESS,
    KEYS,
    LOG_IN,
    UNAVAILABLE_S,
    WAGER,
    WAGER_DAY,
    WIN,
    WIN_DAY,
    WIN_STAKES,
    threshold_value,
)
from apps.events.watch import Clocks, _gap_check, events_watch
from apps.office.proof import proof_run
from apps.office.threshold_changes import event_threshold_set
from apps.partners.services import api_key_create
from apps.rounds import outage_watch
from apps.rounds.models import Round, RoundEnd
from apps.rounds.outage_watch import play_failing_check, play_failure_count
from apps.rounds.services import round_void
from apps.search.palette import palette_search
from apps.statistics.large_plays import large_plays_record, stakes_won
from apps.statistics.models import PlayerDay
from apps.statistics.services import statistics_fold
from apps.tables.sessions import table_player_of
from apps.wallet.services import wallet_adjust, wallet_deposit
from casino.serve.lifetime import lifetime
from tests.support.asgi import ask
from tests.support.factories import partner_make, player_make, staff_make, user_make
from tests.support.ledger import round_make
from tests.support.long_form import IS_LONG
from tests.support.offers import games_offer
from tests.support.played import baccarat_session
from tests.support.server import ROOT, app_url
from tests.support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("committed")

ADDRESSES = 100 if IS_LONG else 4
"""With `make soak` these are 10,000 failed log-ins from 100 addresses."""


def kinds(**only: object) -> list[str]:
    return list(SignificantEvent.objects.filter(**only).order_by("id").values_list("kind", flat=True))


def findings() -> list[str]:
    return [f"{finding.where}: {finding.what}" for finding in proof_run().findings]


def folded(player: Player) -> None:
    """Fold until the player's rounds are in the statistics."""
    newest = Round.objects.filter(player=player).latest("ended_at").ended_at
    assert newest is not None
    wait_until(
        lambda: (statistics_fold(edge_age=timedelta(0)).edge or newest) > newest, "the fold has passed the newest round"
    )


def test_acts_of_operators_are_events_with_before_and_after() -> None:
    operator, player = staff_make(Role.OPERATOR), player_make(balance=Decimal(10))
    wallet = player.wallets.get()
    wallet_adjust(operator=operator, wallet=wallet, change=Decimal("2.5"), reason="a gift")
    (event,) = SignificantEvent.objects.all()
    assert (event.kind, event.actor, event.subject, event.reason) == (
        "account_changed", operator.username, f"wallet {wallet.pk}", "a gift",
    )  # fmt: skip
    assert (event.before, event.after) == ({"balance": "10"}, {"balance": "12.5"})
    assert (event.amount, event.currency, event.partner_id) == (Decimal("2.5"), "FUN", player.partner_id)
    player_status_set(operator=operator, player=player, status=PlayerStatus.BLOCKED, reason="asked for it")
    assert kinds() == ["account_changed"] * 2
    played, _ = baccarat_session(bets=1)
    dealt = Round.objects.get(player=played)
    before = SignificantEvent.objects.latest("id").pk
    round_void(operator=operator, round=dealt, reason="a fault")
    override = SignificantEvent.objects.get(pk__gt=before)
    assert (override.kind, override.round_id) == ("override", dealt.pk)


def test_offers_log_ins_and_keys_are_events_of_their_kind() -> None:
    partner = partner_make()
    games_offer(partner)
    assert set(kinds(partner_id=partner.pk)) == {"game_changed"}
    with transaction.atomic():
        api_key_create(partner=partner, name="a key", scopes=["read"], actor="test")
    staff_create(username="new", email="", password="a long secret 9", role=Role.AUDITOR, partner=None, actor="test")
    assert kinds(kind=EventKind.POLICY_CHANGED) == ["policy_changed"] * 2


def test_an_act_that_changes_nothing_or_is_undone_is_no_event() -> None:
    same = {"before": {"odds": "1"}, "after": {"odds": "1"}}
    with transaction.atomic():
        audit_record(actor="test", action="baccarat_odds.set", subject="x", data=same)
    with transaction.atomic():
        event_record(kind=EventKind.UNUSUAL, component="test")
        transaction.set_rollback(True)
    assert not SignificantEvent.objects.exists()
    with pytest.raises(transaction.TransactionManagementError):
        event_record(kind=EventKind.UNUSUAL, component="test")


def test_an_approved_act_names_both_persons() -> None:
    anna, ben = staff_make(Role.OPERATOR), staff_make(Role.OPERATOR)
    wallet = player_make(balance=Decimal(10)).wallets.get()
    with override_settings(PUNTO_TWO_PERSONS=True):
        call = partial(wallet_adjust, operator=anna, wallet=wallet, change=Decimal(2000), reason="a prize")
        asked = act_or_ask(call=call, user=anna, factor_at=timezone.now())
        assert isinstance(asked, Approval)
        assert not SignificantEvent.objects.exists()
        with transaction.atomic():
            approval_approve(operator=ben, approval=asked, reason="seen", factor_at=timezone.now())
            event_record(kind=EventKind.UNUSUAL, component="test")
    act, later = SignificantEvent.objects.order_by("pk")
    assert (act.actor, act.authorised_by, later.authorised_by) == (anna.username, ben.username, "")


def test_nobody_writes_who_has_authorised_an_act() -> None:
    with transaction.atomic():
        event = SignificantEvent.objects.create(kind=EventKind.UNUSUAL, component="test", authorised_by="ben")
    event.refresh_from_db()
    assert event.authorised_by == ""


def test_a_large_transfer_is_an_event_and_a_smaller_one_is_not() -> None:
    player = player_make()
    for number, amount in enumerate([Decimal("9999.99"), Decimal(10_000)]):
        with transaction.atomic():
            wallet_deposit(
                player=player, currency_code="FUN", amount=amount, transaction_id=f"t{number}", partner=player.partner
            )
    (event,) = SignificantEvent.objects.all()
    assert (event.kind, event.amount, event.reason) == ("account_changed", Decimal(10_000), "large deposit")


def test_large_wins_and_wagers_are_events_once_however_often_the_fold_runs() -> None:
    operator = staff_make(Role.OPERATOR)
    for measure in (WIN, WIN_DAY, WAGER):
        event_threshold_set(operator=operator, measure=measure, currency="FUN", value=Decimal(3), reason="a test")
    seen = SignificantEvent.objects.latest("id").pk
    player, _ = baccarat_session(bets=40)
    folded(player)
    rounds = {played.pk: played for played in Round.objects.filter(player=player)}
    events = SignificantEvent.objects.filter(pk__gt=seen, component="statistics")
    wins = {event.round_id: event.amount for event in events if event.kind == "large_win" and event.round_id}
    assert wins == {pk: each.payout - each.stake for pk, each in rounds.items() if each.payout - each.stake >= 3}
    assert wins
    wagers = {event.round_id: event.amount for event in events if event.kind == "large_wager" and event.round_id}
    assert wagers == {pk: each.stake for pk, each in rounds.items() if each.stake >= 3}
    count = events.count()
    connection.close()
    statistics_fold(edge_age=timedelta(0))
    assert events.count() == count
    won = sum((each.payout - each.stake for each in rounds.values()), Decimal(0))
    days = [event.amount for event in events if event.kind == "large_win" and event.round_id is None]
    assert bool(days) == (won >= 3)
    assert findings() == []


@pytest.mark.parametrize(("payout", "won"), [("9", "0.12"), ("11", "0.38"), ("8", "0.00")])
def test_the_multiple_of_a_win_is_rounded_half_even_for_events_and_reports(payout: str, won: str) -> None:
    assert stakes_won(stake=Decimal(8), payout=Decimal(payout)) == Decimal(won)
    assert stakes_won(stake=Decimal(0), payout=Decimal(payout)) is None


def test_large_plays_begin_at_the_documented_amounts_unless_an_operator_sets_others() -> None:
    found = [threshold_value(measure) for measure in (WIN, WIN_STAKES, WIN_DAY, WAGER, WAGER_DAY)]
    assert found == [10_000, 500, 50_000, 5_000, 50_000]


def test_a_multiple_of_the_stake_alone_makes_a_large_win() -> None:
    operator = staff_make(Role.OPERATOR)
    event_threshold_set(operator=operator, measure=WIN_STAKES, currency="", value=Decimal("0.1"), reason="a test")
    player, _ = baccarat_session(bets=40)
    folded(player)
    won = {each.pk for each in Round.objects.filter(player=player) if each.payout - each.stake >= each.stake / 10}
    assert set(SignificantEvent.objects.filter(kind="large_win").values_list("round_id", flat=True)) == won
    assert won


def test_a_wager_is_large_from_the_amount_on_if_a_person_has_played_it() -> None:
    player, bot = player_make(), player_make()
    with transaction.atomic():
        table_player_of(bot, is_bot=True)
    large = round_make(player, stake="5000", payout="0")
    round_make(player, stake="4999.99", payout="0")
    round_make(player, stake="5000", payout="5000", how_ended=RoundEnd.WITHDRAWN)
    round_make(bot, stake="5000", payout="0")
    assert large.ended_at is not None
    with transaction.atomic():
        large_plays_record(since=large.ended_at, until=timezone.now())
    found = SignificantEvent.objects.filter(component="statistics").values_list("kind", "round_id")
    assert list(found) == [("large_wager", large.pk)]


def test_a_player_s_large_day_is_one_in_utc() -> None:
    """A partner's own days hold the same rounds again."""
    player = player_make()
    ended_at = round_make(player, stake="1", payout="0").ended_at
    assert ended_at is not None
    for zone in ("UTC", "Asia/Tokyo"):
        PlayerDay.objects.create(
            period=ended_at.astimezone(UTC).date(), zone=zone, partner=player.partner, player=player, currency_id="FUN",
            game="og-baccarat", n=1, stake=30_000, payout=0, voided_n=0, voided_stake=0, voided_payout=0,
        )  # fmt: skip
    for tens, events in ((0, []), (20_000, ["large_wager"])):
        PlayerDay.objects.filter(zone="UTC").update(stake=30_000 + tens)
        with transaction.atomic():
            large_plays_record(since=ended_at, until=ended_at + timedelta(seconds=1))
        assert kinds() == events


def test_a_hundred_failed_log_ins_from_each_address_write_at_most_two_rows_an_address() -> None:
    cache.clear()
    known = user_make()
    for number in range(100 * ADDRESSES):
        log_in = known.username if number % 100 == 0 else None
        name = f"nobody-{number // 300}-{number % 100}"
        login_failure_count(log_in=log_in, name=name, address=f"198.51.{number % ADDRESSES}.7")
    rows = list(SignificantEvent.objects.filter(kind="login_failed").values_list("subject", flat=True))
    assert ADDRESSES < len(rows) <= 2 * ADDRESSES
    assert sum(subject.startswith("address ") for subject in rows) == ADDRESSES
    assert f"log-in {known.username}" in rows
    assert not [subject for subject in rows if "nobody" in subject]


def test_a_log_in_whose_failures_are_recorded_takes_no_other_address_s_row() -> None:
    cache.clear()
    for address, log_in, failures in (("192.0.2.1", "ada", 3), ("192.0.2.2", "ada", 1), ("192.0.2.2", "bob", 3)):
        for _ in range(failures):
            login_failure_count(log_in=log_in, name="", address=address)
    subjects = SignificantEvent.objects.order_by("pk").values_list("subject", flat=True)
    assert list(subjects) == ["log-in ada", "log-in bob"]


def test_the_third_failed_log_in_at_the_page_is_an_event(client: Client) -> None:
    cache.clear()
    user = user_make()
    for _ in range(3):
        client.post(reverse("account_login"), {"login": user.username, "password": "wrong"})
    (event,) = SignificantEvent.objects.all()
    assert (event.kind, event.subject) == ("login_failed", f"log-in {user.username}")


def test_a_log_in_s_failures_are_counted_together_however_it_is_typed(client: Client) -> None:
    cache.clear()
    user = user_make()
    EmailAddress.objects.create(user=user, email="second@example.test")
    TOTP.activate(user, generate_totp_secret())
    for typed in (user.username.upper(), user.email.upper(), "Second@example.test"):
        assert not SignificantEvent.objects.exists()
        client.post(reverse("account_login"), {"login": typed, "password": "wrong"})
    (event,) = SignificantEvent.objects.all()
    assert event.subject == f"log-in {user.username}"
    cache.clear()
    client.post(reverse("account_login"), {"login": user.email, "password": "open sesame 99"})
    for _ in range(3):
        client.post(reverse("mfa_authenticate"), {"code": "000000"})
    assert kinds() == ["login_failed"] * 2
    for name in ("Nobody", "nobody ", "NOBODY"):
        login_failure_count(log_in=None, name=name, address="198.51.100.7")
    assert SignificantEvent.objects.latest("id").subject == UNKNOWN


def test_counts_have_whole_thresholds_and_a_lower_one_holds_for_a_running_count() -> None:
    cache.clear()
    operator = staff_make(Role.OPERATOR)
    for measure in (LOG_IN, ADDRESS, KEYS):
        with pytest.raises(BadRequest, match="a whole number"):
            event_threshold_set(operator=operator, measure=measure, currency="", value=Decimal("2.5"), reason="x")
    # Manifests that an earlier version recorded are compared too.
    EventThreshold.objects.create(kind="login_failed", measure="log-in", value=Decimal("2.5"), by="test", reason="x")
    failed = partial(login_failure_count, log_in="anna", name="anna", address="198.51.100.7")
    refused = partial(key_refusal_count, address="198.51.100.8")
    for _ in range(4):
        failed()
        refused()
    assert kinds() == ["login_failed"]
    event_threshold_set(operator=operator, measure=ADDRESS, currency="", value=Decimal(2), reason="a test")
    event_threshold_set(operator=operator, measure=KEYS, currency="", value=Decimal(2), reason="a test")
    for _ in range(3):
        failed()
        refused()
    told = SignificantEvent.objects.exclude(kind="policy_changed").order_by("id").values_list("kind", "subject")
    assert list(told) == [
        ("login_failed", "log-in anna"),
        ("login_failed", "address 198.51.100.7"),
        ("authentication_mismatch", "address 198.51.100.8"),
    ]


def test_the_tenth_refused_key_of_an_address_is_an_event(client: Client) -> None:
    cache.clear()
    for number in range(12):
        assert kinds() == ["authentication_mismatch"] * (number >= 10)
        assert client.get("/v1/rounds", headers={"Authorization": "Bearer wrong"}).status_code == 401
    assert kinds() == ["authentication_mismatch"]


@pytest.mark.parametrize(("behind_s", "told"), [(0.5, []), (1.5, ["clock_changed"]), (-1.5, ["clock_changed"])])
def test_a_clock_that_differs_from_postgresql_s_by_a_second_is_an_event(
    behind_s: float, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = SimpleNamespace(time=lambda: time.time() - behind_s, monotonic=time.monotonic)
    monkeypatch.setattr("apps.events.watch.time", clock)
    for _ in range(2):
        events_watch(clocks=Clocks())
    assert kinds(component="clock") == told
    assert {event.reason for event in SignificantEvent.objects.filter(component="clock")} <= {"the clocks disagree"}


def test_a_server_tells_its_start_and_its_stop_and_a_worker_tells_its_drain_too() -> None:
    def told() -> list[tuple[str, str]]:
        found = SignificantEvent.objects.filter(kind="unavailable").order_by("id")
        return list(found.values_list("component", "reason"))

    def serve() -> None:
        with lifetime("sockets"):
            assert told() == [("sockets", "start")]
            os.kill(os.getpid(), signal.SIGTERM)
            signal.pause()

    former = signal.getsignal(signal.SIGTERM)
    try:
        with pytest.raises(SystemExit):
            serve()
    finally:
        signal.signal(signal.SIGTERM, former)
    assert told() == [("sockets", "start"), ("sockets", "stop")]
    worker_ready.send(sender=None)
    worker_shutting_down.send(sender=None)
    worker_shutdown.send(sender=None)
    assert told()[2:] == [("worker", "start"), ("worker", "drain"), ("worker", "stop")]


@pytest.mark.parametrize(("short_s", "told"), [(1, []), (0, ["unavailable"])])
def test_a_time_without_looks_is_told_from_the_threshold_on(short_s: int, told: list[str]) -> None:
    now = datetime.now(UTC)
    with transaction.atomic():
        _gap_check(now - timedelta(seconds=float(threshold_value(UNAVAILABLE_S)) - short_s), now)
    assert kinds() == told


@pytest.mark.parametrize("forward_s", [60, -60])
def test_the_watch_tells_steps_of_the_clock_the_owner_s_log_in_and_time_without_it(forward_s: int) -> None:
    events_watch(clocks=Clocks())
    clocks = Clocks()
    clocks.wall_s -= forward_s
    EventWatch.objects.update(at=datetime.now(UTC) - timedelta(minutes=5))
    events_watch(clocks=clocks)
    told = SignificantEvent.objects.exclude(kind="data_changed")
    assert sorted(event.kind for event in told) == ["clock_changed", "unavailable"]
    events_watch(clocks=clocks)
    assert told.count() == 2
    owner = make_conninfo(settings.DATABASE_OWNER_URL, dbname=connection.settings_dict["NAME"])
    with psycopg.connect(owner) as link:
        for _ in range(2):
            events_watch(clocks=clocks)
        assert kinds(subject=f"session {link.info.backend_pid}") == ["data_changed"]


def test_a_setting_a_grant_a_parameter_and_play_money_s_terms_are_events_when_they_change(
    superuser: psycopg.Connection,
) -> None:
    events_watch(clocks=Clocks())
    events_watch(clocks=Clocks())
    assert not SignificantEvent.objects.filter(component="configuration").exists()
    name = connection.settings_dict["NAME"]
    superuser.execute("SET session_replication_role = replica")  # no test empties the history of currencies
    superuser.execute(f"ALTER DATABASE \"{name}\" SET work_mem = '5MB'")
    superuser.execute("GRANT SELECT ON currency TO PUBLIC")
    superuser.execute("UPDATE currency SET play_grant = play_grant + 1 WHERE code = 'FUN'")
    connection.close()
    try:
        changed = {
            "PUNTO_TWO_PERSONS": not settings.PUNTO_TWO_PERSONS, "PUNTO_KEY_REQUESTS_PER_S": 7,
            "PUNTO_BAD_TOKENS_PER_S": 7, "PUNTO_MANIFEST": "/elsewhere.json", "PUNTO_BUILD_KEY": "ab",
        }  # fmt: skip
        secrets = {"PUNTO_SEAL_KEY": "another", "PUNTO_DEMO_PASSWORD": "another"}
        secrets |= {f"PUNTO_ANY_{name}": "another" for name in ("KEYS", "SECRET", "TOKEN", "SEED", "URL")}
        with override_settings(**changed, **secrets):
            events_watch(clocks=Clocks())
            events_watch(clocks=Clocks())
        told = SignificantEvent.objects.filter(component="configuration").order_by("pk")
        assert [(event.kind, event.subject) for event in told] == [
            ("policy_changed", "settings"), ("policy_changed", "grants"), ("policy_changed", "PostgreSQL parameters"),
            ("incentive_changed", "play money"),
        ]  # fmt: skip
        assert told[0].after == {name: str(value) for name, value in changed.items()}
        assert "public SELECT" in told[1].after["currency"]
        assert told[2].after == {"work_mem": "5120"}
        assert set(told[3].before) == {"FUN"}
    finally:
        superuser.execute(f'ALTER DATABASE "{name}" RESET work_mem')
        superuser.execute("REVOKE SELECT ON currency FROM PUBLIC")
        superuser.execute("UPDATE currency SET play_grant = play_grant - 1 WHERE code = 'FUN'")  # no test empties it
        connection.close()


def test_two_workers_with_different_settings_are_one_event_until_one_has_stopped() -> None:
    """Each look was an event, one of four thousand a day."""
    former, other = str(settings.PUNTO_KEY_REQUESTS_PER_S), str(settings.PUNTO_KEY_REQUESTS_PER_S + 7)

    def look(value: str) -> None:
        with override_settings(PUNTO_KEY_REQUESTS_PER_S=int(value)):
            events_watch(clocks=Clocks())

    def told() -> list[str]:
        events = SignificantEvent.objects.filter(component="configuration").order_by("pk")
        return [event.after["PUNTO_KEY_REQUESTS_PER_S"] for event in events]

    for _ in range(3):
        look(former)
        look(other)
    assert told() == [other]
    _settings_last_seen_earlier(timedelta(minutes=14))
    look(former)
    assert told() == [other]
    _settings_last_seen_earlier(timedelta(minutes=2))  # 16 minutes since the other one's last look
    look(former)
    look(former)
    assert told() == [other, former]
    _settings_last_seen_earlier(timedelta(minutes=16))
    look(other)
    assert told() == [other, former, other]


def _settings_last_seen_earlier(by: timedelta) -> None:
    watch = EventWatch.objects.get()
    seen = watch.policy["settings in use"]
    watch.policy["settings in use"] = {each: str(datetime.fromisoformat(when) - by) for each, when in seen.items()}
    watch.save()


def test_play_that_fails_for_everybody_is_one_event_until_a_round_begins(superuser: psycopg.Connection) -> None:
    cache.clear()
    player, token = baccarat_session(bets=1)
    body = b'{"bets": [{"game_type": 1, "bet_amount": 5}]}'

    def bet() -> int:
        return ask("POST", "/api/game/baccarat/bet", body, {"Authorization": f"Bearer {token}"}).status

    EventThreshold.objects.create(kind="unavailable", measure="seconds", value=1, by="test", reason="a test")
    superuser.execute("ALTER TABLE wallet_transaction RENAME TO wallet_transaction_away")
    try:

        def is_told() -> bool:
            assert bet() >= 429  # bets faster than the limit are neither played nor failures
            return play_failing_check()

        wait_until(is_told, "play has failed for a second")
        assert play_failing_check()
    finally:
        superuser.execute("ALTER TABLE wallet_transaction_away RENAME TO wallet_transaction")
    (event,) = SignificantEvent.objects.filter(component="play")
    assert (event.kind, event.subject) == ("unavailable", "bets of everybody")
    assert event.after["failures"] == 3
    wait_until(lambda: bet() == 200, "a bet is within the limit again")
    assert not play_failing_check()
    assert SignificantEvent.objects.filter(component="play").count() == 1
    assert Round.objects.filter(player=player).count() == 2


def test_a_series_of_failures_is_remembered_from_its_last_failure_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a longer outage is a further event every ten minutes, and each begins later than the outage did."""
    cache.clear()
    monkeypatch.setattr(outage_watch._LastCount, "at_s", 0.0)
    play_failure_count()
    names = [f"events:play-failing:{name}" for name in ("first", "last", "count")]
    first = cache.get(names[0])
    for name in names:
        cache.touch(name, 30)
    monkeypatch.setattr(outage_watch._LastCount, "at_s", 0.0)
    play_failure_count()
    assert (cache.get(names[0]), cache.get(names[2])) == (first, 2)
    client = cache._cache.get_client()
    assert all(client.ttl(cache.make_key(name)) > 30 for name in names)


def test_one_failure_among_rounds_that_begin_is_no_event(superuser: psycopg.Connection) -> None:
    cache.clear()
    EventThreshold.objects.create(kind="unavailable", measure="seconds", value=Decimal("0.001"), by="x", reason="x")
    for _ in range(3):
        play_failure_count()
        baccarat_session(bets=1)
        assert not play_failing_check()
    play_failure_count(NotFound("a refusal of ours is no failure"))
    assert cache.get("events:play-failing:first") is None
    assert not SignificantEvent.objects.filter(component="play").exists()


def test_events_are_in_timelines_and_in_the_search_of_those_who_may_see_them(client: Client) -> None:
    operator, player = staff_make(Role.OPERATOR), player_make(balance=Decimal(10))
    wallet = player.wallets.get()
    wallet_adjust(operator=operator, wallet=wallet, change=Decimal("2.5"), reason="a gift")
    (event,) = SignificantEvent.objects.all()
    page = f"/{event.pk}/change/"
    for user, is_there in (
        (operator, True),
        (staff_make(Role.PARTNER_STAFF, partner=player.partner), True),
        (staff_make(Role.PARTNER_STAFF), False),
    ):
        client.force_login(user)
        request = RequestFactory().get("/")
        request.user = user
        found = [result for result in palette_search(request, str(event.pk)) if result.description == "event"]
        assert bool(found) == is_there
        assert all(result.link.endswith(page) for result in found)
        for kind, key in (("wallet", wallet.pk), ("player", player.pk), ("partner", player.partner_id)):
            answer = client.get(reverse("admin:timeline", args=[kind, key]))
            told = f"account changed: wallet FUN of {player.reference}, 2.5 FUN" in answer.content.decode()
            assert told == is_there, (user.role, kind)
            assert kind == "partner" or answer.status_code == (200 if is_there else 404)


def test_a_typed_command_is_an_intervention_without_its_secrets() -> None:
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "casino.settings.test",
        "DATABASE_OWNER_URL": app_url(),
        "REDIS_URL": settings.REDIS_URL,
    }
    program = [sys.executable, "manage.py", "partner_create", "acme", "Acme", "--house", "--verbosity=1"]
    done = run_program(program, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    event = SignificantEvent.objects.get(kind="intervention")
    assert (event.subject, event.after["words"]) == ("command partner_create", ["partner_create", "acme", "Acme"])
    assert event.after["options"] == ["--house", "--verbosity"]


def test_a_loss_of_data_that_a_person_reports_is_an_event() -> None:
    call_command("data_lost", "personal", reason="a laptop with the players' letters of May")
    event = SignificantEvent.objects.get()
    assert (event.kind, event.subject) == ("data_lost", "personal data")
    assert event.reason == "a laptop with the players' letters of May"
    with pytest.raises(CommandError, match="reason: say what was lost"):
        call_command("data_lost", "restore", reason=" ")


def test_raising_a_threshold_takes_two_persons_and_lowering_it_one() -> None:
    operator = staff_make(Role.OPERATOR)
    call = partial(event_threshold_set, operator=operator, measure=WIN, reason="a test")
    with override_settings(PUNTO_TWO_PERSONS=True):
        with pytest.raises(SecondPersonNeeded):
            call(currency="", value=Decimal(20_000))
        assert threshold_value(WIN, currency="FUN") == 10_000
        call(currency="", value=Decimal(9_000))
        call(currency="FUN", value=Decimal(8_000))
    assert (threshold_value(WIN, currency="FUN"), threshold_value(WIN, currency="EUR")) == (8_000, 9_000)
    assert EventThreshold.objects.count() == 2
    assert kinds() == ["policy_changed"] * 2


def test_events_at_once_are_one_chain_without_gaps(at_once: Callable[..., list[str]]) -> None:
    def record() -> None:
        with transaction.atomic():
            event_record(kind=EventKind.UNUSUAL, component="test")
        connection.close()

    assert at_once(8, record) == ["ok"] * 8
    assert sorted(EventLink.objects.values_list("number", flat=True)) == list(range(1, 9))
    assert findings() == []


@pytest.mark.parametrize("column", ["reason", "amount", "authorised_by", "after"])
def test_an_event_that_a_superuser_alters_is_named_by_the_proof(superuser: psycopg.Connection, column: str) -> None:
    for number in range(3):
        with transaction.atomic():
            event_record(kind=EventKind.UNUSUAL, component="test", reason=str(number), amount=Decimal(number))
    assert findings() == []
    second = SignificantEvent.objects.order_by("id")[1].pk
    values = {"reason": "'x'", "amount": "99", "authorised_by": "'x'", "after": "'{\"x\": 1}'"}
    superuser.execute("SET session_replication_role = replica")
    superuser.execute(f"UPDATE significant_event SET {column} = {values[column]} WHERE id = {second}")  # type: ignore[arg-type]
    (finding,) = findings()
    assert finding.startswith(f"significant_event row {second}:")


def test_the_servers_can_neither_alter_an_event_nor_write_a_link() -> None:
    with transaction.atomic():
        event_record(kind=EventKind.UNUSUAL, component="test")
    for statement in (
        "UPDATE significant_event SET reason = 'x'",
        "DELETE FROM significant_event",
        "DELETE FROM event_link",
        "INSERT INTO event_link (number, event_id, hash) VALUES (9, 9, '')",
    ):
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
