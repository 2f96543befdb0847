"""Long lists: every filter and search of the record table uses an index, and no query counts the whole table."""

import csv
import io
import re
from collections.abc import Callable
from contextlib import nullcontext
from decimal import Decimal
from html import unescape
from typing import Any

import psycopg
import pytest
from django.contrib import admin
from django.db import connection
from django.http import StreamingHttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.html import escape
from openpyxl import load_workbook

from apps.accounts.models import Player, Role
from apps.audit.models import AuditEntry
from apps.baccarat.models import BaccaratGameRecord
from apps.core import csv_export, json
from apps.core.admin import MAX_LISTED_ROWS
from apps.core.money import plain
from apps.staff_access.models import AccessKind, StaffAccess
from tests.office.conftest import Casino
from tests.office.queries import ROLES, SEES_ALL, list_of, list_path, list_refuses, lists_of, user_of
from tests.office.rows import round_make
from tests.support.empty_pages import pages_empty
from tests.support.factories import staff_make
from tests.support.long_form import IS_LONG

LogIn = Callable[[str], Client]

RECORDS = "baccarat_game_record"
LIST = "admin:baccarat_baccaratgamerecord_changelist"
EXPORT = "admin:baccarat_baccaratgamerecord_export"
ROWS = 60_000
DAYS = 60
CASINOS = 6
"""Enough casinos that each filter selects a small part of the rows. For a large part a sequential scan would be
right."""

_COPY = f"""
    INSERT INTO {RECORDS} (user_id, partner_id, currency_id, round_id, game_type, bet_amount, odds, result_type,
        reward_amount, player_cards, banker_cards, seed_pair_id, nonce, config_id, config_version, ctime)
    SELECT r.user_id, r.partner_id, r.currency_id, gen_random_uuid(), 1 + n %% 10, 10, 1, 2, 0, r.player_cards,
        r.banker_cards, r.seed_pair_id, n, r.config_id, 1,
        now() - interval '1 day' * (%(days)s - n * %(days)s / %(rows)s)
    FROM generate_series(1, %(rows)s) AS n
    JOIN (SELECT *, row_number() OVER (ORDER BY id) - 1 AS place FROM {RECORDS}) AS r ON r.place = n %% %(places)s
"""


def records_multiply(superuser: psycopg.Connection) -> None:
    """Copy the existing records to ROWS more over DAYS days, and analyse the tables of the queries."""
    superuser.execute("SET session_replication_role = replica")  # the copies have no rounds
    superuser.execute(_COPY, {"rows": ROWS, "days": DAYS, "places": CASINOS})
    superuser.execute("SET session_replication_role = origin")
    # Space that an earlier test's rows have left, and statistics of its players, would lead to other plans.
    superuser.execute(f"VACUUM FULL ANALYZE {RECORDS}, player, partner, currency")


def queries_of(casino: Casino) -> dict[str, dict[str, Any]]:
    """Return common queries of the list."""
    day = f"{casino.record.ctime:%Y-%m-%d}"
    return {
        "newest": {},
        "a far page": {"p": "390"},
        "by player": {"player__id__exact": casino.player.pk},
        "by game type": {"game_type__exact": 8},
        "by result": {"result_type__exact": 3},
        "by day": {"ctime_from": day, "ctime_to": day},
        "by partner and day": {"partner__id__exact": casino.partner.pk, "ctime_from": day, "ctime_to": day},
        "by id": {"q": casino.record.pk},
        "by round": {"q": casino.record.round_id},
        "by reference": {"q": casino.player.reference},
        "by an unknown reference": {"q": "nobody"},
    }


def test_no_list_reads_the_whole_record_table(
    committed: None, superuser: psycopg.Connection, casino_new: Callable[[], Casino], browser_of: Any
) -> None:
    casinos = [casino_new() for _ in range(CASINOS)]
    records_multiply(superuser)
    for who in ("auditor", "partner_staff"):
        browser = browser_of(who, casinos[0].partner)
        for named, query in queries_of(casinos[0]).items():
            if who == "partner_staff":
                query.pop("partner__id__exact", None)
            with CaptureQueriesContext(connection) as queries:
                answer = browser.get(reverse(LIST), query)
            assert answer.status_code == 200, (who, named)
            on_records = [entry["sql"] for entry in queries if f'FROM "{RECORDS}"' in entry["sql"]]
            assert len(on_records) == 2, (who, named)
            for sql in on_records:
                plan = plan_of(sql)
                assert f"Seq Scan on {RECORDS}" not in plan, (who, named, plan)
                assert "COUNT" not in sql or f"LIMIT {MAX_LISTED_ROWS}" in sql, sql


