"""Dragon tiger in the back office: limits, odds with their edges, records and their export."""

import csv
import re
from io import StringIO

import pytest
from django.http import StreamingHttpResponse
from django.test import Client
from django.urls import reverse

from apps.accounts.models import Role
from apps.dragon_tiger.models import DragonTigerConfig, DragonTigerGameRecord
from tests.dragon_tiger.players import bet, is_tie, player_new, seeds_choose
from tests.support.factories import staff_make
from tests.support.office_browser import OfficeBrowser

pytestmark = pytest.mark.usefixtures("committed")


@pytest.fixture
def office() -> Client:
    """An operator's browser, after one bet on the dragon that ended in a tie."""
    player = player_new()
    seeds_choose(player, is_tie)
    bet(player, {"game_type": 1, "bet_amount": 10})
    browser = OfficeBrowser()
    browser.force_login(staff_make(Role.OPERATOR))
    return browser


def test_limits_and_odds_are_shown_with_house_edges(office: Client) -> None:
    config = DragonTigerConfig.objects.get()
    page = office.get(reverse("admin:dragon_tiger_dragontigerconfig_change", args=[config.pk])).content.decode()
    assert page.count("3.734940 %") == 2
    for edge in ("10.361446 %", "13.975904 %"):
        assert edge in page


def test_the_edge_of_new_odds_is_shown_before_they_are_saved(office: Client) -> None:
    config = DragonTigerConfig.objects.get()
    address = reverse("admin:dragon_tiger_dragontigerconfig_change_odds", args=[config.pk])
    sent = {"odds_1": "1", "odds_2": "1", "odds_3": "12.5", "odds_4": "50", "preview": "1"}
    page = office.post(address, sent).content.decode()
    edges = re.findall(r'<output id="edge-(\d)"[^>]*>.*?(-?[\d.]+) %( \(favours the player\))?', page)
    assert edges == [
        ("1", "3.734940", ""),
        ("2", "3.734940", ""),
        ("3", "-0.843373", " (favours the player)"),
        ("4", "13.975904", ""),
    ]
    assert config.odds_rows.get(game_type=3).odds == 11


def test_limits_are_changed_with_their_history(office: Client) -> None:
    config = DragonTigerConfig.objects.get()
    address = reverse("admin:dragon_tiger_dragontigerconfig_change_limits", args=[config.pk])
    assert office.post(address, {"bet_min": "2", "bet_max": "50", "decks": "6"}).status_code == 302
    config.refresh_from_db()
    assert (config.bet_min, config.bet_max, config.decks, config.version) == (2, 50, 6, 2)
    history = reverse("admin:dragon_tiger_dragontigerconfig_history", args=[config.pk])
    assert "bet max: 1000 &rarr; 50" in office.get(history).content.decode()


def test_a_record_shows_both_cards_and_is_exported(office: Client) -> None:
    record = DragonTigerGameRecord.objects.get()
    page = office.get(reverse("admin:dragon_tiger_dragontigergamerecord_change", args=[record.pk])).content.decode()
    for code in (*record.dragon_cards, *record.tiger_cards):
        assert f'title="{code}"' in page
    answer = office.get(reverse("admin:dragon_tiger_dragontigergamerecord_export"))
    assert isinstance(answer, StreamingHttpResponse)
    (row,) = csv.DictReader(StringIO(b"".join(answer.streaming_content).decode()))  # type: ignore[arg-type]
    assert (row["game_type"], row["bet_amount"], row["reward_amount"]) == ("DragonTigerGameBetDragon", "10", "5")
    assert [row["dragon_cards"], row["tiger_cards"]] == [*record.dragon_cards, *record.tiger_cards]
