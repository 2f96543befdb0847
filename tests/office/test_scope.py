"""Access to the back office, the rights of each role for each table, and tenancy."""

from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.apps import apps
from django.contrib import admin
from django.test import Client
from django.urls import reverse

from apps.accounts.models import Role, User
from apps.audit.models import AuditEntry
from apps.core.staff_scope import AUDITOR, OFFICE_ROLES, OPERATOR, PARTNER_STAFF
from apps.one_deal.models import OneDealConfig
from tests.office.conftest import Casino
from tests.office.page_answers import answer_of
from tests.office.queries import ROLES, list_of, lists_of, name_of, user_of
from tests.support.factories import staff_make
from tests.support.long_form import IS_LONG
from tests.support.office_browser import OfficeBrowser

LogIn = Callable[[str], OfficeBrowser]
RowsOf = Callable[[Casino], dict[str, Any]]

MADE_BY_STAFF = {
    "accounts_user", "blackjack_blackjackconfig", "evidence_rtppublication", "partners_apikey",
    "statistics_partnerzone", "tables_gametable",
    *(name_of(model) for model in apps.get_models() if issubclass(model, OneDealConfig)),
}  # fmt: skip
"""The tables whose rows partner staff and operators add."""
MADE_BY_OPERATORS = {"build_buildcheck", "events_eventthreshold", "partners_partner", "switches_switch"}
HOUSE_WIDE = {
    "build_buildcheck", "events_eventthreshold", "evidence_evidencealarm", "paytables_paytable", "switches_switch",
    "wallet_dailyseal",
}  # fmt: skip
NOT_FOR_STAFF = {"approvals_approval", "audit_auditentry", "staff_access_staffaccess"}
WITH_ACTS = {
    "accounts_player": ("block", "unblock"),
    "baccarat_baccaratconfig": ("change_limits", "change_odds"),
    "baccarat_baccaratoddsconfig": ("confirm", "withdraw"),
    "blackjack_blackjackconfig": ("change_limits", "change_terms"),
    "blackjack_blackjackterms": ("confirm", "withdraw"),
    "partners_apikey": ("restrict", "revoke"),
    "partners_partner": ("close", "open_again"),
    "rounds_round": ("void_round",),
    "tables_gametable": ("configure", "close", "open_again"),
    "tables_tableround": ("void",),
    "wallet_wallet": ("adjust", "block", "unblock"),
}
"""The acts of each table; each act has its own form."""
PARTNERS_OWN_ACTS = {
    ("baccarat_baccaratconfig", "change_limits"),
    ("baccarat_baccaratconfig", "change_odds"),
    ("baccarat_baccaratoddsconfig", "withdraw"),
    ("blackjack_blackjackterms", "withdraw"),
    ("blackjack_blackjackconfig", "change_limits"),
    ("blackjack_blackjackconfig", "change_terms"),
    ("partners_apikey", "restrict"),
    ("partners_apikey", "revoke"),
    ("tables_gametable", "configure"),
    ("tables_gametable", "close"),
    ("tables_gametable", "open_again"),
}
"""The acts that partner staff may do."""


def names() -> list[str]:
    """Return the admin's names of all tables."""
    return sorted(f"{model._meta.app_label}_{model._meta.model_name}" for model in admin.site._registry)


def test_the_rights_cover_every_role_of_log_ins() -> None:
    assert {PARTNER_STAFF, AUDITOR, OPERATOR} == OFFICE_ROLES == set(Role.values) - {Role.PLAYER}


def test_nothing_of_other_packages_is_shown() -> None:
    assert {model.__module__.split(".")[0] for model in admin.site._registry} == {"apps"}


def test_visitors_are_sent_to_the_common_log_in(client: Client, db: None) -> None:
    answer = client.get("/admin/", follow=True)
    assert answer.redirect_chain[-1][0] == f"{reverse('account_login')}?next=/admin/"


def test_a_player_cannot_enter(log_in: LogIn) -> None:
    player = log_in("player")
    assert player.get("/admin/", follow=True).status_code == 403
    assert player.get("/admin/login/").status_code == 403
    assert player.get(reverse("admin:baccarat_baccaratgamerecord_changelist"), follow=True).status_code == 403


def test_the_back_office_asks_for_the_second_factor(client: Client, ours: Casino) -> None:
    staff = staff_make(Role.PARTNER_STAFF, partner=ours.partner)
    TOTP.activate(staff, generate_totp_secret())
    recovery = RecoveryCodes.activate(staff)
    form = {"login": staff.username, "password": "open sesame 99"}
    answer = client.post(f"{reverse('account_login')}?next=/admin/", form)
    assert answer["Location"].startswith(reverse("mfa_authenticate"))
    assert client.get("/admin/").status_code == 302
    # A recovery code, since a time-based one might expire during the test.
    client.post(reverse("mfa_authenticate"), {"code": recovery.get_unused_codes()[0]})
    assert client.get("/admin/").status_code == 200


