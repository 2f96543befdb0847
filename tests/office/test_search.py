"""The search of the back office and saved filters: a row is found by what people know of it, by an index, and in
scope."""

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from apps.accounts.models import Player, Role
from apps.core.errors import Conflict
from apps.partners.models import Partner
from apps.search.models import SavedFilter
from apps.search.palette import MAX_ROWS_OF_A_KIND, palette_search
from apps.search.services import saved_filter_make
from apps.wallet.services import wallet_deposit
from tests.office.conftest import Casino
from tests.office.queries import ROLES, user_of
from tests.support.factories import partner_make, player_make, staff_make
from tests.support.office_browser import OfficeBrowser

LogIn = Callable[[str], OfficeBrowser]


def found(browser: Client, term: str) -> set[tuple[str, str]]:
    """Return the kinds and addresses of the search's results."""
    cache.clear()
    answer = browser.get(reverse("admin:search"), {"s": term, "extended": "1"})
    assert answer.status_code == 200
    return {(result.description, str(result.link)) for result in answer.context["results"]}


def terms_of(casino: Casino) -> dict[str, tuple[str, str]]:
    """Return each text by which somebody may know a row, with the kind and address of the expected result."""
    movement = casino.player.wallets.get().transactions.order_by("id").first()
    assert movement is not None

    def page(name: str, pk: object) -> str:
        return reverse(f"admin:{name}_change", args=[pk])

    return {
        str(casino.record.round_id)[:8]: ("round", page("rounds_round", casino.record.round_id)),
        str(casino.table_round.pk)[:8]: ("table round", page("tables_tableround", casino.table_round.pk)),
        casino.player.reference.upper(): ("player", reverse("admin:player_file", args=[casino.player.pk])),
        str(movement.pk): ("transaction", page("wallet_wallettransaction", movement.pk)),
        str(casino.session.pk): ("session", page("rounds_gamesession", casino.session.pk)),
        str(casino.table_session.session_id): ("table session", page("tables_tablesession", casino.table_session.pk)),
        casino.api_key.prefix: ("API key", page("partners_apikey", casino.api_key.pk)),
        casino.partner.slug: ("partner", page("partners_partner", casino.partner.pk)),
    }


@pytest.mark.parametrize("who", ROLES)
def test_every_role_finds_its_rows_by_what_people_have_of_them(who: str, log_in: LogIn, ours: Casino) -> None:
    browser = log_in(who)
    for term, wanted in terms_of(ours).items():
        assert wanted in found(browser, term), term
        assert browser.get(wanted[1]).status_code == 200, wanted


def test_players_of_two_partners_with_one_reference_are_told_apart(log_in: LogIn, ours: Casino) -> None:
    other = partner_make()
    Player.objects.filter(pk=player_make(partner=other).pk).update(reference=ours.player.reference)
    titles = {}
    for who in ("operator", "partner_staff"):
        cache.clear()
        answer = log_in(who).get(reverse("admin:search"), {"s": ours.player.reference, "extended": "1"})
        titles[who] = [result.title for result in answer.context["results"] if result.description == "player"]
    assert titles["operator"] == [f"{ours.player.reference}, {each}" for each in (ours.partner, other)]
    assert titles["partner_staff"] == [ours.player.reference]


def test_a_term_of_more_rows_than_are_shown_leads_to_their_list(log_in: LogIn, ours: Casino) -> None:
    for number in range(MAX_ROWS_OF_A_KIND + 1):
        player = player_make(partner=ours.partner)
        Player.objects.filter(pk=player.pk).update(reference=f"Zoe-{number}")
    staff = log_in("partner_staff")
    shown = staff.get(reverse("admin:search"), {"s": "zoe", "extended": "1"}).context["results"]
    assert [result.title for result in shown] == [
        *(f"Zoe-{number}" for number in range(MAX_ROWS_OF_A_KIND)),
        "All players with zoe",
    ]
    assert staff.get(shown[-1].link).context["cl"].result_count == MAX_ROWS_OF_A_KIND + 1
    exact = staff.get(reverse("admin:search"), {"s": "zoe-1", "extended": "1"}).context["results"]
    assert [result.title for result in exact] == ["Zoe-1"]


