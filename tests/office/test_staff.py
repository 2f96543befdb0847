"""Log-ins of the back office: one-time links, resets, locks, sessions, and the records of accesses."""

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from html import unescape
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import (
    TOTP,
    format_hotp_value,
    generate_totp_secret,
    hotp_value,
    yield_hotp_counters_from_time,
)
from allauth.mfa.utils import decrypt
from allauth.usersessions.models import UserSession
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import Role, User
from apps.accounts.services import staff_create, user_active_set
from apps.accounts.staff import staff_invite, staff_reset, staff_sessions_end
from apps.approvals.models import Approval
from apps.approvals.services import approval_approve
from apps.audit.models import AuditEntry
from apps.audit.row_changes_check import row_changes_check
from apps.core.database_snapshot import one_moment
from apps.core.errors import BadRequest, Conflict, Refused
from apps.staff_access.models import AccessKind, StaffAccess
from apps.staff_access.services import LOCK_LASTS, access_record, log_in_is_locked
from tests.office.conftest import Casino
from tests.office.queries import user_of
from tests.support.factories import partner_make, staff_make
from tests.support.office_browser import OfficeBrowser

LogIn = Callable[[str], OfficeBrowser]

PASSWORD = "open sesame 99"
CHOSEN = "a long way to tipperary"


@pytest.fixture(autouse=True)
def failures_forgotten() -> Iterator[None]:
    """Forget the failures of an IP address, which all tests share, before and after each test."""
    cache.clear()
    yield
    cache.clear()


def link_of(answer: Any) -> str:
    """Return the path of the one-time link that an answer shows."""
    (link,) = re.findall(r'id="one-time-link"[^>]* value="([^"]+)"', answer.content.decode())
    return urlsplit(unescape(link)).path


def password_choose(link: str, password: str) -> bool:
    """Follow a one-time link and choose a password; return whether that was possible."""
    browser = Client()
    page = browser.get(link, follow=True)
    form = page.redirect_chain[-1][0] if page.redirect_chain else link
    if page.context.get("token_fail"):
        return False
    answer = browser.post(form, {"password1": password, "password2": password})
    return answer.status_code == 302


def code_of(user: User) -> str:
    """Return the code that the user's authenticator shows."""
    secret = decrypt(Authenticator.objects.get(user=user, type="totp").data["secret"])
    return str(format_hotp_value(hotp_value(secret, next(yield_hotp_counters_from_time()))))


def try_log_in(user: User, password: str) -> bool:
    """Log in as a browser would; return whether the log-in was accepted."""
    browser = Client()
    browser.post(reverse("account_login"), {"login": user.username, "password": password})
    return "_auth_user_id" in browser.session


def act(browser: OfficeBrowser, name: str, user: User, **data: str) -> Any:
    return browser.post(reverse(f"admin:accounts_user_{name}", args=[user.pk]), {"reason": "because", **data})


def test_an_operator_invites_by_a_link_that_works_once(ours: Casino, log_in: LogIn) -> None:
    operator = log_in("operator")
    address = reverse("admin:accounts_user_add")
    form = {"username": "vera", "email": "vera@example.test", "role": "partner_staff", "partner": str(ours.partner.pk)}
    for change, said in (
        ({"partner": ""}, "partner staff have one"),
        ({"role": "operator"}, "operators have none"),
        ({"role": "player"}, "not one of the available choices"),
    ):
        assert said in operator.post(address, form | change).content.decode()
    link = link_of(operator.post(address, form))
    assert "there is a log-in vera already" in operator.post(address, form).content.decode()
    vera = User.objects.get(username="vera")
    assert not vera.has_usable_password()
    assert password_choose(link, CHOSEN)
    assert not password_choose(link, "another long password")
    assert try_log_in(vera, CHOSEN)
    acts = AuditEntry.objects.filter(subject="log-in vera").values_list("action", flat=True)
    assert list(acts) == ["staff.create"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Vera", "there is a log-in vera already"),
        ("platform", "the audit names acts of no person platform"),
        ("Manage.py", "the audit names acts of no person Manage.py"),
    ],
)
def test_no_log_in_gets_a_name_that_the_audit_could_take_for_another(
    ours: Casino, log_in: LogIn, name: str, said: str
) -> None:
    """Otherwise staff of a partner could make a log-in "Operator", whose acts read as those of "operator"."""
    operator, staff = log_in("operator"), log_in("partner_staff")
    User.objects.create(username="vera", role=Role.OPERATOR)
    form = {"username": name, "email": "another@example.test"}
    of_operator = {"role": "operator", "partner": ""}
    address = reverse("admin:accounts_user_add")
    for browser, more in ((staff, {}), (operator, of_operator | {"role": "auditor"}), (operator, of_operator)):
        assert said in browser.post(address, form | more).content.decode()
    with pytest.raises(Conflict, match=re.escape(said)):
        staff_create(role=Role.AUDITOR, partner=None, password=CHOSEN, actor="manage.py", **form)
    assert not User.objects.filter(username=name).exists()
    assert not Approval.objects.exists()


