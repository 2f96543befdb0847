"""Many bundles of every game: both verifiers accept each one, and refuse it with a byte changed."""

import random
from contextlib import ExitStack
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from apps.bundles.services import bundle_files
from apps.rounds.game_sessions import game_session_open
from apps.rounds.models import Round
from apps.rounds.registry import games
from apps.rounds.services import seeds_rotate
from apps.tables.registry import table_games
from apps.wallet.signing import public_keys
from tests.bundles.test_bundle import sealed
from tests.contract.players import player_of
from tests.support.bundle_page import BundlePage, texts_of
from tests.support.chromium import kept_chromium
from tests.support.factories import partner_make, player_make
from tests.support.long_form import IS_LONG
from tests.support.offers import games_offer
from tests.support.table_play import PlayedTable
from tests.support.tables import players_make, table_make

pytestmark = pytest.mark.usefixtures("committed")

PLAYERS = 300 if IS_LONG else 1
ROUNDS = 10 if IS_LONG else 1
"""The number of rounds of each player and game."""
TABLES, TABLE_ROUNDS = (10, 20) if IS_LONG else (1, 1)
"""The numbers of tables and of their rounds for each game, with two seats: 10,200 bundles in the long form."""
IN_BROWSER = 400 if IS_LONG else 2
"""Bundles that the page checks too."""


def rounds_play() -> None:
    """Play rounds of every game, alone and at tables, reveal their seeds, and seal them."""
    chance = random.Random(39)
    partner = partner_make()
    games_offer(partner)
    for number in range(PLAYERS):
        player = player_make(balance=Decimal(1000), partner=partner)
        for game in games():
            _, token = game_session_open(player=player, game=game.id, currency_code="FUN")
            for _ in range(ROUNDS):
                player_of(game).play(token, chance)
        seeds_rotate(player=player, client_seed=f"another-{number}")
    for game_type in [*table_games()] * TABLES:
        table_partner, players = players_make(2)
        table = PlayedTable(table_make(table_partner, game_type=game_type, currency="FUN", window_s=30), players)
        for _ in range(TABLE_ROUNDS):
            table.round_play(amount=1, action=chance.choice(["stand", "hit", "double_down", "split"]))
    sealed()


def test_bundles_of_every_game_hold_in_both_verifiers_and_none_with_a_byte_changed(
    tmp_path: Path, verifier: Any
) -> None:
    rounds_play()
    (key,) = public_keys().values()
    chance, browser = random.Random(40), kept_chromium.open()
    pages: dict[str, BundlePage] = {}
    played = list(Round.objects.filter(how_ended="played").order_by("pk").values_list("pk", "game"))
    assert len(played) == len(games()) * (PLAYERS * ROUNDS + 2 * TABLES * TABLE_ROUNDS)
    with ExitStack() as opened:
        for number, (pk, game) in enumerate(played):
            files = bundle_files(round_id=pk)
            for name, content in files.items():
                (tmp_path / name).write_bytes(content)
            program_check(verifier, tmp_path, key, chance)
            if number < IN_BROWSER:
                if game not in pages:
                    pages[game] = opened.enter_context(BundlePage(browser, tmp_path / "verify.html"))
                page_check(pages[game], files["verify.html"].decode(), key, chance)


def program_check(verifier: Any, folder: Path, key: str, chance: random.Random) -> None:
    """Check that the program accepts the bundle, and refuses it with a byte changed: in one file in the long form, in
    each file in the short form."""
    lines = verifier.bundle_check(folder, key)
    assert "NOT CHECKED" not in " ".join(lines)
    assert "to what was paid" in lines[1]
    paths = sorted(folder.iterdir())
    for path in [chance.choice(paths)] if IS_LONG else paths:
        whole = path.read_bytes()
        place = chance.randrange(len(whole))
        path.write_bytes(whole[:place] + bytes([whole[place] ^ chance.randrange(1, 256)]) + whole[place + 1 :])
        with pytest.raises((verifier.Wrong, OSError, ValueError, KeyError, TypeError, AttributeError)):
            verifier.bundle_check(folder, key)
        path.write_bytes(whole)


def page_check(page: BundlePage, html: str, key: str, chance: random.Random) -> None:
    """Check the same of the page's texts."""
    texts = texts_of(html)
    found = page.check(texts, key=key)
    assert "NOT CHECKED" not in found
    assert "to what was paid" in found
    for name in [chance.choice(sorted(texts))] if IS_LONG else sorted(texts):
        whole = texts[name]
        place = chance.randrange(len(whole))
        altered = whole[:place] + chr(ord(whole[place]) ^ chance.randrange(1, 128)) + whole[place + 1 :]
        assert page.check(texts | {name: altered}, key=key).startswith("WRONG"), (name, place)