# One of twenty rounds of each casino is of another game.
_ROUNDS_COPY = f"""
    INSERT INTO game_round (id, partner_id, player_id, currency_id, game, started_at, ended_at, how_ended, seed_pair_id,
        nonce, config_version, stake, payout, balance_before, balance_after, terms, detail)
    SELECT gen_random_uuid(), r.partner_id, r.player_id, r.currency_id,
        CASE WHEN n / {CASINOS} %% 20 = 0 THEN 'og-dragon-tiger' ELSE r.game END, ended_at - interval '1 minute' * n,
        ended_at - interval '1 minute' * n, 'played', r.seed_pair_id, 1000 + n, 1, 10, 0, 10, 0, '{{}}', '{{}}'
    FROM generate_series(1, %(rows)s) AS n
    JOIN (
        SELECT *, row_number() OVER (ORDER BY partner_id) - 1 AS place FROM game_round
        WHERE id IN (SELECT round_id FROM {RECORDS})
    ) AS r ON r.place = n %% {CASINOS}
"""


def test_rounds_of_a_game_that_a_partner_s_players_seldom_play_are_found_by_an_index(
    committed: None, superuser: psycopg.Connection, casino_new: Callable[[], Casino], browser_of: Any
) -> None:
    casinos = [casino_new() for _ in range(CASINOS)]
    superuser.execute("SET session_replication_role = replica")
    superuser.execute(_ROUNDS_COPY, {"rows": ROWS})
    superuser.execute("SET session_replication_role = origin")
    # PostgreSQL's statistics of an earlier test's players would lead to other plans.
    superuser.execute("VACUUM ANALYZE game_round, player, partner, currency")
    browser = browser_of("partner_staff", casinos[0].partner)
    with CaptureQueriesContext(connection) as queries:
        answer = browser.get(list_path("rounds_round"), {"game": "og-dragon-tiger"})
    assert answer.context["cl"].result_count == ROWS // CASINOS // 20
    assert {row.partner_id for row in answer.context["cl"].result_list} == {casinos[0].partner.pk}
    plans = [plan_of(entry["sql"]) for entry in queries if 'FROM "game_round"' in entry["sql"]]
    assert len(plans) == 2
    for plan in plans:
        assert re.search(r"game_round_by_partner_game .*\n *Index Cond: .*partner_id = .*\bgame\b", plan), plan


def test_a_list_has_as_many_rows_in_any_order(ours: Casino, theirs: Casino, log_in: LogIn) -> None:
    user = user_of(log_in("operator"))
    sorted_by = 0
    for name, model in lists_of("operator"):
        changelist = list_of(user, model, {})
        for number, shown in enumerate(changelist.list_display):
            if shown in changelist.sortable_by and changelist.get_ordering_field(shown):
                for order in (f"{number}", f"-{number}"):
                    found = list_of(user, model, {"o": order})
                    assert found.result_count == len(found.queryset), (name, order)
                    sorted_by += 1
    assert sorted_by > 40


def plan_of(sql: str) -> str:
    """Return the plan of a query that Django has logged, its values in place."""
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {sql}")
        return "\n".join(line for (line,) in cursor.fetchall())


