"""The evidence pages of the back office: figures by any slice agree, each in the viewer's scope."""

from decimal import Decimal
from html import unescape
from typing import Any

import psycopg
import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts.actors import Actor
from apps.accounts.models import Role, User
from apps.dashboards.evidence_plots import LawEvidence, evidence_rows
from apps.evidence.figures import days_figures, laws_figures, paytable_rows, whiskers
from apps.evidence.mathematics import Z_95
from apps.evidence.rtp_watch import evidence_days_add
from apps.evidence.selectors import LawKey, MoneyKey, StatSlice, law_terms
from apps.partners.models import Partner
from apps.paytables.models import PayTable
from tests.evidence.test_rtp_watch import folded
from tests.support.baccarat_use_cases import baccarat_config_set
from tests.support.copied_rounds import banker_player, banker_results, days_ago, rounds_copy
from tests.support.empty_pages import pages_empty
from tests.support.factories import partner_make, staff_make

pytestmark = pytest.mark.usefixtures("committed")


@pytest.fixture
def played(superuser: psycopg.Connection, committed: None) -> tuple[Partner, Partner]:
    """Two partners with 300 and 100 rounds of bets on the banker, on two days."""
    partners = partner_make(), partner_make()
    for number, (partner, count) in enumerate(zip(partners, (300, 100), strict=True)):
        player = banker_player(partner)
        results = banker_results(count, again=0, seed=number)
        half = count // 2
        rounds_copy(superuser, player, results[:half])
        rounds_copy(superuser, player, results[half:], at=lambda _: days_ago(3))
    superuser.execute("SET session_replication_role = replica")
    # One round began on the day before it ended, one has no session, and one partner's rounds have the channel mobile.
    # Those two have a wrong payout.
    late, browsed = superuser.execute(
        "SELECT id FROM game_round WHERE ended_at < now() - interval '1 day' AND payout > stake ORDER BY id LIMIT 2"
    ).fetchall()
    superuser.execute("UPDATE game_round SET started_at = ended_at - interval '1 day' WHERE id = %s", late)
    superuser.execute("UPDATE game_round SET session_id = NULL WHERE id = %s", browsed)
    superuser.execute("UPDATE game_session SET device = 'mobile' WHERE partner_id = %s", [partners[1].pk])
    superuser.execute(
        "UPDATE baccarat_game_record SET reward_amount = reward_amount - 1 WHERE round_id = ANY(%s)",
        [[late[0], browsed[0]]],
    )
    superuser.execute("UPDATE statistics_fold SET edge = NULL, candidate = NULL")
    superuser.execute("RESET session_replication_role")
    folded(timezone.now())
    return partners