def test_staff_of_a_closed_partner_cannot_enter(log_in: LogIn, ours: Casino) -> None:
    staff, auditor, operator = log_in("partner_staff"), log_in("partner_auditor"), log_in("operator")
    assert staff.get("/admin/").status_code == 200
    operator.post(reverse("admin:partners_partner_close", args=[ours.partner.pk]), {"reason": "unpaid"})
    assert staff.get("/admin/", follow=True).status_code == 403
    assert auditor.get("/admin/").status_code == 200
    operator.post(reverse("admin:partners_partner_open_again", args=[ours.partner.pk]), {"reason": "paid"})
    assert staff.get("/admin/").status_code == 200


def test_django_s_own_flags_do_not_admit_a_player(log_in: LogIn, ours: Casino) -> None:
    player = log_in("player")
    user = player.get("/admin/login/").wsgi_request.user
    user.is_staff = user.is_superuser = True
    user.save()
    assert player.get("/admin/", follow=True).status_code == 403


@pytest.mark.parametrize("who", ROLES)
def test_every_role_sees_its_lists_and_rows(who: str) -> None:
    """The test reads the table of answers, which test_page_answers.py compares with the pages."""
    for name in names():
        refused = (who == "partner_staff" and name in NOT_FOR_STAFF) or (
            who in ("partner_staff", "partner_auditor") and name in HOUSE_WIDE
        )
        assert answer_of("GET", f"{name}_changelist", who) == (403 if refused else 200), name
        assert answer_of("GET", f"{name}_change", who) in ({403} if refused else {200, 404}), name  # 404 without a row


@pytest.mark.parametrize("who", ROLES)
def test_no_role_has_a_page_that_deletes_a_row_and_few_have_one_that_adds_it(who: str) -> None:
    """The test reads the table of answers."""
    for name in names():
        assert answer_of("GET", f"{name}_delete", who) in (403, 404), name
        may_add = who == "operator" and name in MADE_BY_OPERATORS
        may_add |= who in ("partner_staff", "operator") and name in MADE_BY_STAFF
        for method in ("GET", "POST"):
            assert answer_of(method, f"{name}_add", who) == (200 if may_add else 403), name


@pytest.mark.usefixtures("empty_pages")
@pytest.mark.parametrize("who", ROLES if IS_LONG else ["operator"])
def test_django_s_forms_cannot_change_or_delete_rows(who: str, log_in: LogIn, ours: Casino, rows_of: RowsOf) -> None:
    """`make test` tries it as an operator, who has the most rights. `make soak` tries it as every role."""
    browser = log_in(who)
    for name, key in rows_of(ours).items():
        assert browser.post_bare(reverse(f"admin:{name}_change", args=[key]), {"balance": 1}).status_code == 403, name
        assert browser.post_bare(reverse(f"admin:{name}_delete", args=[key]), {"post": "yes"}).status_code == 403, name


@pytest.mark.usefixtures("empty_pages")
@pytest.mark.parametrize("who", ["partner_staff", "operator"])
def test_no_row_is_made_by_save_as_new(who: str, log_in: LogIn, ours: Casino, rows_of: RowsOf) -> None:
    """Django's form accepts `_saveasnew`, which once made a log-in without an audit entry."""
    browser = log_in(who)
    sent = {"_saveasnew": "1", "username": "eve", "role": "operator", "is_active": "on"}
    sent |= {"date_joined_0": "2026-01-01", "date_joined_1": "10:00"}
    for name, key in [*rows_of(ours).items(), ("accounts_user", staff_make(Role.AUDITOR).pk)]:
        assert browser.post_bare(reverse(f"admin:{name}_change", args=[key]), sent).status_code == 403, name
    assert not User.objects.filter(username="eve").exists()


@pytest.mark.parametrize("who", ROLES)
def test_each_role_has_its_acts_alone(who: str) -> None:
    """The test reads the table of answers."""
    for name, acts in WITH_ACTS.items():
        for act in acts:
            may = who == "operator" or (who == "partner_staff" and (name, act) in PARTNERS_OWN_ACTS)
            for method in ("GET", "POST"):
                status = answer_of(method, f"{name}_{act}", who)
                assert (status == 403) != may, (name, act, method)


@pytest.mark.usefixtures("empty_pages")
@pytest.mark.parametrize("who", ["partner_staff", "partner_auditor", "auditor"])
def test_log_ins_of_others_are_managed_by_operators_alone(who: str, log_in: LogIn) -> None:
    browser = log_in(who)
    other = staff_make(Role.AUDITOR)
    refused = 404 if who.startswith("partner") else 403
    acts = ("close", "open_again", "reset", "end_sessions", "unlock")
    for address in [reverse(f"admin:accounts_user_{act}", args=[other.pk]) for act in acts]:
        assert browser.get(address).status_code in (403, refused), address
        assert browser.post_bare(address, {"reason": "because"}).status_code in (403, refused), address
    if who != "partner_staff":
        assert browser.get(reverse("admin:accounts_user_add")).status_code == 403
    other.refresh_from_db()
    assert other.is_active