def test_the_list_says_how_many_rows_it_shows(ours: Casino, log_in: LogIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("apps.core.admin.MAX_LISTED_ROWS", 3)
    for _ in range(4):
        round_make(ours.player, ours.config)
    page = log_in("auditor").get(reverse(LIST)).content.decode()
    assert "The newest 3 rows" in page
    assert "The newest 3 rows" not in log_in("auditor").get(reverse(LIST), {"q": ours.record.pk}).content.decode()


def page_head(page: str) -> list[str]:
    """Return the words of a page's head."""
    head = re.search(r"<h1[^>]*>(.*?)</h1>", page, re.DOTALL)
    assert head is not None
    return re.sub(r"<[^>]*>|\s+", " ", head[1]).split()


def test_the_head_and_the_title_of_a_game_s_configuration_name_the_partner_and_the_currency(
    log_in: LogIn, ours: Casino
) -> None:
    blackjack = ours.partner.blackjack_configs.get()
    whose = f"of {ours.partner.name} in FUN"
    for row, name in (
        (ours.config, f"baccarat limits {whose}"),
        (ours.pending, f"baccarat odds {ours.pending} {whose}"),
        (blackjack, f"blackjack limits {whose}"),
        (blackjack.terms.get(), f"blackjack rules and odds {whose}"),
    ):
        model = f"{row._meta.app_label}_{row._meta.model_name}"
        page = unescape(log_in("partner_staff").get(reverse(f"admin:{model}_change", args=[row.pk])).text)
        assert page_head(page)[-len(name.split()) :] == name.split()
        assert f"<title>{name} |" in re.sub(r"\s+", " ", page).replace("<title> ", "<title>")
        history = unescape(log_in("partner_staff").get(reverse(f"admin:{model}_history", args=[row.pk])).text)
        assert page_head(history)[-len(name.split()) :] == name.split()
        assert f"<h2>History of {name}</h2>" in history


def test_ids_of_tables_are_labelled_as_those_of_rounds_and_copied(log_in: LogIn, ours: Casino) -> None:
    for name, key in (
        ("rounds_round", ours.record.round_id),
        ("tables_gametable", ours.table.pk),
        ("tables_tableround", ours.table_round.pk),
    ):
        page = log_in("auditor").get(reverse(f"admin:{name}_change", args=[key])).text
        assert f'<code class="copied-id">{key}</code>' in page, name
        assert re.search(r">\s*ID\s*<", page), name
        assert not re.search(r">\s*Id\s*<", page), name


def test_the_head_of_a_page_names_its_list_once_and_a_list_without_rows_says_how_they_come_to_be(
    log_in: LogIn, ours: Casino
) -> None:
    operator = log_in("operator")
    for name, title in (
        ("scheduled_changes_scheduledchange", "Scheduled changes"),
        ("wallet_wallet", "Wallets"),
        ("accounts_user", "Log-ins"),
    ):
        page = unescape(operator.get(reverse(f"admin:{name}_changelist")).content.decode())
        assert page_head(page) == title.split()
        assert f"<title>{title} |" in re.sub(r"\s+", " ", page).replace("<title> ", "<title>")
        assert ('fill in "Takes effect" there' in page) is (title == "Scheduled changes")
    for name, label in (("switches_switch", "Switch something off"), ("build_buildcheck", "Check the build")):
        page = operator.get(reverse(f"admin:{name}_changelist")).text
        address = reverse(f"admin:{name}_add")
        assert re.search(rf'href="{address}" [^>]*aria-label="{label}"', page)
        assert f'href="{address}">{label}</a>' in page
    user = staff_make(Role.PARTNER_STAFF, partner=ours.partner)
    page = operator.get(reverse("admin:accounts_user_change", args=[user.pk])).content.decode()
    assert page_head(page) == ["Log-ins", "chevron_right", user.username]
    assert f"{user.date_joined:%Y-%m-%d %H:%M:%S}" in page
    assert "150 characters" not in page
    assert "Withdraw several" not in operator.get(reverse("admin:scheduled_changes_scheduledchange_changelist")).text
    thresholds = operator.get(reverse("admin:events_eventthreshold_changelist")).content.decode()
    assert re.search(r"<td>large win</td><td>amount</td><td>10,000</td><td>10,000</td>", thresholds)
    timeline = operator.get(reverse("admin:timeline", args=["round", ours.record.round_id]))
    assert timeline.context["title"] == f"Timeline of round {str(ours.record.round_id)[:8]}"
    house = reverse("admin:wallet_houseaccount_change", args=[ours.partner.house_accounts.get().pk])
    assert f'href="{reverse("admin:report", args=["liability"])}"' in operator.get(house).text
    assert "<dt>made at</dt>" in operator.get(reverse("admin:report", args=["summary"])).text
    assert "No round has ended in these days." in operator.get(reverse("admin:player_file", args=[ours.player.pk])).text


def test_filters_and_search_find_the_matching_rows(ours: Casino, theirs: Casino, log_in: LogIn) -> None:
    auditor = log_in("auditor")
    queries = queries_of(theirs)
    for named in ("by player", "by partner and day", "by id", "by round", "by reference"):
        found = [record.pk for record in auditor.get(reverse(LIST), queries[named]).context["cl"].result_list]
        assert found == [theirs.record.pk], named
    for named in ("by game type", "by an unknown reference"):
        assert not auditor.get(reverse(LIST), queries[named]).context["cl"].result_list, named
    yesterday = {"ctime_to": "2000-01-01"}
    assert not auditor.get(reverse(LIST), yesterday).context["cl"].result_list


def test_the_first_and_last_day_of_the_calendar_are_valid(ours: Casino, log_in: LogIn) -> None:
    for named, text in (("ctime_from", "0001-01-01"), ("ctime_to", "9999-12-31")):
        assert log_in("auditor").get(reverse(LIST), {named: text}).status_code == 200, text
    for day, status in (("0001-01-01", 200), ("9998-12-31", 200), ("9999-12-31", 400)):
        query = {"length": "day", "until": day, "zone": "UTC"}
        assert log_in("auditor").get(reverse("admin:report", args=["summary"]), query).status_code == status, day


@pytest.mark.parametrize("term", ["\u00b2", "9" * 40, '"', "%_", "a" * 200])
def test_any_search_text_is_answered(ours: Casino, log_in: LogIn, term: str) -> None:
    auditor = log_in("auditor")
    user = user_of(auditor)
    for model, model_admin in admin.site._registry.items():
        if model_admin.search_fields:
            found = list(list_of(user, model, {"q": term}).result_list)
            assert found == [] or term == '"', (model, term)  # which is in every JSON
        else:
            assert list_refuses(user, model, {"q": term}, "q"), (model, term)
    page = auditor.get(list_path("accounts_player"), {"q": term})
    assert page.status_code == 200
    assert f'value="{escape(term)}"' in page.content.decode()


def test_an_export_has_every_row_of_the_filtered_list(
    ours: Casino, theirs: Casino, log_in: LogIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_export, "CHUNK_ROWS", 2)
    made = [ours.record.pk, *(round_make(ours.player, ours.config).pk for _ in range(4))]
    answer = log_in("auditor").get(reverse(EXPORT), {"player__id__exact": ours.player.pk})
    assert isinstance(answer, StreamingHttpResponse)
    assert answer["Content-Disposition"] == 'attachment; filename="baccaratgamerecord.csv"'
    rows = csv_of(answer)
    assert [int(row["id"]) for row in rows] == sorted(made, reverse=True)
    record = BaccaratGameRecord.objects.get(pk=ours.record.pk)
    last = rows[-1]
    assert last["player"] == ours.player.reference
    assert last["player_cards"] == " ".join(record.player_cards)
    assert (last["bet_amount"], last["game_type"], last["odds"]) == ("10", "BaccaratGameBetOnPlayer", "1")
    assert last["ctime"] == record.ctime.isoformat()


@pytest.mark.parametrize(
    "name", ["accounts_player", "rounds_round", "wallet_wallettransaction", "baccarat_baccaratgamerecord"]
)
def test_everybody_exports_what_the_list_shows_them_in_each_form_with_an_audit_entry(
    name: str, ours: Casino, theirs: Casino, log_in: LogIn
) -> None:
    address = reverse(f"admin:{name}_export")
    references = {"partner_staff": {ours.player.reference}, "partner_auditor": {ours.player.reference}}
    everybody = {ours.player.reference, theirs.player.reference}
    column = "reference" if name == "accounts_player" else "player"
    assert log_in("player").get(address, follow=True).status_code == 403
    assert not AuditEntry.objects.filter(action="list.export").exists()
    for who in ROLES:
        browser = log_in(who)
        expected = references.get(who, everybody)
        lines = csv_of(browser.get(address))
        assert {row[column] for row in lines} == expected
        objects = jsonl_of(browser.get(f"{address}jsonl/"))
        assert [list(row) for row in objects] == [list(row) for row in lines]
        assert [{key: text_of(value) for key, value in row.items()} for row in objects] == lines
        sheet, about = load_workbook(io.BytesIO(browser.get(f"{address}xlsx/").content)).worksheets
        head, *rows = sheet.iter_rows(values_only=True)
        assert [dict(zip(head, map(text_of, row), strict=True)) for row in rows] == lines
        scope = "all partners" if who in SEES_ALL else ours.partner.name
        assert dict(about.iter_rows(values_only=True))["scope"] == scope
        printed = browser.get(f"{address}print/").content.decode()
        assert all(reference in printed for reference in expected)
        assert (theirs.player.reference in printed) is (who in SEES_ALL)
        assert browser.get(f"{address}pdf/").status_code == 404
        user = user_of(browser)
        entries = AuditEntry.objects.filter(action="list.export", actor_user_id=user.pk).order_by("pk")
        assert [entry.data["form"] for entry in entries] == ["csv", "jsonl", "xlsx", "print"]
        assert {entry.partner_id for entry in entries} == {user.partner_id}
        assert StaffAccess.objects.filter(user_id=user.pk, kind=AccessKind.EXPORT).count() == 4


def test_an_audit_entry_of_an_export_has_its_filters_and_rows(ours: Casino, theirs: Casino, log_in: LogIn) -> None:
    query = {"player__id__exact": str(ours.player.pk), "q": ""}
    rows = jsonl_of(log_in("operator").get(reverse("admin:rounds_round_export_as", args=["jsonl"]), query))
    assert [(row["stake"], row["player"]) for row in rows] == [(10, ours.player.reference)]
    log_in("operator").get(reverse("admin:rounds_round_export_as", args=["xlsx"]), query)
    filters = {"player__id__exact": str(ours.player.pk)}
    entries = AuditEntry.objects.filter(action="list.export").order_by("pk")
    assert [entry.data for entry in entries] == [
        {"form": "jsonl", "filters": filters},
        {"form": "xlsx", "filters": filters, "rows": 1},
    ]


def test_a_workbook_and_a_print_sheet_are_refused_for_a_list_that_is_too_long(
    ours: Casino, log_in: LogIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("apps.core.admin.MAX_ROWS_IN_MEMORY", {"xlsx": 1, "print": 1})
    auditor = log_in("auditor")
    assert auditor.get(reverse("admin:rounds_round_export_as", args=["xlsx"])).status_code == 200
    round_make(ours.player, ours.config)
    for form in ("xlsx", "print"):
        answer = auditor.get(reverse("admin:rounds_round_export_as", args=[form]))
        assert answer.status_code == 400
        assert "the list has more than 1 rows, too many for this form" in answer.content.decode()


def test_a_formula_in_an_export_is_text(ours: Casino, log_in: LogIn) -> None:
    Player.objects.filter(pk=ours.player.pk).update(reference="=HYPERLINK(1)")
    rows = csv_of(log_in("auditor").get(reverse("admin:wallet_wallettransaction_export")))
    assert {row["player"] for row in rows} == {"'=HYPERLINK(1)"}
    assert "-10" in {row["change"] for row in rows}


async def test_an_export_streams_under_asgi_too(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = csv_export.asynchronous(iter(["a\r\n", "b\r\n"]))
    assert [text async for text in texts] == ["a\r\n", "b\r\n"]


def csv_of(answer: Any) -> list[dict[str, str]]:
    """Return the rows of an export."""
    return list(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode())))


def jsonl_of(answer: Any) -> list[dict[str, Any]]:
    """Return the lines of an export in JSON."""
    return [json.decode_object(line) for line in b"".join(answer.streaming_content).decode().splitlines()]


def text_of(value: object) -> str:
    """Return a value of a file as CSV has it."""
    if isinstance(value, float):
        return plain(Decimal(repr(value)))
    return plain(value) if isinstance(value, Decimal) else "" if value is None else str(value)


def test_a_partner_s_page_leads_to_its_lists_and_its_timeline(log_in: LogIn, ours: Casino) -> None:
    """`make test` renders what is linked for operators alone; test_addresses.py renders it for partner staff, too."""
    address = reverse("admin:partners_partner_change", args=[ours.partner.pk])
    for who in ROLES:
        browser = log_in(who)
        page = unescape(browser.get(address).content.decode())
        links = re.search(r'<span class="links">(.*?)</span>', page, re.DOTALL)
        assert links is not None, who
        found = re.findall(r'href="([^"]+)"', links[1])
        assert {"/admin/accounts/player/", "/admin/rounds/round/"} <= {link.partition("?")[0] for link in found}
        timeline = reverse("admin:timeline", args=["partner", ours.partner.pk])
        assert timeline in page
        for link in (*found, timeline):
            with nullcontext() if IS_LONG or who == "operator" else pages_empty():
                assert browser.get(link).status_code == 200, (who, link)
            assert (f"={ours.partner.pk}" in link) is (who in SEES_ALL) or link == timeline


def test_the_dots_between_page_numbers_are_no_link(log_in: LogIn) -> None:
    AuditEntry.objects.bulk_create(AuditEntry(actor="demo", action="x.y", subject="z 1") for _ in range(400))
    page = log_in("auditor").get(reverse("admin:audit_auditentry_changelist")).content.decode()
    links = re.findall(r'href="(\?p=[^"]*)"', page)
    assert "…" in page
    assert links
    assert all(link.removeprefix("?p=").isdecimal() for link in links)