def browser(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_a_slice_has_the_sums_of_its_rounds_and_exact_error_bars(played: tuple[Partner, Partner]) -> None:
    ours, theirs = played
    (both,) = laws_figures(StatSlice())
    assert both.mismatched == 2
    (mine,) = laws_figures(StatSlice(partners=[ours.pk]))
    assert (both.n, mine.n) == (402, 301)
    sums = mine.by_currency["FUN"]
    assert sum(sums.hits) == 301
    assert sums.stake == 301 * Decimal(10)
    deviation = float(mine.terms.deviation or 0)
    assert mine.observed is not None
    assert mine.observed.rtp == pytest.approx(float(sums.payout / sums.stake))
    assert mine.observed.half_width == pytest.approx(Z_95 * deviation / 301**0.5)
    assert mine.observed.effective_n == pytest.approx(301)
    lines = paytable_rows(mine.terms, mine.by_currency, StatSlice())
    assert sum(line.hits for line in lines) == 301
    assert sum(line.expected for line in lines) == pytest.approx(301)
    assert not any(line.is_outside for line in lines)
    parts = {(part.split, part.label): part.n for part in whiskers(both.key, both.terms, StatSlice())}
    assert parts["partner_id", ours.name] + parts["partner_id", theirs.name] == both.n
    assert parts["door", "token"] == both.n - 1
    assert parts["band", "4"] == both.n
    days = days_figures(both.key, both.terms, StatSlice())
    assert [day.n for day in days] == [200, 402]
    assert both.evidence is not None
    assert days[-1].evidence == pytest.approx(both.evidence / 2.302585092994046)
    assert laws_figures(StatSlice(since=days_ago(2).date(), until=days_ago(1).date())) == []


def test_each_role_sees_its_own_scope_and_a_figure_leads_to_its_rounds(played: tuple[Partner, Partner]) -> None:
    ours, theirs = played
    terms_key = next(iter(law_terms()))
    law = {"game": terms_key.game, "kind": "BaccaratGameBetOnBanker", "money": "play"}
    law["law"] = next(key.law for key in law_terms() if key.kind == law["kind"])
    for user, rounds, names in (
        (staff_make(Role.OPERATOR), "402", {ours.name, theirs.name}),
        (staff_make(Role.AUDITOR), "402", {ours.name, theirs.name}),
        (staff_make(Role.AUDITOR, partner=ours), "301", {ours.name}),
        (staff_make(Role.PARTNER_STAFF, partner=ours), "301", {ours.name}),
    ):
        client = browser(user)
        overview = client.get(reverse("admin:evidence"))
        page = unescape(overview.content.decode())
        (row,) = overview.context["rows"]
        assert f'<a href="{row["rounds_url"]}">{rounds}</a></td>' in page
        wrong_link = f'<a class="minus" href="{row["wrong_url"]}">{row["mismatched"]}</a></td>'
        assert (wrong_link in page) is (row["mismatched"] > 0)
        assert "Baccarat: Banker" in page
        assert ("The watch" in page) is (len(names) == 2)
        detail = client.get(reverse("admin:evidence_law"), law)
        text = unescape(detail.content.decode())
        assert {name for name in (ours.name, theirs.name) if f">{name}</" in text} == names
        assert '<svg class="whisker"' in text
        assert '<span title="UserWin">Won</span>' in text
        assert all(part["interval"].startswith("± ") for part in detail.context["parts"])
        assert " style=" not in text[text.index('id="content-main"') : text.index("</main>")]
        assert _figures_lead_to_their_rounds(client, detail.context) == int(rounds)
    one = browser(staff_make(Role.PARTNER_STAFF, partner=ours))
    _a_list_names_law_and_pay_table_in_scope(one, row["rounds_url"], ours)
    assert one.get(reverse("admin:evidence"), {"partner": theirs.pk}).status_code == 400
    assert one.get(reverse("admin:evidence_law"), law | {"law": "f" * 64}).status_code == 404


def test_auditors_first_page_has_the_evidence_by_law_and_the_worst_funnel(played: tuple[Partner, Partner]) -> None:
    ours, _ = played
    evidence_days_add()
    (whole,) = laws_figures(StatSlice())
    (closed,) = laws_figures(StatSlice(until=days_ago(3).date()))
    (mine,) = laws_figures(StatSlice(partners=[ours.pk]))
    for user, n, evidence, days in (
        (staff_make(Role.AUDITOR), closed.n, closed.evidence, [closed.n, whole.n]),
        (staff_make(Role.AUDITOR, partner=ours), mine.n, mine.evidence, [150, mine.n]),
    ):
        client = browser(user)
        page = client.get("/admin/")
        (law,) = page.context["laws"]
        assert (law["title"], law["n"], law["is_play"]) == ("Baccarat: Banker", n, True)
        assert law["evidence"] == pytest.approx(float(evidence or 0) / 2.302585092994046)
        funnel = page.context["funnel"]
        assert (funnel.title, [day["n"] for day in funnel.days]) == ("Baccarat: Banker", days)
        assert all(day["low_99"] < day["low_95"] < day["high_95"] < day["high_99"] for day in funnel.days)
        for url in (law["url"], *(day["url"] for day in funnel.days)):
            assert client.get(url).status_code == 200
    for role in (Role.OPERATOR, Role.PARTNER_STAFF):
        context = browser(staff_make(role)).get("/admin/").context
        assert (context["laws"], context["funnel"]) == ([], None)


def test_evidence_of_any_size_has_a_row_and_is_marked_from_amber_on() -> None:
    key = MoneyKey(LawKey("og-baccarat", "BaccaratGameBetTie", "0" * 64), is_play=False)
    rows = evidence_rows([LawEvidence(key, 10, evidence) for evidence in (50_000.0, 2.0, 1.99, -3.0)])
    assert [row["is_amber"] for row in rows] == [True, True, False, False]


def _a_list_names_law_and_pay_table_in_scope(client: Client, url: str, ours: Partner) -> None:
    shared = PayTable.objects.get(uses__partner=ours)
    baccarat_config_set(
        partner=partner_make(),
        currency_code="FUN",
        actor=Actor("test"),
        bet_min=Decimal(1),
        bet_max=Decimal(2),
        decks=6,
    )
    foreign = PayTable.objects.exclude(pk=shared.pk).latest("pk")
    for row, is_named in ((shared, True), (foreign, False)):
        page = " ".join(client.get(f"{url}&paytable={row.pk}").content.decode().split())
        assert (f"Baccarat {row.hash[:8]}" in page) is is_named
    assert "RTP 98.9421 %" in page


def _figures_lead_to_their_rounds(client: Client, law: Any) -> int:
    """Open every link of a law's page to the list of rounds, of which the rows count; return the number of all its
    rounds."""

    def listed(url: str) -> int:
        with pages_empty():
            page: Any = client.get(url)
        assert page.status_code == 200, url
        count: int = page.context_data["cl"].result_count
        return count

    sofar = 0
    for day in law["days"]:
        assert listed(day["url"]) == day["n"] - sofar, day
        sofar = day["n"]
    linked = [part for part in law["parts"] if part["url"]]
    assert {part["split"] for part in linked} >= {"channel", "device", "digits of the stake"}
    for _, line, url in law["lines"]:
        assert listed(url) == line.hits, line
    for part in linked:
        assert listed(part["url"]) == part["n"], part
    for amounts in law["amounts"]:
        assert str(listed(amounts["url"])) == amounts["n"]
    assert listed(law["rounds_url"]) == law["law"]["n"] == sofar
    assert listed(law["wrong_url"]) == law["law"]["mismatched"]
    return sofar


@pytest.mark.parametrize(
    "query", [{"since": "2026-02-02", "until": "2026-02-01"}, {"band": "x"}, {"channel": "x"}, {"currency": "no"}]
)
def test_a_wrong_slice_is_refused(query: dict[str, str]) -> None:
    answer = browser(staff_make(Role.AUDITOR)).get(reverse("admin:evidence"), query)
    assert answer.status_code == 400
