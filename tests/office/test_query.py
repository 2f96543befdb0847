"""What each address of the office takes in its query: what is declared, and nothing else, whoever asks."""

import re
from collections.abc import Callable, Iterator
from html import unescape
from typing import Any
from urllib.parse import parse_qsl, urljoin, urlsplit
from uuid import uuid4

import pytest
from django.contrib import admin
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import ImproperlyConfigured
from django.db.models import Model
from django.test import Client, RequestFactory
from django.urls import URLResolver, reverse
from unfold.admin import ModelAdmin
from unfold.contrib.filters.admin import RelatedDropdownFilter
from unfold.views import ChangeList

from apps.accounts.models import Player
from apps.audit.models import AuditEntry
from apps.core.admin import OfficeAdmin
from apps.core.errors import BadRequest
from apps.core.filters import RelatedFilter
from apps.core.list_admin import MAX_SEARCH_CHARACTERS
from apps.office.site import OfficeSite
from apps.rounds.models import Round
from tests.office.conftest import Casino
from tests.office.rows import round_make

LogIn = Callable[[str], Client]
RowsOf = Callable[[Casino], dict[str, Any]]

ROLES = ["partner_staff", "partner_auditor", "auditor", "operator"]
SEES_ALL = {"auditor", "operator"}
NOT_FOR_STAFF = {"accounts_user", "audit_auditentry", "wallet_dailyseal"}
NOT_FOR_PARTNERS = {"wallet_dailyseal"}

DAY, BAD_DAY = "2026-01-31", "yesterday"
ID, BAD_ID = "1", "x"

FILTERS: dict[str, dict[str, tuple[str, str]]] = {
    "accounts_player": {
        "partner__id__exact": (ID, BAD_ID),
        "status__exact": ("blocked", "b"),
        "ctime_from": (DAY, BAD_DAY),
        "ctime_to": (DAY, BAD_DAY),
    },
    "accounts_user": {"role__exact": ("player", "p"), "partner__id__exact": (ID, BAD_ID)},
    "audit_auditentry": {"ctime_from": (DAY, BAD_DAY), "ctime_to": (DAY, BAD_DAY)},
    "baccarat_baccaratconfig": {"partner__id__exact": (ID, BAD_ID), "status__exact": ("1", "01")},
    "baccarat_baccaratgamerecord": {
        "ctime_from": (DAY, BAD_DAY),
        "ctime_to": (DAY, BAD_DAY),
        "partner__id__exact": (ID, BAD_ID),
        "player__id__exact": (ID, BAD_ID),
        "game_type__exact": ("1", "999"),
        "result_type__exact": ("1", "x"),
    },
    "baccarat_baccaratoddsconfig": {
        "baccarat_config__partner__id__exact": (ID, BAD_ID),
        "status__exact": ("2", "3"),
        "game_type__exact": ("1", "x"),
    },
    "blackjack_blackjackconfig": {"partner__id__exact": (ID, BAD_ID)},
    "blackjack_blackjackterms": {"config__partner__id__exact": (ID, BAD_ID)},
    "fairness_seedpair": {"status__exact": ("revealed", "r"), "player__id__exact": (ID, BAD_ID)},
    "partners_apikey": {"partner__id__exact": (ID, BAD_ID)},
    "rounds_gamesession": {
        "partner__id__exact": (ID, BAD_ID),
        "game": ("og-baccarat", "og-roulette"),
        "player__id__exact": (ID, BAD_ID),
    },
    "rounds_round": {
        "started_at_from": (DAY, BAD_DAY),
        "started_at_to": (DAY, BAD_DAY),
        "partner__id__exact": (ID, BAD_ID),
        "game": ("og-blackjack", "x"),
        "player__id__exact": (ID, BAD_ID),
    },
    "rounds_roundvoid": {"ctime_from": (DAY, BAD_DAY), "ctime_to": (DAY, BAD_DAY)},
    "wallet_wallet": {
        "house_account__partner__id__exact": (ID, BAD_ID),
        "currency__code__exact": ("FUN", "F" * 9),
        "player__id__exact": (ID, BAD_ID),
    },
    "wallet_wallettransaction": {
        "ctime_from": (DAY, BAD_DAY),
        "ctime_to": (DAY, BAD_DAY),
        "house_account__partner__id__exact": (ID, BAD_ID),
        "wallet__id__exact": (ID, BAD_ID),
    },
}
"""By table: each parameter that filters its list, with a value that it takes and one that it does not."""

