"""The query parameters of the office's other pages, and their answers about rows outside the viewer's scope."""

import re
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from html import unescape
from typing import Any
from urllib.parse import parse_qsl, urljoin, urlsplit
from uuid import uuid4

import pytest
from django.contrib import admin
from django.contrib.contenttypes.models import ContentType
from django.test import Client
from django.urls import URLResolver, reverse

from apps.audit.models import AuditEntry
from apps.rounds.models import Round
from tests.office.conftest import Casino
from tests.office.queries import BAD_DAY, DAY, ROLES, SEES_ALL, list_path, lists_of, names_of, refused
from tests.support.empty_pages import pages_empty
from tests.support.long_form import IS_LONG

LogIn = Callable[[str], Client]
RowsOf = Callable[[Casino], dict[str, Any]]


@pytest.mark.usefixtures("bare_refusals")
def test_pages_of_rows_and_acts_accept_the_list_s_filters_and_nothing_else(
    log_in: LogIn, ours: Casino, rows_of: RowsOf
) -> None:
    """`make test` asks for the page of each row, and for one history and one act of each name; `make soak` for all."""
    operator = log_in("operator")
    asked = set()
    for name, key in rows_of(ours).items():
        model_admin = admin.site.get_model_admin(dict(lists_of("operator"))[name])
        for page in ["change", "history", *(model_admin.actions_detail or [])]:
            if not IS_LONG and page != "change" and page in asked:
                continue
            asked.add(page)
            address = reverse(f"admin:{name}_{page}", args=[key])
            assert operator.get(address, {"_changelist_filters": "q=a"}).status_code != 400, address
            assert refused(operator.get(address, {"_to_field": "id"}), "_to_field"), address
    for name in ("partners_partner", "partners_apikey", "accounts_user", "baccarat_baccaratconfig"):
        assert refused(operator.get(reverse(f"admin:{name}_add"), {"partner": "1"}), "partner"), name


@pytest.mark.usefixtures("bare_refusals")
@pytest.mark.parametrize(
    "address", ["index", "reconcile", "password_change", "password_change_done", "jsi18n", "reports", "system"]
)
def test_other_pages_refuse_unknown_parameters(address: str, ours: Casino, log_in: LogIn) -> None:
    for who in ("partner_staff", "operator"):
        browser = log_in(who)
        if browser.get(reverse(f"admin:{address}")).status_code == 403:
            continue
        for parameter in ("next", "e", "password__startswith"):
            assert refused(browser.get(reverse(f"admin:{address}"), {parameter: "1"}), parameter), parameter


def addresses(patterns: Any, before: str = "/admin/") -> Iterator[str]:
    """Yield an address for each pattern of the office, with any values for its parameters."""
    for pattern in patterns:
        route = str(pattern.pattern)
        examples = {
            "uuid:round_id": str(uuid4()),
            "uuid:table_id": str(uuid4()),
            "path:object_id": "1",
            "slug:name": "summary",
            "slug:form": "csv",
        }
        examples |= {"int:player_id": "1", "int:partner_id": "1", "str:kind": "player", "str:key": "1"}
        examples |= {"slug:listing": "rounds_round", "int:saved_id": "1", "int:kept_id": "1"}
        for converter, example in examples.items():
            route = route.replace(f"<{converter}>", example)
        if route.startswith("^"):
            route = "accounts/"  # the list of tables of an app
        if isinstance(pattern, URLResolver):
            yield from addresses(pattern.url_patterns, before + route)
        elif "url>" not in route:
            yield before + route


@pytest.mark.usefixtures("bare_refusals")
def test_every_address_of_the_office_refuses_unknown_parameters(ours: Casino, log_in: LogIn) -> None:
    """`make test` asks for one page of each kind of a table, and for all that belong to no table; `make soak` for
    all. Every list is asked by test_query.py."""
    operator = log_in("operator")
    found = set(addresses(admin.site.urls[0]))
    assert len(found) > 100
    tables = {f"/admin/{model._meta.app_label}/{model._meta.model_name}/" for model in admin.site._registry}
    of_a_kind = {
        address.removeprefix(next((table for table in tables if address.startswith(table)), "")): address
        for address in sorted(found)
    }
    assert len(of_a_kind) > 50
    asked = found if IS_LONG else set(of_a_kind.values())
    for address in asked - {"/admin/login/", "/admin/colors.css"}:  # they read only the address of the next page
        assert "<" not in address
        assert refused(operator.get(address, {"password__startswith": "a"}), "password__startswith"), address


