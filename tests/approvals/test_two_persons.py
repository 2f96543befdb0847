"""Two-person approval: an act is done when a second operator approves it, and in no other way."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.db import DatabaseError, connection, transaction
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import Role, User
from apps.approvals.models import Approval, ApprovalStatus
from apps.approvals.services import (
    SecondPersonNeeded,
    act_or_ask,
    approval_approve,
    approval_reject,
    approval_require,
)
from apps.audit.models import AuditEntry
from apps.core.errors import Conflict, InsufficientFunds, Refused
from apps.core.postgres_pool import pool
from apps.rounds.models import Round, RoundEnd, RoundVoid
from apps.rounds.services import round_void
from apps.tables.models import GameTable, RoundEnding, TableRound
from apps.tables.table_administration import table_round_void
from apps.wallet.models import Wallet
from apps.wallet.services import wallet_adjust
from apps.wallet.single_operator_limit import moved_today, moved_today_awaited
from casino.settings.waits import WAIT_S
from tests.approvals.acts import adjustment, adjustments, asked, browser_with_factor, page, the_acts
from tests.support import ledger
from tests.support.factories import partner_make, player_make, staff_make
from tests.support.loop import run
from tests.support.office_browser import OfficeBrowser
from tests.support.table_play import PlayedTable
from tests.support.tables import players_make, table_make
from tests.support.waiting import lock_wait_await, lock_waits_await, patiently

pytestmark = pytest.mark.usefixtures("committed", "two_persons")


@pytest.fixture
def wallet(committed: None) -> Wallet:
    return player_make(balance=Decimal(5000), partner=partner_make()).wallets.select_related("currency").get()


def test_a_large_adjustment_is_made_when_a_second_operator_approves(wallet: Wallet, anna: User, ben: User) -> None:
    approval = asked(adjustment(wallet, anna), anna)
    assert adjustments() == []
    approval_approve(operator=ben, approval=approval, reason="seen the receipt", factor_at=timezone.now())
    assert adjustments() == [Decimal("1000.01")]
    approval.refresh_from_db()
    assert (approval.status, approval.decided_by) == (ApprovalStatus.APPROVED, ben)
    actions = AuditEntry.objects.order_by("pk").values_list("action", "actor")
    assert list(actions)[-3:] == [
        ("approval.ask", anna.username),
        ("approval.approved", ben.username),
        ("wallet.adjust", anna.username),
    ]
    entry = AuditEntry.objects.latest("pk")
    auditor = OfficeBrowser()
    auditor.force_login(staff_make(Role.AUDITOR))
    told = auditor.get(page(entry)).content.decode()
    assert f'{ben.username}, <a href="{page(approval)}">approval {approval.pk}</a>' in told
    with pytest.raises(Conflict, match="approved already"):
        approval_approve(operator=ben, approval=approval, reason="again", factor_at=timezone.now())
    assert len(adjustments()) == 1


@pytest.mark.parametrize("change", ["1000", "-1000"])
def test_one_operator_adjusts_up_to_the_limit_alone(wallet: Wallet, anna: User, change: str) -> None:
    adjustment(wallet, anna, change)()
    assert adjustments() == [Decimal(change)]


def test_the_limit_holds_for_all_of_an_operator_s_day(wallet: Wallet, anna: User, ben: User) -> None:
    adjustment(wallet, anna, "600")()
    with pytest.raises(SecondPersonNeeded, match=r": 400\.01 FUN and the 600\.00 FUN of today are more"):
        adjustment(wallet, anna, "-400.01")()
    adjustment(wallet, ben, "-400.01")()


def test_the_day_s_limit_counts_the_operator_s_own_acts_of_that_kind_in_that_currency_since_midnight(
    wallet: Wallet, anna: User, ben: User
) -> None:
    fun, midnight = wallet.currency, datetime.combine(datetime.now(UTC), time(), UTC)
    own: dict[str, Any] = {"user": anna, "action": "wallet.adjust", "at": midnight, "currency": "FUN"}
    for number, other in enumerate(
        ({}, {"user": ben}, {"action": "round.void"}, {"at": midnight - timedelta(microseconds=1)}, {"currency": "EUR"})
    ):
        act = own | other
        AuditEntry.objects.create(
            actor=act["user"].username, actor_user_id=act["user"].pk, action=act["action"], subject="a test",
            ctime=act["at"], data={"amount": str(10**number), "currency": act["currency"]},
        )  # fmt: skip

    async def awaited() -> Decimal:
        async with pool().transaction() as link:
            return await moved_today_awaited(link, anna, ("wallet.adjust",), fun)

    with transaction.atomic():
        assert moved_today(anna, ("wallet.adjust",), fun) == 1
    assert run(awaited()) == 1


def test_of_two_acts_at_once_the_second_counts_the_first_one_in(anna: User) -> None:
    first, second = (player_make(balance=Decimal(5000), partner=partner_make()).wallets.get() for _ in range(2))
    with ThreadPoolExecutor(1) as threads:
        with transaction.atomic():
            adjustment(first, anna, "600")()
            other = threads.submit(patiently(adjustment(second, anna, "600")))
            lock_wait_await()
        with pytest.raises(SecondPersonNeeded, match=r"and the 600\.00 FUN of today"):
            other.result(timeout=WAIT_S)
    assert adjustments() == [Decimal(600)]


def test_voids_of_running_rounds_of_tables_count_towards_an_operator_s_day(anna: User, settings: Any) -> None:
    settings.PUNTO_SINGLE_OPERATOR_LIMIT = "30"
    partner, players = players_make(1)
    tables = [
        PlayedTable(table_make(partner, game_type="baccarat", currency="FUN", window_s=30), players) for _ in range(2)
    ]
    for table, amount in zip(tables, (20, 11), strict=True):
        table.stake(0, amount)
    first, second = (table.round for table in tables)
    table_round_void(operator=anna, played=first, reason="camera failed")
    with pytest.raises(Conflict, match=r"and the 20\.00 FUN of today"):
        table_round_void(operator=anna, played=second, reason="camera failed")
    second.refresh_from_db()
    assert second.ending == RoundEnding.RUNNING
    tables[1].window_end()
    with pytest.raises(SecondPersonNeeded, match=r"and the 20\.00 FUN of today"):
        table_round_void(operator=anna, played=second, reason="camera failed")


def test_of_two_voids_of_running_rounds_at_once_the_second_counts_the_first_one_in(anna: User, settings: Any) -> None:
    settings.PUNTO_SINGLE_OPERATOR_LIMIT = "30"
    partner, players = players_make(1)
    rounds = []
    for amount in (20, 11):
        table = PlayedTable(table_make(partner, game_type="baccarat", currency="FUN", window_s=60), players)
        table.stake(0, amount)
        rounds.append(table.round)

    def void(played: TableRound) -> str:
        try:
            table_round_void(operator=anna, played=played, reason="camera failed")
        except Conflict as error:
            return error.message
        return "voided"

    with ThreadPoolExecutor(2) as threads:
        with transaction.atomic():
            list(GameTable.objects.select_for_update().filter(rounds__in=rounds))
            voids = [threads.submit(patiently(partial(void, played))) for played in rounds]
            lock_waits_await(2)
        refused, voided = sorted(done.result(timeout=WAIT_S) for done in voids)
    assert voided == "voided"
    assert "of today are more than" in refused
    assert TableRound.objects.filter(ending=RoundEnding.VOIDED).count() == 1


def test_the_limit_of_a_void_holds_for_the_stake_when_the_round_is_locked(anna: User, settings: Any) -> None:
    settings.PUNTO_SINGLE_OPERATOR_LIMIT = "30"
    player = player_make(balance=Decimal(1000))
    played = ledger.round_make(player, stake="20", payout="0", how_ended=RoundEnd.OPEN)
    with ThreadPoolExecutor(1) as threads:
        with transaction.atomic():
            Wallet.objects.select_for_update().get(player=player)
            void = threads.submit(
                patiently(
                    lambda: round_void(operator=anna, round=Round.objects.get(pk=played.pk), reason="camera failed")
                )
            )
            lock_wait_await()
            Round.objects.filter(pk=played.pk).update(stake=Decimal(40))  # as a double click does
        with pytest.raises(SecondPersonNeeded, match=r"40\.00 FUN is more than 30\.00 FUN"):
            void.result(timeout=WAIT_S)
    assert not RoundVoid.objects.exists()


def test_the_limit_of_voids_holds_for_payouts_too(anna: User) -> None:
    player = player_make(balance=Decimal(5000))
    first, second = (ledger.round_make(player, stake="1", payout="600") for _ in range(2))
    large = ledger.round_make(player, stake="1", payout="1000.01")
    with pytest.raises(SecondPersonNeeded, match=r"1,000\.01 FUN is more than"):
        round_void(operator=anna, round=large, reason="camera failed")
    round_void(operator=anna, round=first, reason="camera failed")
    with pytest.raises(SecondPersonNeeded, match=r"and the 600\.00 FUN of today"):
        round_void(operator=anna, round=second, reason="camera failed")
    assert RoundVoid.objects.count() == 1


def test_an_approved_void_is_of_the_stake_and_payout_that_were_shown(anna: User, ben: User) -> None:
    played = ledger.round_make(player_make(balance=Decimal(5000)), stake="1001", payout="0", how_ended=RoundEnd.OPEN)
    approval = asked(lambda: round_void(operator=anna, round=played, reason="camera failed"), anna)
    Round.objects.filter(pk=played.pk).update(stake=Decimal(1002))
    with pytest.raises(Refused, match="another act"):
        approval_approve(operator=ben, approval=approval, reason="seen", factor_at=timezone.now())
    assert not RoundVoid.objects.exists()


def test_the_database_refuses_an_approval_that_begins_as_approved(wallet: Wallet, anna: User, ben: User) -> None:
    now = timezone.now()
    with pytest.raises(DatabaseError, match="begins as waiting"), transaction.atomic():
        Approval.objects.create(
            act="wallet.adjust", subject=f"wallet {wallet.pk}", payload={"wallet": wallet.pk}, why="x", reason="x",
            asked_by=anna, asked_factor_at=now, expires_at=now + timedelta(hours=1), status=ApprovalStatus.APPROVED,
            decided_by=ben, decided_at=now, decided_factor_at=now,
        )  # fmt: skip


def test_no_act_is_done_by_one_person_twice_and_each_by_two(anna: User, ben: User) -> None:
    for act in the_acts(anna):
        approval = asked(act.do, anna)
        with pytest.raises(Refused, match="asked for this yourself"):
            approval_approve(operator=anna, approval=approval, reason="mine", factor_at=timezone.now())
        with pytest.raises(DatabaseError), transaction.atomic():
            Approval.objects.filter(pk=approval.pk).update(
                status="approved", decided_by=anna, decided_at=timezone.now(), decided_factor_at=timezone.now()
            )
        assert not act.is_done(), act.name
        before = AuditEntry.objects.latest("pk").pk
        approval_approve(operator=ben, approval=approval, reason="seen", factor_at=timezone.now())
        assert act.is_done(), act.name
        entries = AuditEntry.objects.filter(pk__gt=before).exclude(action__startswith="approval.")
        assert {entry.data.get("approval") for entry in entries} == {approval.pk}, act.name


def test_a_forged_payload_is_refused(wallet: Wallet, anna: User, ben: User) -> None:
    approval = asked(adjustment(wallet, anna), anna)
    for change in ({"payload": {"wallet": wallet.pk, "change": "9999", "currency": "FUN"}}, {"asked_by": ben}):
        with pytest.raises(DatabaseError), transaction.atomic():
            Approval.objects.filter(pk=approval.pk).update(**change)
    approval_approve(operator=ben, approval=approval, reason="seen", factor_at=timezone.now())
    approval.refresh_from_db()
    with pytest.raises(Refused, match="another act"):
        wallet_adjust(operator=anna, wallet=wallet, change=Decimal(2000), reason="more", approval=approval)
    assert adjustments() == [Decimal("1000.01")]
    other = SecondPersonNeeded("x", act="wallet.unblock", payload=approval.payload)
    with pytest.raises(Refused, match="another act"), transaction.atomic():
        approval_require(approval, other)


@pytest.mark.parametrize(
    "change",
    [
        "act = 'x'",
        "partner_id = 0",
        "payload = '{}'",
        "reason = 'x'",
        "asked_by_id = asked_by_id + 1",
        "asked_factor_at = now()",
        "expires_at = expires_at + interval '1 day'",
    ],
)
def test_not_even_the_owner_changes_what_was_asked_for(wallet: Wallet, anna: User, change: str) -> None:
    asked(adjustment(wallet, anna), anna)
    with pytest.raises(DatabaseError, match="is fixed"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"RESET ROLE; UPDATE approval SET {change}")


def test_an_approval_that_is_still_waiting_lets_nothing_pass(wallet: Wallet, anna: User) -> None:
    approval = asked(adjustment(wallet, anna), anna)
    with pytest.raises(Refused, match="another act"):
        wallet_adjust(operator=anna, wallet=wallet, change=Decimal("1000.01"), reason="x", approval=approval)
    assert adjustments() == []


@pytest.mark.parametrize("minutes", [None, 15.1])
def test_both_persons_need_a_recent_second_factor(wallet: Wallet, anna: User, ben: User, minutes: float | None) -> None:
    factor_at = None if minutes is None else timezone.now() - timedelta(minutes=minutes)
    with pytest.raises(Refused, match="second factor"):
        act_or_ask(call=adjustment(wallet, anna), user=anna, factor_at=factor_at)
    assert not Approval.objects.exists()
    approval = asked(adjustment(wallet, anna), anna)
    with pytest.raises(Refused, match="second factor"):
        approval_approve(operator=ben, approval=approval, reason="seen", factor_at=factor_at)
    assert adjustments() == []


def test_after_24_hours_it_has_to_be_asked_for_again(wallet: Wallet, anna: User, ben: User) -> None:
    now = timezone.now()
    fresh = asked(adjustment(wallet, anna, "2000"), anna)
    assert timedelta(hours=24) <= fresh.expires_at - now < timedelta(hours=24, minutes=5)
    with pytest.raises(SecondPersonNeeded) as needed:
        adjustment(wallet, anna)()
    approval = Approval.objects.create(
        act=needed.value.act, subject=needed.value.subject, payload=needed.value.payload, why="x", reason="x",
        asked_by=anna, asked_factor_at=now - timedelta(hours=25), ctime=now - timedelta(hours=25),
        expires_at=now - timedelta(hours=1),
    )  # fmt: skip
    with pytest.raises(Conflict, match="24 hours"):
        approval_approve(operator=ben, approval=approval, reason="seen", factor_at=now)
    with pytest.raises(DatabaseError, match="too late"), transaction.atomic():
        Approval.objects.filter(pk=approval.pk).update(
            status="approved", decided_by=ben, decided_at=now, decided_factor_at=now
        )
    assert asked(adjustment(wallet, anna), anna) != approval


def test_the_database_refuses_an_approval_with_an_old_second_factor(wallet: Wallet, anna: User, ben: User) -> None:
    approval, now = asked(adjustment(wallet, anna), anna), timezone.now()
    with pytest.raises(DatabaseError, match="a second factor is too old"), transaction.atomic():
        Approval.objects.filter(pk=approval.pk).update(
            status="approved", decided_by=ben, decided_at=now, decided_factor_at=now - timedelta(minutes=17)
        )
    old = Approval.objects.create(
        act="x", subject="x", payload={}, why="x", reason="x", asked_by=anna, expires_at=now + timedelta(hours=1),
        asked_factor_at=now - timedelta(minutes=17),
    )  # fmt: skip
    with pytest.raises(DatabaseError, match="a second factor is too old"), transaction.atomic():
        Approval.objects.filter(pk=old.pk).update(
            status="approved", decided_by=ben, decided_at=now, decided_factor_at=now
        )


@pytest.mark.parametrize("decide", ["ben", "anna"])
def test_the_database_keeps_a_decision(wallet: Wallet, anna: User, ben: User, decide: str) -> None:
    approval, now = asked(adjustment(wallet, anna), anna), timezone.now()
    approval_reject(operator={"anna": anna, "ben": ben}[decide], approval=approval, reason="no")
    with pytest.raises(DatabaseError, match="is decided"), transaction.atomic():
        Approval.objects.filter(pk=approval.pk).update(
            status="approved", decided_by=ben, decided_at=now, decided_factor_at=now
        )


def test_an_act_that_waits_is_not_asked_for_again(wallet: Wallet, anna: User, ben: User) -> None:
    first = asked(adjustment(wallet, anna), anna)
    for operator in (anna, ben):
        with pytest.raises(Conflict, match=f"approval {first.pk}, which {anna.username} asked for"):
            asked(adjustment(wallet, operator), operator)
    asked(adjustment(wallet, anna, "1000.02"), anna)
    approval_reject(operator=anna, approval=first, reason="a mistake")
    asked(adjustment(wallet, ben), ben)
    assert Approval.objects.filter(status=ApprovalStatus.WAITING).count() == 2


def test_an_act_that_is_refused_waits_on(wallet: Wallet, anna: User, ben: User) -> None:
    approval = asked(adjustment(wallet, anna, "-5000"), anna)
    adjustment(wallet, ben, "-1")()
    with pytest.raises(InsufficientFunds):
        approval_approve(operator=ben, approval=approval, reason="seen", factor_at=timezone.now())
    approval.refresh_from_db()
    assert approval.status == ApprovalStatus.WAITING


def test_an_act_is_rejected_by_another_and_withdrawn_by_the_one_who_asked(
    wallet: Wallet, anna: User, ben: User
) -> None:
    for user, status in ((ben, ApprovalStatus.REJECTED), (anna, ApprovalStatus.WITHDRAWN)):
        approval = asked(adjustment(wallet, anna), anna)
        assert approval_reject(operator=user, approval=approval, reason="no").status == status
    assert adjustments() == []


@pytest.mark.parametrize("role", [Role.AUDITOR, Role.PARTNER_STAFF])
def test_nobody_but_an_operator_asks_and_decides(wallet: Wallet, anna: User, role: Role) -> None:
    approval = asked(adjustment(wallet, anna), anna)
    user = staff_make(role, partner=partner_make() if role is Role.PARTNER_STAFF else None)
    for decide in (
        lambda: act_or_ask(call=adjustment(wallet, anna, "2000"), user=user, factor_at=timezone.now()),
        lambda: approval_approve(operator=user, approval=approval, reason="x", factor_at=timezone.now()),
        lambda: approval_reject(operator=user, approval=approval, reason="x"),
    ):
        with pytest.raises(Refused, match="only an operator"):
            decide()


def test_one_operator_s_form_asks_for_an_approval_and_another_s_page_approves_it(
    wallet: Wallet, anna: User, ben: User
) -> None:
    browsers = {user: browser_with_factor(user) for user in (anna, ben)}
    answer = browsers[anna].post(
        reverse("admin:wallet_wallet_adjust", args=[wallet.pk]), {"change": "2000", "reason": "a lost deposit"}
    )
    assert answer.status_code == 302, str(answer.context["form"].errors)
    approval = Approval.objects.get()
    assert answer["Location"] == reverse("admin:approvals_approval_change", args=[approval.pk])
    asks = "Nothing is done yet. 2,000.00 FUN is more than 1,000.00 FUN. It waits for a second operator, for 24 hours."
    assert asks in browsers[anna].get(answer["Location"]).content.decode()
    address = reverse("admin:approvals_approval_approve", args=[approval.pk])
    assert "asked for this yourself" in browsers[anna].post(address, {"reason": "mine"}).content.decode()
    assert browsers[ben].post(address, {"reason": "seen the receipt"}).status_code == 302
    assert adjustments() == [Decimal(2000)]
    page = browsers[ben].get(reverse("admin:approvals_approval_changelist")).content.decode()
    assert json.dumps("2000") not in page
    assert "approved" in page


def test_the_page_of_a_recent_second_factor_offers_no_password_in_its_place(anna: User) -> None:
    TOTP.activate(anna, generate_totp_secret())
    shown = browser_with_factor(anna, seconds_ago=16 * 60).get(reverse("mfa_reauthenticate")).content.decode()
    assert "Enter an authenticator code" in shown
    assert "Use your password" not in shown


def test_a_form_that_needs_a_recent_second_factor_leads_to_it_and_keeps_what_was_typed(
    wallet: Wallet, anna: User, ben: User
) -> None:
    address = reverse("admin:wallet_wallet_adjust", args=[wallet.pk])
    again = f'href="{reverse("mfa_reauthenticate")}?next={address}" target="_blank"'
    form = {"change": "2000", "reason": "a lost deposit"}
    old = browser_with_factor(anna, seconds_ago=16 * 60)
    assert again not in old.get(address).content.decode()
    refused = old.post(address, form).content.decode()
    assert again in refused
    assert "a lost deposit</textarea>" in refused
    assert not Approval.objects.exists()
    assert browser_with_factor(anna).post(address, form).status_code == 302
    decision = reverse("admin:approvals_approval_approve", args=[Approval.objects.get().pk])
    link = reverse("mfa_reauthenticate")
    assert link in browser_with_factor(ben, seconds_ago=16 * 60).get(decision).content.decode()
    assert link not in browser_with_factor(ben).get(decision).content.decode()