EXPORTED = ["rounds_round", "wallet_wallettransaction", "baccarat_baccaratgamerecord"]
LOOKUPS = ["", "__exact", "__iexact", "__startswith", "__contains", "__gt", "__lte", "__in", "__range", "__isnull"]
LOOKUPS += ["__regex", "__year__gte", "__date", "__length", "__0", "__lower__startswith", "_from", "_to"]
DEEP_LOOKUPS = ["__exact", "__startswith", "__isnull"]


def name_of(model: type[Model]) -> str:
    """Return the admin's name of a table."""
    return f"{model._meta.app_label}_{model._meta.model_name}"


def lists_of(who: str) -> list[tuple[str, type[Model]]]:
    """Return the tables whose lists a role may see."""
    hidden = NOT_FOR_STAFF if who == "partner_staff" else set() if who in SEES_ALL else NOT_FOR_PARTNERS
    return sorted(
        ((name_of(model), model) for model in admin.site._registry if name_of(model) not in hidden),
        key=lambda pair: pair[0],
    )


def filters_of(who: str, name: str) -> dict[str, tuple[str, str]]:
    """Return what filters a table's list for a role: nobody who sees one partner filters by partner."""
    found = FILTERS.get(name, {})
    return {key: pair for key, pair in found.items() if who in SEES_ALL or "partner__id" not in key}


def list_path(name: str) -> str:
    return reverse(f"admin:{name}_changelist")


def user_of(browser: Client) -> Any:
    """Return the log-in of a browser."""
    return browser.get("/admin/").wsgi_request.user


def list_of(user: Any, model: type[Model], query: dict[str, Any]) -> Any:
    """Return a list as its page and its export have it, without the page. Raises BadRequest."""
    request = RequestFactory().get("/", query)
    request.user = user
    return admin.site.get_model_admin(model).get_changelist_instance(request)


def list_refuses(user: Any, model: type[Model], query: dict[str, Any], parameter: str) -> bool:
    """Say whether the list refuses that parameter of the query."""
    with pytest.raises(BadRequest) as refusal:
        list_of(user, model, query)
    named = refusal.value.field
    return named is not None and (parameter == named or parameter.startswith(named.removesuffix("...")))


def refused(answer: Any, parameter: str) -> bool:
    """Say whether the answer is the refusal of that parameter, as a page that names it."""
    page = answer.content.decode()
    return answer.status_code == 400 and 'role="alert"' in page and f"{parameter}: " in unescape(page)


def paths_of(model: type[Model], hops: int) -> Iterator[str]:
    """Yield the lookups of every column and relation, those over `hops` relations included, forth and back."""
    for field in model._meta.get_fields():
        yield field.name
        if hops and field.is_relation and field.related_model:
            for rest in paths_of(field.related_model, hops - 1):
                yield f"{field.name}__{rest}"


def test_the_lists_declare_these_filters(log_in: LogIn, ours: Casino) -> None:
    for who in ROLES:
        request = RequestFactory().get("/")
        request.user = user_of(log_in(who))
        for model, listing in admin.site._registry.items():
            declared = listing.filter_parameters(request)
            assert declared == filters_of(who, name_of(model)).keys(), (who, model)


