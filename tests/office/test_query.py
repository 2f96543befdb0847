"""The query parameters of the office's lists and exports: every role may use the declared ones and no others."""

import re
from collections.abc import Callable
from decimal import Decimal
from html import unescape
from itertools import cycle
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.contrib import admin
from django.core.exceptions import ImproperlyConfigured
from django.test import Client, RequestFactory
from django.urls import reverse
from unfold.admin import ModelAdmin
from unfold.contrib.filters.admin import RelatedDropdownFilter
from unfold.views import ChangeList

from apps.accounts.models import Player
from apps.audit.models import AuditEntry
from apps.baccarat.engine import GameType
from apps.baccarat.models import BaccaratGameRecord
from apps.core.admin import OfficeAdmin
from apps.core.filters import RelatedFilter
from apps.core.list_admin import MAX_SEARCH_CHARS
from apps.events.models import SignificantEvent
from apps.office.site import OfficeSite
from apps.one_deal.engine import ResultType
from tests.office.conftest import Casino
from tests.office.queries import (
    FILTERS,
    QUALIFIERS,
    ROLES,
    filters_of,
    list_of,
    list_path,
    list_refuses,
    lists_of,
    name_of,
    names_of,
    paths_of,
    refused,
    user_of,
)  # fmt: skip
from tests.office.rows import round_make
from tests.support.long_form import IS_LONG

pytestmark = pytest.mark.usefixtures("bare_refusals")

LogIn = Callable[[str], Client]
RowsOf = Callable[[Casino], dict[str, Any]]

EXPORTED = ["accounts_player", "rounds_round", "wallet_wallettransaction", "baccarat_baccaratgamerecord"]
LOOKUPS = ["", "__exact", "__iexact", "__startswith", "__contains", "__gt", "__lte", "__in", "__range", "__isnull"]
LOOKUPS += ["__regex", "__year__gte", "__date", "__length", "__0", "__lower__startswith", "_from", "_to"]
DEEP_LOOKUPS = ["__exact", "__startswith", "__isnull"]
ASKING = ROLES if IS_LONG else ["partner_staff", "operator"]
"""The roles that try every parameter of every list. With `make test` these are one role that sees one partner and one
that sees all. The declared parameters of the lists are compared for every role."""


def test_trails_are_filtered_by_partner(log_in: LogIn, ours: Casino, theirs: Casino) -> None:
    auditor = user_of(log_in("auditor"))
    for model in (AuditEntry, SignificantEvent):
        for casino in (ours, theirs):
            partner = casino.partner.pk
            rows = list(list_of(auditor, model, {"partner": str(partner)}).result_list)
            assert rows
            assert {row.partner_id for row in rows} == {partner}
    assert "partner_link" in list_of(auditor, SignificantEvent, {}).list_display
    assert "partner_link" not in list_of(user_of(log_in("partner_staff")), SignificantEvent, {}).list_display


def test_the_lists_declare_these_filters(log_in: LogIn, ours: Casino) -> None:
    for who in ROLES:
        request = RequestFactory().get("/")
        request.user = user_of(log_in(who))
        for model, listing in admin.site._registry.items():
            declared = listing.filter_parameters(request)
            assert declared == filters_of(who, name_of(model)).keys(), (who, model)


@pytest.mark.parametrize("who", ["partner_staff", "operator"])
def test_an_undeclared_column_does_not_filter_its_list(who: str, log_in: LogIn, ours: Casino) -> None:
    browser = log_in(who)
    user = user_of(browser)
    for name, model in lists_of(who):
        for field in model._meta.get_fields():
            parameter = f"{field.name}__startswith"
            assert list_refuses(user, model, {parameter: "a"}, parameter), (who, name, parameter)
        assert refused(browser.get(list_path(name), {parameter: "a"}), parameter), (who, name, parameter)


@pytest.mark.parametrize("who", ASKING)
def test_a_lookup_over_two_relations_is_refused(who: str, log_in: LogIn, ours: Casino) -> None:
    """`make test` tries each path with one lookup, the next one in turn; `make soak` tries each with all."""
    user = user_of(log_in(who))
    tried = 0
    for name, model in lists_of(who):
        known = filters_of(who, name)
        near, far = cycle(LOOKUPS), cycle(DEEP_LOOKUPS)
        for path in paths_of(model, 2):
            is_near = path.count("__") < 2
            asked = [next(near if is_near else far)] if not IS_LONG else LOOKUPS if is_near else DEEP_LOOKUPS
            for lookup in asked:
                parameter = f"{path}{lookup}"
                if parameter not in known:
                    assert list_refuses(user, model, {parameter: "1"}, parameter), (who, name, parameter)
                    tried += 1
    assert tried > 8_000


@pytest.mark.parametrize("who", ASKING)
def test_a_declared_filter_accepts_valid_values_and_names_invalid_ones(who: str, log_in: LogIn, ours: Casino) -> None:
    browser = log_in(who)
    user = user_of(browser)
    for name, model in lists_of(who):
        unfiltered = str(list_of(user, model, {}).queryset.query)
        for parameter, (possible, impossible) in filters_of(who, name).items():
            if parameter not in QUALIFIERS:
                assert str(list_of(user, model, {parameter: possible}).queryset.query) != unfiltered, (name, parameter)
            for value in (impossible, "\0", "9" * 30, "1\0", [possible, possible]):
                assert list_refuses(user, model, {parameter: value}, parameter), (name, parameter, value)
            answer = browser.get(list_path(name), {parameter: impossible})
            assert refused(answer, parameter), (who, name, parameter)