def test_a_redirect_to_the_slash_keeps_the_query(ours: Casino, log_in: LogIn) -> None:
    answer = log_in("operator").get("/admin/rounds/round", {"game": "og-baccarat"})
    assert (answer.status_code, answer["Location"]) == (301, "/admin/rounds/round/?game=og-baccarat")
    assert log_in("operator").get("/admin/nothing/", {"game": "og-baccarat"}).status_code == 404


@pytest.mark.usefixtures("bare_refusals")
def test_a_report_refuses_unknown_parameters_and_invalid_values(ours: Casino, log_in: LogIn) -> None:
    days = {"length": "range", "since": DAY, "until": DAY, "zone": "UTC"}
    page, export = reverse("admin:report", args=["players"]), reverse("admin:report_export", args=["players", "csv"])
    for who in ("operator", "partner_staff"):
        browser = log_in(who)
        for address in (page, export):
            assert browser.get(address, days).status_code == 200
            for parameter, value in (("player", "1"), ("partner__id__exact", "1"), ("q", "a")):
                assert refused(browser.get(address, {**days, parameter: value}), parameter)
            assert refused(browser.get(address, {**days, "since": [DAY, DAY]}), "since")
            assert refused(browser.get(address, {**days, "zone": "UTC\0"}), "zone")
            for parameter, value in (("since", BAD_DAY), ("since", ""), ("length", "x"), ("zone", "Mars")):
                answer = browser.get(address, {**days, parameter: value})
                assert answer.status_code == 400, (address, parameter)
                assert parameter in answer.content.decode()
            assert browser.get(address, {"zone": "UTC"}).status_code == 400
        assert browser.get(reverse("admin:report", args=["nothing"])).status_code == 404
        assert browser.get(reverse("admin:report_export", args=["players", "exe"])).status_code == 404
    assert refused(log_in("partner_staff").get(page, {**days, "partner": ours.partner.pk}), "partner")


@pytest.mark.usefixtures("bare_refusals")
def test_autocomplete_answers_for_declared_filters_alone(ours: Casino, log_in: LogIn) -> None:
    filtered = {"app_label": "baccarat", "model_name": "baccaratgamerecord", "field_name": "player"}
    for who in ROLES:
        browser = log_in(who)
        address = reverse("admin:autocomplete")
        assert browser.get(address, {**filtered, "term": "player"}).status_code == 200
        for other in (
            {"field_name": "seed_pair"},
            {"field_name": "partner"},
            {"field_name": "player__user"},
            {"field_name": "password"},
            {"model_name": "historicalbaccaratconfig", "field_name": "history_user"},
            {"app_label": "partners", "model_name": "partner", "field_name": "players"},
            {"app_label": "mfa", "model_name": "authenticator", "field_name": "user"},
            {"app_label": "nothing"},
        ):
            assert refused(browser.get(address, {**filtered, **other, "term": "a"}), "field_name"), (who, other)
        for parameter, value in (("page", "x"), ("page", "0"), ("term", "a" * 5_000), ("term", "a\0"), ("to", "1")):
            assert refused(browser.get(address, {**filtered, parameter: value}), parameter), (who, parameter)


@pytest.mark.usefixtures("bare_refusals")
def test_the_search_for_pages_refuses_unknown_parameters(ours: Casino, log_in: LogIn) -> None:
    staff = log_in("partner_staff")
    address = reverse("admin:search")
    found = staff.get(address, {"s": "wallet", "extended": "1", "page": "1"})
    assert (found.status_code, "Wallets" in found.content.decode()) == (200, True)
    for parameter, value in (("page", "x"), ("page", "99"), ("s", "a" * 5_000), ("q", "a")):
        assert refused(staff.get(address, {"s": "a", parameter: value}), parameter), (parameter, value)


def test_no_address_searches_all_tables(ours: Casino, theirs: Casino, log_in: LogIn) -> None:
    kind = ContentType.objects.get_for_model(Round).pk
    for key in (ours.record.round_id, theirs.record.round_id, "x"):
        assert log_in("partner_staff").get(f"/admin/r/{kind}/{key}/").status_code == 404