@pytest.mark.parametrize("who", ["partner_staff", "operator"])
def test_no_column_of_a_table_filters_its_list_unless_it_is_declared(who: str, log_in: LogIn, ours: Casino) -> None:
    browser = log_in(who)
    for name, model in lists_of(who):
        for field in model._meta.get_fields():
            parameter = f"{field.name}__startswith"
            assert refused(browser.get(list_path(name), {parameter: "a"}), parameter), (who, name, parameter)


@pytest.mark.parametrize("who", ROLES)
def test_no_lookup_over_two_relations_reaches_a_list(who: str, log_in: LogIn, ours: Casino) -> None:
    user = user_of(log_in(who))
    tried = 0
    for name, model in lists_of(who):
        known = filters_of(who, name)
        for path in paths_of(model, 2):
            for lookup in LOOKUPS if path.count("__") < 2 else DEEP_LOOKUPS:
                parameter = f"{path}{lookup}"
                if parameter not in known:
                    assert list_refuses(user, model, {parameter: "1"}, parameter), (who, name, parameter)
                    tried += 1
    assert tried > 10_000


@pytest.mark.parametrize("who", ROLES)
def test_a_declared_filter_takes_what_it_can_use_and_refuses_the_rest_by_name(
    who: str, log_in: LogIn, ours: Casino
) -> None:
    browser = log_in(who)
    user = user_of(browser)
    for name, model in lists_of(who):
        unfiltered = str(list_of(user, model, {}).queryset.query)
        for parameter, (possible, impossible) in filters_of(who, name).items():
            assert str(list_of(user, model, {parameter: possible}).queryset.query) != unfiltered, (name, parameter)
            for value in (impossible, "\0", "9" * 30, "1\0", [possible, possible]):
                assert list_refuses(user, model, {parameter: value}, parameter), (name, parameter, value)
            answer = browser.get(list_path(name), {parameter: impossible})
            assert refused(answer, parameter), (who, name, parameter)


def test_a_filter_with_one_choice_filters_all_the_same(ours: Casino, log_in: LogIn) -> None:
    staff = log_in("operator")
    elsewhere = staff.get(list_path("partners_apikey"), {"partner__id__exact": ours.partner.pk + 1})
    assert list(elsewhere.context["cl"].result_list) == []
    here = staff.get(list_path("partners_apikey"), {"partner__id__exact": ours.partner.pk})
    assert list(here.context["cl"].result_list) == [ours.api_key]


def test_a_list_takes_none_of_djangos_other_parameters(ours: Casino, log_in: LogIn) -> None:
    auditor = log_in("auditor")
    for name in ("accounts_user", "rounds_round", "partners_partner"):
        for parameter in ("all", "e", "_facets", "_popup", "_to_field", "_changelist_filters", "pk__in", "id__gt", ""):
            for value in ("", "id"):
                assert refused(auditor.get(list_path(name), {parameter: value}), parameter), (name, parameter)


def test_a_list_is_sorted_by_columns_that_it_offers(ours: Casino, log_in: LogIn) -> None:
    auditor = log_in("auditor")
    user = user_of(auditor)
    for name, model in lists_of("auditor"):
        changelist = list_of(user, model, {})
        offered = {
            number
            for number, shown in enumerate(changelist.list_display)
            if shown in changelist.sortable_by and changelist.get_ordering_field(shown)
        }
        for number in range(len(changelist.list_display) + 1):
            order = {"o": f"-{number}"}
            if number in offered:
                assert list_of(user, model, order).get_ordering_field_columns() == {number: "desc"}, (name, number)
            else:
                assert list_refuses(user, model, order, "o"), (name, number)
    for order in ("x", "password", "1.x", "--1", "0.0", "0.-0", "9" * 5_000, "-", "."):
        assert refused(auditor.get(list_path("wallet_wallet"), {"o": order}), "o"), order
    assert auditor.get(list_path("wallet_wallet"), {"o": ""}).status_code == 200
    # A column that the page offers no order by, of a table that is too long to be sorted.
    assert refused(auditor.get(list_path("baccarat_baccaratgamerecord"), {"o": "2"}), "o")