@pytest.mark.usefixtures("empty_pages")
@pytest.mark.parametrize("who", ["partner_staff", "partner_auditor"])
def test_another_partner_s_rows_are_not_listed(
    who: str, log_in: LogIn, ours: Casino, theirs: Casino, rows_of: RowsOf
) -> None:
    browser = log_in(who)
    user, foreign = user_of(browser), rows_of(theirs)
    for name, key in foreign.items():
        for page in ("change", "history", "delete"):
            assert browser.get(reverse(f"admin:{name}_{page}", args=[key])).status_code == 404, (name, page)
        assert str(key) not in keys_listed(user, name), name
    assert browser.get(reverse("admin:replay", args=[theirs.record.round_id])).status_code == 404
    assert browser.get(reverse("admin:replay", args=[ours.record.round_id])).status_code == 200


@pytest.mark.usefixtures("empty_pages")
@pytest.mark.parametrize("who", ["partner_staff", "partner_auditor"] if IS_LONG else ["partner_staff"])
def test_another_partner_s_id_is_answered_like_an_unknown_id(
    who: str, log_in: LogIn, ours: Casino, theirs: Casino, rows_of: RowsOf
) -> None:
    """`make test` tries it as partner staff, who have more rights than a partner's auditor."""
    browser = log_in(who)
    acts = {
        f"{model._meta.app_label}_{model._meta.model_name}": model_admin.actions_detail or []
        for model, model_admin in admin.site._registry.items()
    }
    for name, key in rows_of(theirs).items():
        nobodys = uuid4() if isinstance(key, UUID) else 10**9
        for page in ("change", "history", "delete", *acts[name]):
            for method in ("get", "post_bare"):
                answers = {
                    getattr(browser, method)(reverse(f"admin:{name}_{page}", args=[one]), follow=True).status_code
                    for one in (key, nobodys)
                }
                assert len(answers) == 1, (name, page, method, answers)
                assert answers <= {403, 404}, (name, page, method, answers)


@pytest.mark.usefixtures("empty_pages")
def test_another_partner_s_settings_cannot_be_changed(log_in: LogIn, theirs: Casino, rows_of: RowsOf) -> None:
    staff = log_in("partner_staff")
    foreign = rows_of(theirs)
    for name, act in sorted(PARTNERS_OWN_ACTS):
        address = reverse(f"admin:{name}_{act}", args=[foreign[name]])
        assert staff.get(address).status_code == 404, address
        limits = {"bet_min": "5", "bet_max": "6", "decks": "8"}
        assert staff.post_bare(address, {**limits, "odds_1": "0.5"}).status_code == 404, address
    theirs.config.refresh_from_db()
    assert (theirs.config.bet_min, theirs.config.version) == (1, 1)
    theirs.api_key.refresh_from_db()
    assert theirs.api_key.revoked_at is None


@pytest.mark.parametrize("who", ["auditor", "operator"])
def test_operators_and_auditors_see_all_partners(
    who: str, log_in: LogIn, ours: Casino, theirs: Casino, rows_of: RowsOf
) -> None:
    user, rows = user_of(log_in(who)), rows_of(theirs)
    for name, key in rows_of(ours).items():
        assert {str(key), str(rows[name])} <= keys_listed(user, name), name


def test_audit_entries_are_in_scope_too(log_in: LogIn, ours: Casino, theirs: Casino) -> None:
    listed = keys_listed(user_of(log_in("partner_auditor")), "audit_auditentry")
    by_partner = {
        partner: {str(pk) for pk in AuditEntry.objects.filter(partner_id=partner.pk).values_list("pk", flat=True)}
        for partner in (ours.partner, theirs.partner)
    }
    assert by_partner[ours.partner] <= listed
    assert not by_partner[theirs.partner] & listed


def test_the_partner_filter_does_not_name_other_partners(log_in: LogIn, ours: Casino, theirs: Casino) -> None:
    address = reverse("admin:baccarat_baccaratgamerecord_changelist")
    assert theirs.partner.name not in log_in("partner_staff").get(address).content.decode()
    assert theirs.partner.name in log_in("operator").get(address).content.decode()


def test_autocomplete_of_players_stays_within_the_scope(log_in: LogIn, ours: Casino, theirs: Casino) -> None:
    query = {"app_label": "baccarat", "model_name": "baccaratgamerecord", "field_name": "player", "term": "player"}
    found = log_in("partner_staff").get(reverse("admin:autocomplete"), query).json()["results"]
    assert [row["text"] for row in found] == [ours.player.reference]


def keys_listed(user: Any, name: str) -> set[str]:
    """Return the keys of the rows on the first page of a list."""
    return {str(row.pk) for row in list_of(user, dict(lists_of("operator"))[name], {}).result_list}