@pytest.mark.usefixtures("empty_pages")
def test_a_page_outside_a_role_does_not_reveal_which_ids_exist(ours: Casino, theirs: Casino, log_in: LogIn) -> None:
    staff = log_in("partner_staff")
    mine, other = (AuditEntry.objects.filter(partner_id=casino.partner.pk).latest("id").pk for casino in (ours, theirs))
    for page in ("change", "history", "delete"):
        addresses = [reverse(f"admin:audit_auditentry_{page}", args=[key]) for key in (mine, other, 10**9, "x")]
        assert len({staff.get(address).status_code for address in addresses}) == 1, page


@pytest.mark.usefixtures("empty_pages")
def test_an_invalid_id_is_404(ours: Casino, log_in: LogIn) -> None:
    operator = log_in("operator")
    for name in ("core_currency", "rounds_round", "wallet_wallet"):
        for key in ("%00", "a%00b", "_00", "x" * 5_000, "9" * 5_000, "-1"):
            for page in ("change", "history", "delete"):
                address = reverse(f"admin:{name}_{page}", args=["KEY"]).replace("KEY", key)
                assert operator.get(address).status_code == 404, address


def test_a_refusal_shows_no_traceback_and_no_long_echo(ours: Casino, log_in: LogIn, settings: Any) -> None:
    settings.DEBUG = True
    operator = log_in("operator")
    operator.raise_request_exception = False
    long = "a" * 5_000
    queries: list[dict[str, Any]] = [
        {"password__startswith": "a"},
        {"_to_field": "password"},
        {"groups__user__password__startswith": "a"},
        {"role__exact": long},
        {long: "1"},
        {f"f{number}": "" for number in range(2_000)},  # more fields than Django reads
        {"<script>": "1"},
    ]
    for query in queries:
        answer = operator.get(list_path("accounts_user"), query)
        page = answer.content.decode()
        assert answer.status_code == 400, query
        assert 'role="alert"' in page
        assert "Traceback" not in page
        assert "a" * 101 not in page
        assert "<script>:" not in page
    page = operator.get(f"{list_path('accounts_user')}{long}/", {"_to_field": "password"}).content.decode()
    assert "_to_field: " in page
    assert "a" * 101 not in page


@pytest.mark.parametrize("who", ["partner_staff", "operator"])
def test_every_link_and_form_of_the_office_works_and_stays_within_the_scope(
    who: str, ours: Casino, theirs: Casino, log_in: LogIn
) -> None:
    """`make test` follows one link to each page, and one with each parameter, and looks at the status alone of what a
    form shows; with `make soak` it follows one with each set of parameters to each page."""
    browser = log_in(who)
    foreign = [] if who in SEES_ALL else names_of(theirs)
    waiting, seen = ["/admin/"], set[object]()
    while waiting:
        address = waiting.pop()
        parts = urlsplit(address)
        page = re.sub(r"[0-9a-f-]{36}|\d+", "#", parts.path)
        parameters = frozenset(key for key, _ in parse_qsl(parts.query, True))
        kinds = {(page, parameters)} if IS_LONG else {page, *parameters}
        if kinds <= seen or parts.path.endswith("/logout/") or not parts.path.startswith("/admin/"):
            continue
        seen |= kinds
        answer = browser.get(address)
        assert answer.status_code in (200, 302), (who, address)
        if answer.streaming or "html" not in answer["Content-Type"]:
            continue
        shown = answer.content.decode()
        assert [name for name in foreign if name in shown] == [], (who, address)
        links = [*re.findall(r'href="([^"#]+)"', shown), *re.findall(r'hx-get="([^"]+)"', shown)]
        waiting += [urljoin(address, unescape(link)) for link in links]
        for form in re.findall(r'<form[^>]*method="get".*?</form>', shown, re.DOTALL):
            sent = dict.fromkeys(re.findall(r'<(?:input|select)[^>]* name="([^"]+)"', form), "")
            sent |= dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form))
            with nullcontext() if IS_LONG else pages_empty():
                answer = browser.get(parts.path, sent)
            needs_days = parts.path.startswith(reverse("admin:reports")) and parts.path != reverse("admin:reports_kept")
            assert answer.status_code == (400 if needs_days else 200), (who, address, sent)
    assert len(seen) > 40