def test_a_list_has_the_pages_that_it_has(ours: Casino, log_in: LogIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OfficeAdmin, "list_per_page", 2)
    for _ in range(4):
        round_make(ours.player, ours.config)
    auditor = log_in("auditor")
    address = list_path("baccarat_baccaratgamerecord")
    assert [auditor.get(address, {"p": page}).status_code for page in ("1", "2", "3")] == [200, 200, 200]
    for page in ("0", "-1", "4", "x", "", "\u00b2", "9" * 5_000):
        assert refused(auditor.get(address, {"p": page}), "p"), page


def test_a_search_is_refused_where_there_is_none_and_where_it_is_too_long(ours: Casino, log_in: LogIn) -> None:
    auditor = log_in("auditor")
    user = user_of(auditor)
    for name, model in lists_of("auditor"):
        may_search = bool(admin.site.get_model_admin(model).search_fields)
        assert (auditor.get(list_path(name), {"q": "a"}).status_code == 200) == may_search, name
        for term in ("9" * (MAX_SEARCH_CHARACTERS + 1), "9" * 5_000, "a " * 3_000, "a\0b"):
            assert list_refuses(user, model, {"q": term}, "q"), (name, term[:9])


@pytest.mark.parametrize("name", EXPORTED)
def test_an_export_takes_the_lists_filters_and_search_and_nothing_else(name: str, ours: Casino, log_in: LogIn) -> None:
    auditor = log_in("auditor")
    address = reverse(f"admin:{name}_export")
    model = dict(lists_of("auditor"))[name]
    for parameter, (possible, impossible) in FILTERS[name].items():
        assert auditor.get(address, {parameter: possible}).status_code == 200, parameter
        assert refused(auditor.get(address, {parameter: impossible}), parameter), parameter
    assert auditor.get(address, {"q": "nobody"}).status_code == 200
    for parameter in ("o", "p", "e", "_popup", "_to_field", "format", *paths_of(model, 0)):
        if parameter not in FILTERS[name]:
            assert refused(auditor.get(address, {parameter: "1"}), parameter), parameter


def test_the_link_to_an_export_carries_filters_and_no_page(ours: Casino, log_in: LogIn) -> None:
    auditor = log_in("auditor")
    page = auditor.get(list_path("rounds_round"), {"game": "og-baccarat", "o": "1", "p": "1", "q": "nobody"})
    (link,) = re.findall(r'href="(export/[^"]*)"', page.content.decode())
    assert dict(parse_qsl(urlsplit(unescape(link)).query)) == {"game": "og-baccarat", "q": "nobody"}
    assert auditor.get(list_path("rounds_round") + unescape(link)).status_code == 200


def test_pages_of_rows_and_acts_take_the_way_back_to_the_list_and_nothing_else(
    log_in: LogIn, ours: Casino, rows_of: RowsOf
) -> None:
    operator = log_in("operator")
    for name, key in rows_of(ours).items():
        model_admin = admin.site.get_model_admin(dict(lists_of("operator"))[name])
        for page in ["change", "history", *(model_admin.actions_detail or [])]:
            address = reverse(f"admin:{name}_{page}", args=[key])
            assert operator.get(address, {"_changelist_filters": "q=a"}).status_code != 400, address
            assert refused(operator.get(address, {"_to_field": "id"}), "_to_field"), address
    for name in ("partners_partner", "partners_apikey", "accounts_user", "baccarat_baccaratconfig"):
        assert refused(operator.get(reverse(f"admin:{name}_add"), {"partner": "1"}), "partner"), name


@pytest.mark.parametrize(
    "address", ["index", "reconcile", "password_change", "password_change_done", "jsi18n", "report", "report_export"]
)
def test_pages_of_no_table_take_nothing_that_they_do_not_know(address: str, ours: Casino, log_in: LogIn) -> None:
    for who in ("partner_staff", "operator"):
        browser = log_in(who)
        if browser.get(reverse(f"admin:{address}")).status_code == 403:
            continue
        for parameter in ("next", "e", "password__startswith"):
            assert refused(browser.get(reverse(f"admin:{address}"), {parameter: "1"}), parameter), parameter