def test_a_list_without_a_match_says_what_its_search_takes(log_in: LogIn, ours: Casino) -> None:
    page = log_in("partner_staff").get(reverse("admin:rounds_gamesession_changelist"), {"q": "half"})
    assert "The search takes: A player&#x27;s whole reference." in page.content.decode()


def test_names_with_capitals_are_found_however_they_are_typed(log_in: LogIn) -> None:
    colleague = staff_make(Role.OPERATOR)
    colleague.username = "Anna.Berg"
    colleague.save()
    partner = Partner.objects.create(slug="Grand-Royal", name="Grand Royal")
    player = player_make(partner=partner)
    Player.objects.filter(pk=player.pk).update(reference="VIP-77")
    browser = log_in("operator")
    for term, kind, address in (
        ("Anna.B", "log-in", reverse("admin:accounts_user_change", args=[colleague.pk])),
        ("Grand-R", "partner", reverse("admin:partners_partner_change", args=[partner.pk])),
        ("VIP-7", "player", reverse("admin:player_file", args=[player.pk])),
    ):
        assert (kind, address) in found(browser, term) & found(browser, term.lower()), term


@pytest.mark.parametrize("who", ["partner_staff", "operator"])
def test_a_transfer_is_found_by_the_partners_own_id_whatever_it_looks_like(
    who: str, log_in: LogIn, ours: Casino, theirs: Casino
) -> None:
    browser = log_in(who)
    movements = reverse("admin:wallet_wallettransaction_changelist")
    for transaction_id in ("TX-4711", "4711", str(ours.record.round_id), "order:17"):
        for casino in (ours, theirs):
            wallet_deposit(
                player=casino.player, currency_code="FUN", amount=Decimal(5), transaction_id=transaction_id,
                partner=casino.partner,
            )  # fmt: skip
        own, other = (casino.player.wallets.get().transactions.latest("pk").pk for casino in (ours, theirs))
        expected = {own} if who == "partner_staff" else {own, other}
        page = browser.get(movements, {"q": transaction_id})
        assert {row.pk for row in page.context["cl"].result_list} == expected
        assert re.search(rf"(<td [^>]*>\s*|title=\"){re.escape(transaction_id)}\b", page.content.decode())
        links = {reverse("admin:wallet_wallettransaction_change", args=[pk]) for pk in expected}
        assert {link for kind, link in found(browser, transaction_id.upper()) if kind == "transfer"} == links
        assert {str(row) for row in page.context["cl"].result_list} == {"deposit 5"}
    transfers = browser.get(movements, {"kind": "transfers"}).context["cl"].result_list
    assert {row.kind for row in transfers} == {"deposit"}


@pytest.mark.parametrize("who", ["partner_staff", "partner_auditor"])
def test_nothing_of_another_partner_is_found(who: str, log_in: LogIn, ours: Casino, theirs: Casino) -> None:
    browser = log_in(who)
    for term, wanted in terms_of(theirs).items():
        assert wanted not in found(browser, term), term
    assert found(log_in("operator"), theirs.partner.slug) >= {terms_of(theirs)[theirs.partner.slug]}


def test_log_ins_are_found_by_auditors_and_operators_alone(log_in: LogIn, ours: Casino) -> None:
    operator = log_in("operator")
    name = user_of(operator).username
    assert "log-in" in {kind for kind, _ in found(operator, name)}
    assert "log-in" not in {kind for kind, _ in found(log_in("partner_staff"), name)}


@pytest.mark.parametrize("term", ["\0", "%", "'", "-1", "9" * 30, "x" * 200, "🂡"])
def test_odd_terms_find_nothing_and_do_no_harm(term: str, log_in: LogIn, ours: Casino) -> None:
    request = log_in("operator").get("/admin/").wsgi_request
    assert palette_search(request, term) == []