def test_a_filter_with_one_choice_still_filters(ours: Casino, log_in: LogIn) -> None:
    staff = log_in("operator")
    elsewhere = staff.get(list_path("partners_apikey"), {"partner__id__exact": ours.partner.pk + 1})
    assert list(elsewhere.context["cl"].result_list) == []
    here = staff.get(list_path("partners_apikey"), {"partner__id__exact": ours.partner.pk})
    assert list(here.context["cl"].result_list) == [ours.api_key]


def test_rounds_are_found_by_a_bet_that_is_all_that_is_asked_for(ours: Casino, log_in: LogIn) -> None:
    two = round_make(ours.player, ours.config, stake=Decimal(20)).round
    tie = BaccaratGameRecord.objects.get(round=two)
    kind, other = tie.bet_name, GameType.TIE.wire_name
    tie.pk, tie.game_type, tie.bet_amount, tie._state.adding = None, GameType.TIE, Decimal(200), True
    tie.result_type, tie.reward_amount = ResultType.USER_LOST, Decimal(0)
    tie.save()
    staff = log_in("partner_staff")

    def found(**asked: object) -> set[Any]:
        return {row.pk for row in staff.get(list_path("rounds_round"), asked).context["cl"].result_list}

    assert two.pk in found(bet=kind) & found(bet=other) & found(digits=4) & found(digits=5) & found(bet=kind, digits=4)
    assert two.pk in found(bet=other, digits=5)
    assert not found(bet=other, digits=4) | found(bet=kind, digits=5) | found(bet="hand")


def test_a_list_refuses_django_s_other_parameters(ours: Casino, log_in: LogIn) -> None:
    auditor = log_in("auditor")
    for name in ("accounts_user", "rounds_round", "partners_partner"):
        for parameter in ("all", "e", "_facets", "_popup", "_to_field", "_changelist_filters", "pk__in", "id__gt", ""):
            for value in ("", "id"):
                assert refused(auditor.get(list_path(name), {parameter: value}), parameter), (name, parameter)


def test_a_list_can_be_sorted_by_offered_columns_alone(ours: Casino, log_in: LogIn) -> None:
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
    # A column without an order in the page, since its table is too long to be sorted.
    assert refused(auditor.get(list_path("baccarat_baccaratgamerecord"), {"o": "2"}), "o")


def test_a_page_beyond_the_last_is_refused(ours: Casino, log_in: LogIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OfficeAdmin, "list_per_page", 2)
    for _ in range(4):
        round_make(ours.player, ours.config)
    auditor = log_in("auditor")
    address = list_path("baccarat_baccaratgamerecord")
    assert [auditor.get(address, {"p": page}).status_code for page in ("1", "2", "3")] == [200, 200, 200]
    for page in ("0", "-1", "4", "x", "", "\u00b2", "9" * 5_000):
        assert refused(auditor.get(address, {"p": page}), "p"), page


def test_a_search_is_refused_in_a_list_without_search_and_if_it_is_too_long(ours: Casino, log_in: LogIn) -> None:
    auditor = log_in("auditor")
    user = user_of(auditor)
    for name, model in lists_of("auditor"):
        may_search = bool(admin.site.get_model_admin(model).search_fields)
        assert (auditor.get(list_path(name), {"q": "a"}).status_code == 200) == may_search, name
        for term in ("9" * (MAX_SEARCH_CHARS + 1), "9" * 5_000, "a " * 3_000, "a\0b"):
            assert list_refuses(user, model, {"q": term}, "q"), (name, term[:9])


@pytest.mark.parametrize("name", EXPORTED)
def test_an_export_accepts_the_list_s_filters_and_search_and_nothing_else(
    name: str, ours: Casino, log_in: LogIn
) -> None:
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
    links = re.findall(r'href="(export/[^"]*)"', page.content.decode())
    assert [urlsplit(link).path for link in links] == ["export/", "export/xlsx/", "export/jsonl/", "export/print/"]
    for link in links:
        assert dict(parse_qsl(urlsplit(unescape(link)).query)) == {"game": "og-baccarat", "q": "nobody"}
        assert auditor.get(list_path("rounds_round") + unescape(link)).status_code == 200


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
    """Return the options of a select on the page."""
    (select,) = re.findall(rf'<select name="{name}".*?</select>', page, re.DOTALL)
    return [label.strip() for label in re.findall(r"<option[^>]*>([^<]*)", select)]


def test_a_filter_offers_rows_within_the_viewer_s_scope_alone(ours: Casino, theirs: Casino, log_in: LogIn) -> None:
    """The filter itself restricts its rows; lists also omit the partner filter for viewers of one partner."""
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


@pytest.mark.parametrize("who", ["partner_staff", "partner_auditor"] if IS_LONG else ["partner_staff"])
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


def test_an_admin_with_an_unsafe_filter_cannot_be_registered() -> None:
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