def addresses(patterns: Any, before: str = "/admin/") -> Iterator[str]:
    """Yield an address for each pattern of the office, whatever stands in its variable parts."""
    for pattern in patterns:
        route = str(pattern.pattern)
        for converter, example in (("uuid:round_id", str(uuid4())), ("path:object_id", "1")):
            route = route.replace(f"<{converter}>", example)
        if route.startswith("^"):
            route = "accounts/"  # the one list of tables by app
        if isinstance(pattern, URLResolver):
            yield from addresses(pattern.url_patterns, before + route)
        elif "url>" not in route:
            yield before + route


def test_every_address_of_the_office_refuses_what_it_does_not_take(ours: Casino, log_in: LogIn) -> None:
    operator = log_in("operator")
    found = set(addresses(admin.site.urls[0]))
    assert len(found) > 100
    for address in found - {"/admin/login/", "/admin/colors.css"}:  # they read nothing but where to go next
        assert "<" not in address
        assert refused(operator.get(address, {"password__startswith": "a"}), "password__startswith"), address


def test_an_address_without_its_slash_keeps_its_query(ours: Casino, log_in: LogIn) -> None:
    answer = log_in("operator").get("/admin/rounds/round", {"game": "og-baccarat"})
    assert (answer.status_code, answer["Location"]) == (301, "/admin/rounds/round/?game=og-baccarat")
    assert log_in("operator").get("/admin/nothing/", {"game": "og-baccarat"}).status_code == 404


def test_a_report_refuses_what_it_does_not_know_and_what_cannot_be(ours: Casino, log_in: LogIn) -> None:
    days = {"since": DAY, "until": DAY}
    for who in ("operator", "partner_staff"):
        browser = log_in(who)
        for address in (reverse("admin:report"), reverse("admin:report_export")):
            assert browser.get(address, {**days, "split": ["day", "game"]}).status_code == 200
            for parameter, value in (("player", "1"), ("partner__id__exact", "1"), ("q", "a")):
                assert refused(browser.get(address, {**days, parameter: value}), parameter)
            assert refused(browser.get(address, {**days, "since": [DAY, DAY]}), "since")
            assert refused(browser.get(address, {**days, "currency": "FUN\0"}), "currency")
            for parameter, value in (("since", BAD_DAY), ("currency", "XXX"), ("game", "x"), ("split", "password")):
                answer = browser.get(address, {**days, parameter: value})
                assert answer.status_code == 400, (address, parameter)
                assert parameter in answer.content.decode()
            assert browser.get(address, {"currency": "FUN"}).status_code == 400
    assert refused(
        log_in("partner_staff").get(reverse("admin:report"), {**days, "partner": ours.partner.pk}), "partner"
    )


def test_rows_are_completed_for_search_filters_alone(ours: Casino, log_in: LogIn) -> None:
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


def test_the_chosen_row_of_a_filter_is_named_within_the_scope(ours: Casino, theirs: Casino, log_in: LogIn) -> None:
    address = list_path("baccarat_baccaratgamerecord")
    for who in ("partner_staff", "partner_auditor"):
        browser = log_in(who)
        page = browser.get(address, {"player__id__exact": theirs.player.pk}).content.decode()
        assert theirs.player.reference not in page, who
        nobody = browser.get(address, {"player__id__exact": theirs.player.pk + 1_000}).content.decode()
        assert options_of(page, "player__id__exact") == options_of(nobody, "player__id__exact"), who
        own = browser.get(address, {"player__id__exact": ours.player.pk}).content.decode()
        assert ours.player.reference in options_of(own, "player__id__exact"), who
    seen = log_in("auditor").get(address, {"player__id__exact": theirs.player.pk}).content.decode()
    assert theirs.player.reference in options_of(seen, "player__id__exact")