def test_a_closed_log_in_is_out_at_once_and_nobody_closes_the_own(ours: Casino, log_in: LogIn) -> None:
    operator, staff = log_in("operator"), log_in("partner_staff")
    user = user_of(staff)
    assert act(operator, "close", user).status_code == 302
    assert staff.get("/admin/").status_code == 302
    assert act(operator, "open_again", user).status_code == 302
    own = user_of(operator)
    for name in ("close", "reset", "end_sessions"):
        assert "you cannot do this to your own" in act(operator, name, own).content.decode()


def test_partner_staff_invite_and_close_their_own_colleagues_and_nobody_else(ours: Casino, log_in: LogIn) -> None:
    staff = log_in("partner_staff")
    form = {"username": "ida", "email": "ida@example.test", "role": "operator", "partner": "1"}
    assert password_choose(link_of(staff.post(reverse("admin:accounts_user_add"), form)), CHOSEN)
    ida = User.objects.get(username="ida")
    assert (ida.role, ida.partner_id) == (Role.PARTNER_STAFF, ours.partner.pk)
    assert act(staff, "close", ida).status_code == 302
    ida.refresh_from_db()
    assert not ida.is_active
    others = [staff_make(Role.AUDITOR, partner=ours.partner), staff_make(Role.OPERATOR), staff_make(Role.PARTNER_STAFF)]
    own = user_of(staff)
    for other in others:
        assert staff.get(reverse("admin:accounts_user_change", args=[other.pk])).status_code == 404
        assert act(staff, "close", other).status_code == 404
        for call in (staff_sessions_end, lambda **named: user_active_set(
            operator=named["actor"], user=named["user"], reason=named["reason"], active=False
        )):  # fmt: skip
            with pytest.raises(Refused):
                call(actor=own, user=other, reason="x")
    with pytest.raises(Refused):
        staff_invite(actor=own, username="eve", email="e@example.test", role=Role.AUDITOR, partner=ours.partner)
    with pytest.raises(Refused):
        staff_invite(actor=own, username="eve", email="e@example.test", role=Role.PARTNER_STAFF, partner=partner_make())


def test_a_reset_takes_password_factor_and_sessions(ours: Casino, log_in: LogIn) -> None:
    operator, user = log_in("operator"), staff_make(Role.AUDITOR)
    former = link_of(act(operator, "reset", user))
    assert password_choose(former, CHOSEN)
    browser = Client()
    browser.post(reverse("account_login"), {"login": user.username, "password": CHOSEN})
    assert browser.get("/admin/").status_code == 200
    TOTP.activate(user, generate_totp_secret())
    assert UserSession.objects.filter(user=user).count() == 1
    link = link_of(act(operator, "reset", user, with_factor="on"))
    assert browser.get("/admin/").status_code == 302
    assert not try_log_in(user, CHOSEN)
    assert not Authenticator.objects.filter(user=user).exists()
    assert not UserSession.objects.filter(user=user).exists()
    assert not password_choose(former, "another long password")
    assert password_choose(link, "another long password")


def test_the_reset_of_an_operator_takes_two_operators(ours: Casino, settings: Any) -> None:
    settings.PUNTO_TWO_PERSONS = True
    anna, ben, carl = (staff_make(Role.OPERATOR) for _ in range(3))
    from apps.approvals.services import SecondPersonNeeded, act_or_ask

    with pytest.raises(SecondPersonNeeded):
        staff_reset(actor=anna, user=carl, reason="lost", with_factor=True)
    asked = act_or_ask(
        call=lambda: staff_reset(actor=anna, user=carl, reason="lost", with_factor=True),
        user=anna,
        factor_at=timezone.now(),
    )
    assert isinstance(asked, Approval)
    carl.refresh_from_db()
    assert carl.has_usable_password()
    approval_approve(operator=ben, approval=asked, reason="called him", factor_at=timezone.now())
    carl.refresh_from_db()
    assert not carl.has_usable_password()


def test_the_reset_of_a_player_s_log_in_shows_no_operator_a_way_into_it(ours: Casino, log_in: LogIn) -> None:
    operator, player = log_in("operator"), user_of(log_in("player"))
    answer = act(operator, "reset", player)
    assert answer.status_code == 302
    page = operator.get(answer["Location"]).content.decode()
    assert "Forgot your password" in page
    assert "/password/reset/key/" not in page
    assert not try_log_in(player, PASSWORD)


