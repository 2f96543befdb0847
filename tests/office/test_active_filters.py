"""The filters of a list in words above it, each removed by one click."""

import re
from collections.abc import Callable
from html import unescape

from django.test import Client

from apps.statistics.models import PartnerZone
from tests.office.conftest import Casino
from tests.office.queries import list_path, refused

LogIn = Callable[[str], Client]


def shown(browser: Client, name: str, query: str) -> dict[str, str]:
    """Return the words of each filter above a list, with the query that its link leads to."""
    page = browser.get(f"{list_path(name)}?{query}")
    assert page.status_code == 200, query
    found = re.search(r'<ul class="office-filters".*?</ul>', page.content.decode(), re.DOTALL)
    links = re.findall(r'href="\?([^"]*)"[^>]*>(.*?)</a>', unescape(found[0]), re.DOTALL) if found else []
    texts = ((query, re.sub(r"<span.*?</span>|<.*?>", "", words).strip()) for query, words in links)
    return {words: query for query, words in texts}


def test_each_filter_in_use_is_named_and_its_link_leaves_the_others(log_in: LogIn, ours: Casino) -> None:
    partner, player = f"partner__id__exact={ours.partner.pk}", f"player__id__exact={ours.player.pk}"
    days, game = "started_at_from=2026-01-01&started_at_to=2026-01-31", "game=og-baccarat"
    operator = log_in("operator")
    assert shown(operator, "rounds_round", "o=1") == {}
    assert shown(operator, "rounds_round", f"{partner}&{game}&{days}&{player}&o=1&q=a") == {
        f"partner: {ours.partner.name}": f"{game}&{days}&{player}&o=1&q=a",
        "game: Baccarat": f"{partner}&{days}&{player}&o=1&q=a",
        "started at: 2026-01-01 to 2026-01-31": f"{partner}&{game}&{player}&o=1&q=a",
        f"player: {ours.player}": f"{partner}&{game}&{days}&o=1&q=a",
        "Remove all filters": "o=1&q=a",
    }
    assert shown(operator, "rounds_round", "ended_at_to=2026-01-31") == {"ended at: up to 2026-01-31": ""}
    assert "digits of the stake: 3 in smallest units" in shown(operator, "rounds_round", "digits=3")
    assert shown(operator, "events_significantevent", "kind__exact=large_win") == {"kind: large win": ""}


def test_a_filter_that_needs_another_is_removed_with_it(log_in: LogIn, ours: Casino) -> None:
    asked = f"partner__id__exact={ours.partner.pk}&zone=Asia/Tokyo"
    PartnerZone.objects.create(partner=ours.partner, zone="Asia/Tokyo", from_day="2100-01-01", by="test")
    assert shown(log_in("operator"), "rounds_round", asked) == {
        f"partner: {ours.partner.name}": "",
        "days in: Asia/Tokyo": f"partner__id__exact={ours.partner.pk}",
        "Remove all filters": "",
    }


def test_a_zone_of_the_former_partner_becomes_utc(
    log_in: LogIn, ours: Casino, casino_new: Callable[[], Casino]
) -> None:
    theirs = casino_new().partner
    PartnerZone.objects.create(partner=ours.partner, zone="Asia/Tokyo", from_day="2100-01-01", by="test")
    operator, rounds = log_in("operator"), list_path("rounds_round")
    for partner, name in ((str(theirs.pk), theirs.name), ("", "")):
        answer = operator.get(rounds, {"partner__id__exact": partner, "zone": "Asia/Tokyo", "state": "open"})
        assert answer.status_code == 302
        assert answer["Location"] == f"?partner__id__exact={partner}&zone=UTC&state=open"
        filters = shown(operator, "rounds_round", answer["Location"].removeprefix("?"))
        assert "days in: UTC" in filters
        assert (f"partner: {name}" in filters) == bool(partner)
    of_partner = log_in("partner_staff").get(rounds, {"zone": "Europe/Berlin"})
    assert (of_partner.status_code, of_partner["Location"]) == (302, "?zone=UTC")
    made_up = {"partner__id__exact": theirs.pk, "zone": "Europe/Atlantis"}
    assert refused(operator.get(rounds, made_up), "zone")
    assert refused(operator.get(f"{rounds}?zone=Asia/Tokyo&zone=Asia/Tokyo"), "zone")


def test_no_name_out_of_scope_is_told(log_in: LogIn, ours: Casino, casino_new: Callable[[], Casino]) -> None:
    theirs = casino_new()
    words = shown(log_in("partner_staff"), "rounds_round", f"player__id__exact={theirs.player.pk}")
    assert words == {f"player: {theirs.player.pk}": ""}