def options_of(page: str, name: str) -> list[str]:
    """Return what a page's select offers."""
    (select,) = re.findall(rf'<select name="{name}".*?</select>', page, re.DOTALL)
    return [label.strip() for label in re.findall(r"<option[^>]*>([^<]*)", select)]


def test_a_filter_offers_rows_of_the_viewers_scope_alone(ours: Casino, theirs: Casino, log_in: LogIn) -> None:
    """It holds for the filter itself, not only because lists leave the partner out for who sees one."""
    offered = {}
    for who in ("partner_staff", "operator"):
        request = RequestFactory().get("/")
        request.user = user_of(log_in(who))
        listing = admin.site.get_model_admin(Player)
        field = Player._meta.get_field("partner")
        spec = RelatedFilter(field, request, {}, Player, listing, field_path="partner")
        offered[who] = [key for key, _ in spec.lookup_choices]
    by_name = [casino.partner.pk for casino in sorted((ours, theirs), key=lambda casino: casino.partner.name)]
    assert offered == {"partner_staff": [ours.partner.pk], "operator": by_name}


def test_the_search_for_pages_refuses_what_it_cannot_use(ours: Casino, log_in: LogIn) -> None:
    staff = log_in("partner_staff")
    address = reverse("admin:search")
    found = staff.get(address, {"s": "wallet", "extended": "1", "page": "1"})
    assert (found.status_code, "Wallets" in found.content.decode()) == (200, True)
    for parameter, value in (("page", "x"), ("page", "99"), ("s", "a" * 5_000), ("q", "a")):
        assert refused(staff.get(address, {"s": "a", parameter: value}), parameter), (parameter, value)


def test_no_address_looks_for_rows_of_any_table(ours: Casino, theirs: Casino, log_in: LogIn) -> None:
    kind = ContentType.objects.get_for_model(Round).pk
    for key in (ours.record.round_id, theirs.record.round_id, "x"):
        assert log_in("partner_staff").get(f"/admin/r/{kind}/{key}/").status_code == 404


def test_a_page_that_is_not_for_a_role_says_nothing_of_its_ids(ours: Casino, theirs: Casino, log_in: LogIn) -> None:
    staff = log_in("partner_staff")
    mine, other = (AuditEntry.objects.filter(partner_id=casino.partner.pk).latest("id").pk for casino in (ours, theirs))
    for page in ("change", "history", "delete"):
        addresses = [reverse(f"admin:audit_auditentry_{page}", args=[key]) for key in (mine, other, 10**9, "x")]
        assert len({staff.get(address).status_code for address in addresses}) == 1, page


def test_a_key_that_cannot_be_is_not_there(ours: Casino, log_in: LogIn) -> None:
    operator = log_in("operator")
    for name in ("core_currency", "rounds_round", "wallet_wallet"):
        for key in ("%00", "a%00b", "_00", "x" * 5_000, "9" * 5_000, "-1"):
            for page in ("change", "history", "delete"):
                address = reverse(f"admin:{name}_{page}", args=["KEY"]).replace("KEY", key)
                assert operator.get(address).status_code == 404, address


def test_a_refusal_shows_no_traceback_and_does_not_echo_at_length(ours: Casino, log_in: LogIn, settings: Any) -> None:
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
        {f"f{number}": "" for number in range(2_000)},  # more than Django reads
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