def test_sessions_are_listed_and_ended(ours: Casino, log_in: LogIn) -> None:
    operator, user = log_in("operator"), staff_make(Role.AUDITOR)
    browser = Client(headers={"user-agent": "Netscape 4"})
    browser.post(reverse("account_login"), {"login": user.username, "password": PASSWORD})
    assert browser.get("/admin/").status_code == 200
    assert "Netscape 4" in operator.get(reverse("admin:accounts_user_change", args=[user.pk])).content.decode()
    old = Client()
    old.post(reverse("account_login"), {"login": user.username, "password": PASSWORD})
    session = old.session
    session.set_expiry(-1)
    session.save()
    assert act(operator, "end_sessions", user).status_code == 302
    assert AuditEntry.objects.get(action="staff.sessions.end").data["after"] == {"sessions_ended": 1}
    assert not UserSession.objects.filter(user=user).exists()
    assert browser.get("/admin/").status_code == 302
    assert browser.get(reverse("usersessions_list")).status_code == 302


def test_three_failures_lock_a_log_in_for_half_an_hour_also_for_the_right_password(ours: Casino, log_in: LogIn) -> None:
    user = staff_make(Role.AUDITOR)
    for _ in range(2):
        assert not try_log_in(user, "wrong")
    assert try_log_in(user, PASSWORD)
    for _ in range(3):
        assert not log_in_is_locked(user)
        assert not try_log_in(user, "wrong")
    assert log_in_is_locked(user)
    assert not try_log_in(user, PASSWORD)
    kinds = StaffAccess.objects.filter(user_id=user.pk).order_by("id").values_list("kind", flat=True)
    assert list(kinds) == ["failed", "failed", "log_in", "failed", "failed", "failed", "locked"]
    later = timezone.now() + LOCK_LASTS
    assert not log_in_is_locked(user, now=later)
    assert log_in_is_locked(user, now=later - timedelta(minutes=5))


def test_an_operator_unlocks_and_players_are_never_locked_here(ours: Casino, log_in: LogIn) -> None:
    user = staff_make(Role.AUDITOR)
    operator = log_in("operator")
    assert "is not locked" in act(operator, "unlock", user).content.decode()
    for _ in range(3):
        try_log_in(user, "wrong")
    assert act(operator, "unlock", user).status_code == 302
    assert try_log_in(user, PASSWORD)
    player = user_of(log_in("player"))
    for _ in range(4):
        try_log_in(player, "wrong")
    assert not StaffAccess.objects.filter(user_id=player.pk).exists()


def test_wrong_second_factors_lock_too(ours: Casino) -> None:
    user = staff_make(Role.OPERATOR)
    TOTP.activate(user, generate_totp_secret())
    browser = Client()
    browser.post(reverse("account_login"), {"login": user.username, "password": PASSWORD})
    for _ in range(3):
        browser.post(reverse("mfa_authenticate"), {"code": "000000"})
    assert log_in_is_locked(user)
    assert not try_log_in(user, PASSWORD)
    answer = browser.post(reverse("mfa_authenticate"), {"code": code_of(user)})
    assert "Too many failed log-ins" in answer.content.decode()
    assert "_auth_user_id" not in browser.session
    access_record(user=user, kind=AccessKind.UNLOCKED, request=None)
    browser.post(reverse("mfa_authenticate"), {"code": code_of(user)})
    assert browser.session["_auth_user_id"] == str(user.pk)


