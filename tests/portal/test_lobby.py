"""The lobby: the texts of its tiles, their order, and the number of queries."""

from dataclasses import replace
from decimal import Decimal
from typing import Any, cast
from uuid import uuid4

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.accounts.actors import Actor
from apps.accounts.favourites import MAX_FAVOURITES, favourite_set, favourites_of
from apps.accounts.models import Player, PlayerFavourite
from apps.baccarat.models import BaccaratConfig
from apps.core.errors import Refused
from apps.portal.guests import guest_open
from apps.portal.lobby import PlayerTile, lobby_facts
from apps.rounds.game_sessions import game_session_open
from apps.rounds.models import Round
from apps.rounds.registry import games
from apps.rounds.services import player_open
from apps.switches.models import Switch, SwitchScope
from apps.switches.services import switch_off_by_platform
from apps.tables.models import GameTable
from apps.tables.table_creation import RoomOptions, partner_table_create
from tests.office.rows import round_make
from tests.support.baccarat_use_cases import baccarat_config_set
from tests.support.blackjack import blackjack_offer
from tests.support.factories import partner_make, user_make

pytestmark = pytest.mark.django_db


@pytest.fixture
def player() -> Player:
    house = partner_make(is_house=True)
    user = user_make()
    return player_open(partner=house, reference=user.username, currency_code="FUN", user=user)


@pytest.fixture
def browser(client: Client, player: Player) -> Client:
    client.force_login(player.user)  # type: ignore[arg-type]
    return client


def baccarat_offered(player: Player) -> BaccaratConfig:
    return baccarat_config_set(partner=player.partner, actor=Actor("test"), bet_min=Decimal(2), bet_max=Decimal(1500))


def live_table(player: Player, name: str, **wish: Any) -> GameTable:
    return partner_table_create(
        partner=player.partner,
        actor="test",
        options=RoomOptions(game_type="baccarat", currency_code="FUN", name=name, **wish),
    )


def lobby(client: Client, player: Player) -> tuple[str, list[PlayerTile]]:
    """Return the page with fresh facts, which are otherwise cached for seconds, and its tiles."""
    cache.delete(f"lobby:{player.partner_id}:FUN")
    answer: Any = client.get("/")
    return " ".join(answer.content.decode().split()), answer.context["tiles"]


def test_the_front_page_promises_no_number_of_bets(client: Client, player: Player) -> None:
    baccarat_offered(player)
    page = client.get("/").content.decode()
    assert "bead plate and big road" in page
    assert "ten bets" not in page


def test_a_tile_has_limits_best_rtp_players_and_the_player_s_last_results(browser: Client, player: Player) -> None:
    page, tiles = lobby(browser, player)
    assert page.count("Not offered in FUN at the moment") == len(games()) == len(tiles)
    for tile in tiles:
        assert browser.post("/lobby/favourite", {"tile": tile.facts.name, "on": "1"}).status_code == 200
    assert 'class="tile-foot"' not in page
    config = baccarat_offered(player)
    page, _ = lobby(browser, player)
    assert page.count("Not offered in FUN at the moment") == page.count('class="tile-off"') == len(games()) - 1
    for text in ("<dd>2 to 1,500 FUN</dd>", "<dd>98.94 %</dd>", "<dt>Playing now</dt><dd>0</dd>"):
        assert text in page
    made = [round_make(player, config).round for _ in range(3)]
    page, tiles = lobby(browser, player)
    assert "<dt>Playing now</dt><dd>1</dd>" in page
    expected = ["win" if each.payout > each.stake else "loss" if not each.payout else "push" for each in made]
    assert list(next(tile for tile in tiles if tile.facts.name == "game-baccarat").results) == expected


def test_a_tile_leads_back_to_an_open_round(browser: Client, player: Player) -> None:
    config = baccarat_offered(player)
    played = round_make(player, config).round
    page, _ = lobby(browser, player)
    assert ("Sit down" in page, "Continue the round" in page) == (True, False)
    Round.objects.create(
        partner=played.partner,
        player=player,
        currency=played.currency,
        game=played.game,
        seed_pair=played.seed_pair,
        nonce=played.nonce + 1,
        config_version=played.config_version,
        stake=1,
        balance_before=1,
        balance_after=0,
    )
    page, tiles = lobby(browser, player)
    assert ("Sit down" in page, "Continue the round" in page) == (False, True)
    assert [tile.facts.name for tile in tiles if tile.is_open] == ["game-baccarat"]