@pytest.mark.parametrize("who", ["partner_staff", "operator"])
def test_no_link_and_no_form_of_the_office_is_refused_and_none_leads_out_of_the_scope(
    who: str, ours: Casino, theirs: Casino, log_in: LogIn
) -> None:
    browser = log_in(who)
    foreign = [] if who in SEES_ALL else names_of(theirs)
    waiting, seen = ["/admin/"], set()
    while waiting:
        address = waiting.pop()
        parts = urlsplit(address)
        kind = (
            re.sub(r"[0-9a-f-]{36}|\d+", "#", parts.path),
            frozenset(key for key, _ in parse_qsl(parts.query, True)),
        )
        if kind in seen or parts.path.endswith("/logout/") or not parts.path.startswith("/admin/"):
            continue
        seen.add(kind)
        answer = browser.get(address)
        assert answer.status_code in (200, 302), (who, address)
        if answer.streaming or "html" not in answer["Content-Type"]:
            continue
        page = answer.content.decode()
        assert [name for name in foreign if name in page] == [], (who, address)
        links = [*re.findall(r'href="([^"#]+)"', page), *re.findall(r'hx-get="([^"]+)"', page)]
        waiting += [urljoin(address, unescape(link)) for link in links]
        for form in re.findall(r'<form[^>]*method="get".*?</form>', page, re.DOTALL):
            names = re.findall(r'<(?:input|select)[^>]* name="([^"]+)"', form)
            assert browser.get(parts.path, dict.fromkeys(names, "")).status_code in (200, 400)
    assert len(seen) > 40


def names_of(casino: Casino) -> list[str]:
    """Return texts by which a partner's rows would be known anywhere."""
    pair = casino.record.seed_pair
    movements = casino.player.wallets.get().transactions.all()
    return [
        casino.partner.name,
        casino.player.reference,
        str(casino.record.round_id),
        casino.api_key.prefix,
        pair.commitment,
        *(bytes(movement.hash).hex() for movement in movements),
    ]


@pytest.mark.parametrize("who", ["partner_staff", "partner_auditor"])
def test_no_filter_and_no_search_finds_rows_of_another_partner(
    who: str, ours: Casino, theirs: Casino, log_in: LogIn, rows_of: RowsOf
) -> None:
    user = user_of(log_in(who))
    rows = rows_of(theirs)
    terms = [*names_of(theirs), theirs.partner.slug, *(str(key) for key in rows.values())]
    terms += [movement.source_key for movement in theirs.player.wallets.get().transactions.all()]
    foreign = {"player__id__exact": theirs.player.pk, "wallet__id__exact": rows["wallet_wallet"]}
    for name, model in lists_of(who):
        may_search = admin.site.get_model_admin(model).search_fields
        queries: list[dict[str, Any]] = [{"q": term} for term in terms if may_search]
        queries += [{key: foreign[key]} for key in filters_of(who, name) if key in foreign]
        for query in queries:
            found = [row.pk for row in list_of(user, model, query).result_list]
            assert rows.get(name) not in found, (name, query)
            assert query.keys() == {"q"} or found == [], (name, query)


def test_an_admin_that_filters_by_more_is_not_registered() -> None:
    class Plain(ModelAdmin):
        """Not strict."""

    class Lenient(OfficeAdmin):
        list_filter = [("partner", RelatedDropdownFilter)]

    class ByName(OfficeAdmin):
        list_filter = ["status"]

    class ByDate(OfficeAdmin):
        date_hierarchy = "ctime"

    class Loose(OfficeAdmin):
        def lookup_allowed(self, lookup: str, value: Any, request: Any = None) -> bool:  # type: ignore[misc]
            return True

    class OwnList(OfficeAdmin):
        def get_changelist(self, request: Any, **kwargs: Any) -> Any:  # type: ignore[misc]
            return ChangeList

    class Linked(OfficeAdmin):
        linked_lookups = frozenset({"user__password__startswith"})

    for kind in (Plain, Lenient, ByName, ByDate, Loose, OwnList, Linked):
        kind.__module__ = "apps.accounts.admin"
        with pytest.raises(ImproperlyConfigured, match=kind.__name__):
            OfficeSite().register(Player, kind)
    with pytest.raises(ImproperlyConfigured):
        OfficeSite().register(Player, OfficeAdmin, list_filter=["status"])