def test_each_search_uses_an_index(log_in: LogIn, ours: Casino) -> None:
    request = log_in("operator").get("/admin/").wsgi_request
    for term in terms_of(ours):
        with CaptureQueriesContext(connection) as caught:
            palette_search(request, term.lower())
        for query in caught:
            # With an order, PostgreSQL may read all transfers in that order in place of the index.
            assert "regexp_replace" not in query["sql"] or "ORDER BY" not in query["sql"]
            plans = [plan_of(query["sql"], without) for without in (["indexscan", "indexonlyscan"], ["bitmapscan"])]
            assert any("Seq Scan" not in plan and "Index Cond" in plan for plan in plans), plans


def plan_of(sql: str, without: list[str]) -> str:
    """Return the plan of a statement that may neither read a table as a whole nor use these scans.

    An index scan may read a small table as a whole for its order, and a bitmap scan is not considered where every row
    fulfils the condition: a statement whose condition has an index shows it in one plan at least.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        for scan in ["seqscan", *without]:
            cursor.execute(f"SET LOCAL enable_{scan} = off")
        cursor.execute(f"EXPLAIN {sql}")
        plan = "\n".join(line for (line,) in cursor.fetchall())
        transaction.set_rollback(True)
    return plan


def test_filters_are_saved_under_a_name_shared_with_the_role_and_removed(
    log_in: LogIn, ours: Casino, browser_of: Any, casino_new: Callable[[], Casino]
) -> None:
    staff, colleague, operator = log_in("partner_staff"), log_in("partner_staff"), log_in("operator")
    stranger = browser_of("partner_staff", casino_new().partner)
    rounds = reverse("admin:rounds_round_changelist")
    save = reverse("admin:filter_save", args=["rounds_round"])
    answer = staff.post(save, {"name": "Baccarat", "query": "game=og-baccarat&p=3", "is_shared": "on"})
    assert answer["Location"] == f"{rounds}?game=og-baccarat"
    assert staff.post(save, {"name": "mine", "query": "q=abc"}).status_code == 302
    link = f'href="{rounds}?game=og-baccarat"'
    assert link in staff.get(rounds).content.decode()
    seen = colleague.get(rounds).content.decode()
    assert link in seen
    assert "mine" not in seen
    for other in (stranger, operator, log_in("partner_auditor")):
        assert link not in other.get(rounds).content.decode()
    saved = SavedFilter.objects.get(name="Baccarat")
    remove = reverse("admin:filter_remove", args=[saved.pk])
    assert colleague.post(remove).status_code == 404
    assert staff.post(remove).status_code == 302
    assert not SavedFilter.objects.filter(pk=saved.pk).exists()


@pytest.mark.django_db
def test_a_log_in_saves_a_hundred_filters_at_most() -> None:
    owner = staff_make(Role.OPERATOR)
    fields = {"owner": owner, "listing": "rounds_round", "query": "q=a"}
    SavedFilter.objects.bulk_create([SavedFilter(**fields, name=str(number)) for number in range(100)])
    with pytest.raises(Conflict):
        saved_filter_make(**fields, name="one more", is_shared=False)
    assert saved_filter_make(**fields, name="99", is_shared=True).is_shared
    assert SavedFilter.objects.count() == 100


def test_a_filter_needs_a_name_a_list_that_may_be_seen_and_something_to_save(log_in: LogIn, ours: Casino) -> None:
    staff = log_in("partner_staff")
    assert (
        staff.post(reverse("admin:filter_save", args=["rounds_round"]), {"name": "", "query": "q=a"}).status_code == 400
    )
    assert (
        staff.post(reverse("admin:filter_save", args=["rounds_round"]), {"name": "a", "query": "p=2"}).status_code
        == 400
    )
    hidden = reverse("admin:filter_save", args=["audit_auditentry"])
    assert staff.post(hidden, {"name": "a", "query": "q=a"}).status_code == 403
    assert not SavedFilter.objects.exists()
