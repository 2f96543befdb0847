"""The registry of games: games are found by their folders, have unique ids and slugs, and are not named outside their
folders."""

import re
from decimal import Decimal
from pathlib import Path

import pytest
from django.conf import settings
from importlinter.contracts.layers import LayerField

from apps.core.errors import NotFound
from apps.rounds.documents import action_names, asyncapi_document, bet_names
from apps.rounds.game_spec import DemoOffer, GameOffer
from apps.rounds.registry import game_at, game_ids, game_of, games
from casino.celery import app
from tests.support.factories import partner_make
from tests.support.game_layers import layers_with_games

ROOT = Path(__file__).parents[2]
FOLDERS = sorted(path.parent.name for path in ROOT.glob("apps/*/game.py"))
CODE = ("apps", "casino", "docker", "static", "templates")
FILES = ("Makefile", "manage.py", "pyproject.toml")
OF_NAMED_GAMES = ("casino/bench", "apps/blackjack/migrations/0003_default_currency")
"""The benchmark measures games by name; an old migration filled a column from two tables."""


def test_each_folder_with_a_game_py_is_a_game() -> None:
    assert {"baccarat", "blackjack"} <= set(FOLDERS)
    assert [f"apps.{folder}" for folder in FOLDERS] == settings.GAME_APPS
    assert [game.slug for game in games()] == FOLDERS
    assert [game.explanation.__module__ for game in games()] == [f"apps.{folder}.explain" for folder in FOLDERS]


def test_ids_slugs_and_titles_are_unique() -> None:
    for names in (game_ids(), [game.slug for game in games()], [game.title for game in games()]):
        assert len(set(names)) == len(FOLDERS)
    for game in games():
        assert game_of(game.id) is game_at(game.slug) is game
        assert re.fullmatch(r"[a-z_]+", game.slug)
        assert len(game.id) <= 20  # the column's width


@pytest.mark.parametrize("name", ["", "og-poker", "Baccarat", "og-baccarat\x00"])
def test_an_unknown_game_is_not_found(name: str) -> None:
    with pytest.raises(NotFound):
        game_of(name)
    with pytest.raises(NotFound):
        game_at(name)


def test_scheduled_tasks_of_games_are_in_the_schedule() -> None:
    titles = {title for game in games() for title in game.schedule}
    assert titles
    assert titles <= set(app.conf.beat_schedule)


def test_the_documents_have_every_game_s_parts() -> None:
    for game in games():
        assert set(game.documents.bets) <= set(bet_names())
        assert set(game.documents.actions) <= set(action_names())
        if game.documents.asyncapi is not None:
            assert game.documents.asyncapi()["channels"].items() <= asyncapi_document()["channels"].items()


def test_the_import_contract_puts_all_games_on_one_layer_as_independent_siblings() -> None:
    texts = layers_with_games(["apps.office", "the games", "apps.rounds"])
    assert (texts[0], texts[2]) == ("apps.office", "apps.rounds")
    layer = LayerField().parse(texts[1])
    assert {tail.name for tail in layer.module_tails} == {f"apps.{folder}" for folder in FOLDERS}
    assert layer.is_independent


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_code_outside_its_folder_names_a_game(folder: str) -> None:
    own = re.compile(rf"apps/{folder}/")
    paths = [path for top in CODE for path in sorted((ROOT / top).rglob("*")) if path.suffix not in {".pyc", ".mo"}]
    words, named = folder.replace("_", "[ _-]?"), []
    for path in [*paths, *(ROOT / name for name in FILES)]:
        name = path.relative_to(ROOT).as_posix()
        if path.is_file() and not own.match(name) and not name.startswith(OF_NAMED_GAMES):
            text = path.read_text(errors="replace")
            named += [f"{name}: {found}" for found in re.findall(words, text, re.IGNORECASE)]
    assert named == []


@pytest.mark.django_db
def test_house_edges_are_those_of_offered_bets() -> None:
    partner = partner_make()
    for game in games():
        assert (game.offer(partner.pk, "FUN"), list(game.house_edges(partner.pk, "FUN"))) == (None, [])
        game.demo_offer(
            DemoOffer(partner=partner, currency_code="FUN", bet_min=Decimal(2), bet_max=Decimal(50), actor="test")
        )
        assert game.offer(partner.pk, "FUN") == GameOffer(bet_min=Decimal(2), bet_max=Decimal(50))
        assert game.offer(partner.pk, "EUR") is None
        edges = game.house_edges(partner.pk, "FUN")
        assert {edge.bet for edge in edges} <= set(game.documents.bets)
        assert all(edge.edge is not None and 0 < edge.edge < Decimal("0.2") for edge in edges)