def test_a_second_factor_under_another_seed_key_is_a_refusal_that_the_log_explains(
    ours: Casino, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    user = staff_make(Role.OPERATOR)
    TOTP.activate(user, generate_totp_secret())
    code = code_of(user)
    settings.PUNTO_SEED_KEY = "another key " * 4
    browser = Client()
    browser.post(reverse("account_login"), {"login": user.username, "password": PASSWORD})
    answer = browser.post(reverse("mfa_authenticate"), {"code": code})
    assert answer.status_code == 200
    assert "Your second factor cannot be checked. Ask the operator." in answer.content.decode()
    assert "_auth_user_id" not in browser.session
    assert not log_in_is_locked(user)
    assert "second_factor_not_decrypted" in caplog.text
    assert "PUNTO_SEED_KEY differs" in caplog.text


@pytest.mark.parametrize("is_app_unreadable", [True, False])
def test_one_second_factor_that_cannot_be_decrypted_leaves_the_other_one(
    ours: Casino, settings: Any, is_app_unreadable: bool
) -> None:
    user = staff_make(Role.OPERATOR)
    right = settings.PUNTO_SEED_KEY
    settings.PUNTO_SEED_KEY = "another key " * 4
    if is_app_unreadable:
        TOTP.activate(user, generate_totp_secret())
        settings.PUNTO_SEED_KEY = right
        [code, *_] = RecoveryCodes.activate(user).get_unused_codes()
    else:
        RecoveryCodes.activate(user)
        settings.PUNTO_SEED_KEY = right
        TOTP.activate(user, generate_totp_secret())
        code = code_of(user)
    browser = Client()
    browser.post(reverse("account_login"), {"login": user.username, "password": PASSWORD})
    answer = browser.post(reverse("mfa_authenticate"), {"code": "no code"})
    assert "Incorrect code." in answer.content.decode()
    assert StaffAccess.objects.filter(user_id=user.pk, kind=AccessKind.FAILED).count() == 1
    assert "_auth_user_id" not in browser.session
    browser.post(reverse("mfa_authenticate"), {"code": code})
    assert browser.session["_auth_user_id"] == str(user.pk)


def test_refusals_files_and_exports_are_kept_with_page_and_address(ours: Casino, log_in: LogIn) -> None:
    staff = log_in("partner_auditor")
    user = user_of(staff)
    player, wallet = ours.player.pk, ours.player.wallets.get().pk
    pages = {
        reverse("admin:wallet_dailyseal_changelist"): AccessKind.REFUSED,
        reverse("admin:player_file", args=[player]): AccessKind.FILE,
        reverse("admin:accounts_player_change", args=[player]): AccessKind.FILE,
        reverse("admin:wallet_wallet_change", args=[wallet]): AccessKind.FILE,
        reverse("admin:timeline", args=["player", player]): AccessKind.FILE,
        reverse("admin:timeline", args=["wallet", wallet]): AccessKind.FILE,
        reverse("admin:accounts_user_change", args=[user.pk]): AccessKind.FILE,
        reverse("admin:rounds_round_export"): AccessKind.EXPORT,
        reverse("admin:rounds_round_export_as", args=["print"]): AccessKind.EXPORT,
    }
    for page in pages:
        staff.get(page)
    for name in ("rounds_round_changelist", "accounts_player_changelist"):
        staff.get(reverse(f"admin:{name}"))
    staff.get(reverse("admin:timeline", args=["baccaratconfig", ours.config.pk]))
    rows = StaffAccess.objects.filter(user_id=user.pk).exclude(kind=AccessKind.LOG_IN).order_by("id")
    assert {row.page: AccessKind(row.kind) for row in rows} == pages
    assert {(row.address, row.username, row.partner_id) for row in rows} == {
        ("127.0.0.1", user.username, ours.partner.pk)
    }
    shown = log_in("auditor").get(reverse("admin:staff_access_staffaccess_changelist")).content.decode()
    assert reverse("admin:player_file", args=[player]) in shown


def test_a_refusal_at_an_odd_address_is_kept_percent_encoded(log_in: LogIn) -> None:
    assert log_in("auditor").get("/admin/approvals/approval/a%00b/approve/").status_code == 403
    assert StaffAccess.objects.latest("pk").page == "/admin/approvals/approval/a%00b/approve/"


def test_an_access_is_never_changed(ours: Casino, log_in: LogIn) -> None:
    log_in("operator").get("/admin/")
    row = StaffAccess.objects.latest("pk")
    from django.db import DatabaseError, transaction

    for statement in ("UPDATE staff_access SET username = ''", "DELETE FROM staff_access"):
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
    assert StaffAccess.objects.filter(pk=row.pk).exists()


@pytest.mark.usefixtures("committed")
def test_an_access_that_was_put_there_or_altered_past_the_triggers_is_named_by_the_proof(
    superuser: psycopg.Connection,
) -> None:
    user = staff_make(Role.AUDITOR)
    for kind in (AccessKind.LOG_IN, AccessKind.EXPORT):
        access_record(user=user, kind=kind, request=None)
    superuser.execute("SET session_replication_role = replica")
    superuser.execute(
        "INSERT INTO staff_access (user_id, username, role, kind, address, page)"
        " SELECT user_id, 'nobody', role, kind, address, page FROM staff_access WHERE kind = 'log_in'"
    )
    superuser.execute("UPDATE staff_access SET address = '192.0.2.7' WHERE kind = 'export'")
    with one_moment(read_only=True):
        said = {finding.where: finding.what for finding in row_changes_check(at_most=9).findings}
    added, altered = StaffAccess.objects.get(username="nobody"), StaffAccess.objects.get(kind=AccessKind.EXPORT)
    assert said == {
        f"staff_access row {added.pk}": "it has no history: it was put there past the triggers",
        f"staff_access row {altered.pk}": "its address is not the one that its history ends with",
    }


def test_an_invitation_needs_a_role_and_a_reset_a_reason(ours: Casino) -> None:
    operator = staff_make(Role.OPERATOR)
    for role in (Role.PLAYER, Role.OPERATOR):
        with pytest.raises(BadRequest):
            staff_invite(actor=operator, username="x", email="x@example.test", role=role, partner=None)
    with pytest.raises(BadRequest):
        staff_reset(actor=operator, user=staff_make(Role.AUDITOR), reason=" ", with_factor=False)