def test_live_tables_stand_beside_solo_games_but_private_and_foreign_ones_do_not(
    browser: Client, player: Player
) -> None:
    table = live_table(player, "Salon bleu", seats=2)
    live_table(player, "Hidden", is_private=True)
    live_table(player_open(partner=partner_make(), reference="x", currency_code="FUN"), "Elsewhere")
    page, tiles = lobby(browser, player)
    assert [tile.facts.title for tile in tiles if tile.facts.is_live] == ["Salon bleu"]
    assert f'href="/tables/{table.pk}/"' in page
    assert "0 of 2" in page
    assert "98.94 %" in page
    assert ("Hidden" in page, "Elsewhere" in page) == (False, False)


@pytest.mark.parametrize(
    ("language", "signs"), [("en", ["P", "=", "B"]), ("fr", ["J", "=", "B"]), ("ja", ["プ", "=", "バ"])]
)
def test_the_results_of_a_live_table_are_letters_of_the_page_s_language(
    browser: Client, player: Player, language: str, signs: list[str]
) -> None:
    live_table(player, "Salon")
    facts = lobby_facts(player.partner_id, "FUN")
    tiles = [replace(each, results=("player", "tie", "banker")) for each in facts.tiles if each.is_live]
    cache.set(f"lobby:{player.partner_id}:FUN", replace(facts, tiles=tuple(tiles)))
    answer: Any = browser.get("/", headers={"Accept-Language": language})
    assert [tile.results for tile in answer.context["tiles"]] == [signs]
    assert f"<b>{signs[0]}</b> <b>=</b> <b>{signs[2]}</b>" in answer.content.decode()
    listed: Any = browser.get("/tables/", headers={"Accept-Language": language})
    names = listed.context["page"]["games"]["baccarat"]["bets"]
    assert [names["player"][0], names["banker"][0]] == [signs[0], signs[2]]


def test_favourites_come_first_then_what_was_played_recently(browser: Client, player: Player) -> None:
    table = live_table(player, "Salon")
    baccarat_offered(player)
    blackjack_offer(player.partner)
    round_make(player, BaccaratConfig.objects.get())
    answer = browser.post("/lobby/favourite", {"tile": f"table-{table.pk}", "on": "1"})
    assert answer.json() == {"favourites": [f"table-{table.pk}"]}
    _, tiles = lobby(browser, player)
    assert [tile.facts.name for tile in tiles][:2] == [f"table-{table.pk}", "game-baccarat"]
    assert [(tile.is_favourite, tile.is_recent) for tile in tiles][:2] == [(True, False), (False, True)]
    browser.post("/lobby/favourite", {"tile": f"table-{table.pk}", "on": "0"})
    _, tiles = lobby(browser, player)
    assert tiles[0].facts.name == "game-baccarat"
    assert not PlayerFavourite.objects.exists()


def test_favourite_tables_that_are_gone_make_room_for_others(browser: Client, player: Player) -> None:
    """The lobby does not show them, so nobody could forget them, and after a hundred there was no further favourite."""
    tiles = ["game-baccarat", *(f"table-{uuid4()}" for _ in range(MAX_FAVOURITES - 1))]
    PlayerFavourite.objects.bulk_create(PlayerFavourite(player=player, tile=tile) for tile in tiles)
    wanted = f"table-{live_table(player, 'Salon').pk}"
    cache.delete(f"lobby:{player.partner_id}:FUN")
    for _ in range(2):
        assert browser.post("/lobby/favourite", {"tile": wanted, "on": "1"}).status_code == 200
    assert favourites_of(player) == [tiles[0], *tiles[2:], wanted]
    PlayerFavourite.objects.all().delete()
    games_shown = [f"game-{number}" for number in range(MAX_FAVOURITES)]
    PlayerFavourite.objects.bulk_create(PlayerFavourite(player=player, tile=tile) for tile in games_shown)
    with pytest.raises(Refused):
        favourite_set(player=player, tile=wanted, is_on=True, shown=games_shown)


def test_a_guest_s_favourites_are_left_to_the_browser(client: Client, player: Player) -> None:
    guest = guest_open()
    session = client.session
    session["guest_player"] = guest.pk
    session.save()
    page, _ = lobby(client, player)
    assert "data-favourite-url" not in page
    assert client.post("/lobby/favourite", {"tile": "game-baccarat", "on": "1"}).status_code == 403


def test_the_browser_s_favourites_are_asked_for_once_after_a_sign_up(client: Client, player: Player) -> None:
    password = "open sesame 99"
    client.post("/accounts/signup/", {"username": "bob", "password1": password, "password2": password})
    assert [lobby(client, player)[0].count(" data-takes-favourites") for _ in range(2)] == [1, 0]
    client.post("/accounts/logout/")
    client.post("/accounts/login/", {"login": "bob", "password": password})
    page = lobby(client, player)[0]
    assert ("data-favourite-url" in page, "data-takes-favourites" in page) == (True, False)


@pytest.mark.parametrize("tile", ["", "game-", "table-1", "game-baccarat\n", "x" * 60])
def test_a_favourite_is_the_name_of_a_tile(browser: Client, tile: str) -> None:
    assert browser.post("/lobby/favourite", {"tile": tile, "on": "1"}).status_code == 400


def test_a_tile_that_a_launch_link_does_not_open_says_so(client: Client, player: Player) -> None:
    baccarat_offered(player)
    blackjack_offer(player.partner)
    token = game_session_open(player=player, game="og-baccarat", currency_code="FUN")[1]
    client.get(f"/launch/?game_session_id={token}")
    page, _ = lobby(client, player)
    assert page.count('class="tile-off">Your link does not open this game.') == len(games()) - 1
    assert 'class="button primary" href="/play/baccarat/"' in page
    assert 'class="button primary" href="/play/blackjack/"' not in page


OFF = "New bets are switched off here for now. Your balance is safe."


def test_what_is_switched_off_says_so_on_its_tile_and_at_its_table(browser: Client, player: Player) -> None:
    """Each switch closes what the trigger refuses, and the other tables stay open."""
    config = baccarat_offered(player)
    blackjack_offer(player.partner)
    table, other = live_table(player, "Salon"), live_table(player, "Other")
    points = partner_table_create(
        partner=player.partner,
        actor="test",
        options=RoomOptions(game_type="baccarat", currency_code=None, name="Points"),
    )
    solo, live = {"game-baccarat", "game-blackjack"}, {f"table-{table.pk}", f"table-{other.pk}"}
    baccarat = {"game-baccarat", *live}
    paytable = str(BaccaratConfig.objects.get(pk=config.pk).paytable_id)
    cases: list[tuple[SwitchScope, str, set[str]]] = [
        (SwitchScope.TABLE, str(table.pk), {f"table-{table.pk}"}),
        (SwitchScope.PAY_TABLE, paytable, baccarat),  # tables that pay alike share it
        (SwitchScope.GAME, "og-baccarat", baccarat),
        (SwitchScope.PLAYER, str(player.pk), solo | live),
        (SwitchScope.PARTNER, str(player.partner_id), solo | live),
        (SwitchScope.EVERYTHING, "", solo | live),
    ]
    for scope, key, stopped in cases:
        switch_off_by_platform(scope=scope, key=key, reason="a test", component="a test")
        page, tiles = lobby(browser, player)
        assert {tile.facts.name for tile in tiles if tile.is_off and tile.facts.bet_min} == stopped, scope
        assert page.count(f'class="tile-off">{OFF}') == len(stopped)
        assert f'href="/tables/{points.pk}/"' in page
        for slug in ("baccarat", "blackjack"):
            state = browser.get(f"/play/{slug}/table").json()
            assert (state["isOpen"], state["isOff"]) == (True, f"game-{slug}" in stopped), (scope, slug)
        shown: Any = browser.get("/tables/")
        assert {f"table-{table_id}" for table_id in shown.context["page"]["off"]} == stopped & live, scope
        Switch.objects.update(is_off=False)
    assert 'class="tile-off">New' not in lobby(browser, player)[0]
    switch_off_by_platform(scope=SwitchScope.TABLE, key=str(table.pk), reason="a test", component="a test")
    assert [
        answer.context["page"]["off"]
        for row in (table, other)
        if (answer := cast("Any", browser.get(f"/tables/{row.pk}/")))
    ] == [[str(table.pk)], []]
    assert f'role="alert">{OFF}' not in browser.get("/play/baccarat/").content.decode()
    switch_off_by_platform(scope=SwitchScope.EVERYTHING, key="", reason="a test", component="a test")
    assert f'role="alert">{OFF}' in browser.get("/play/baccarat/").content.decode()


def test_any_number_of_tiles_takes_the_same_queries_and_the_cache_saves_most(browser: Client, player: Player) -> None:
    baccarat_offered(player)
    live_table(player, "One")
    lobby(browser, player)  # queries that a process makes once
    counts = []
    for _ in range(2):
        with CaptureQueriesContext(connection) as seen:
            lobby(browser, player)
        counts.append(len(seen))
        for number in range(6):
            live_table(player, f"More {number}")
    with CaptureQueriesContext(connection) as seen:
        tiles = browser.get("/").context["tiles"]
    assert counts[0] == counts[1]
    assert len(seen) <= counts[0] - len(games())
    assert len(tiles) == len(games()) + 7  # the figures of the last time, since the facts are cached
