"""The manifest, the icons, the service worker and the offline page over HTTP."""

import json
import re
import struct
from pathlib import Path

import pytest
from django.test import Client

from apps.portal.pwa import offline_files
from apps.rounds.registry import games
from tests.support.factories import player_make, user_make

pytestmark = pytest.mark.django_db

STATIC = Path(__file__).parents[2] / "static"


def png_size(data: bytes) -> str:
    width, height = struct.unpack(">II", data[16:24])
    return f"{width}x{height}"


def test_the_manifest_names_icons_of_the_stated_sizes(client: Client) -> None:
    answer = client.get("/manifest.webmanifest")
    assert answer["Content-Type"] == "application/manifest+json"
    manifest = answer.json()
    assert (manifest["start_url"], manifest["scope"], manifest["display"]) == ("/", "/", "standalone")
    pictures = [icon for icon in manifest["icons"] if icon["type"] == "image/png"]
    assert [icon["sizes"] for icon in pictures] == ["192x192", "512x512", "512x512"]
    assert {icon.get("purpose") for icon in pictures} == {None, "maskable"}
    for icon in pictures:
        data = (STATIC / icon["src"].removeprefix("/static/")).read_bytes()
        assert data.startswith(b"\x89PNG")
        assert png_size(data) == icon["sizes"]
    assert any(icon["type"] == "image/svg+xml" for icon in manifest["icons"])
    page = client.get("/").content.decode()
    assert '<link rel="manifest" href="/manifest.webmanifest">' in page
    assert f'<meta name="theme-color" content="{manifest["theme_color"]}">' in page


def test_the_service_worker_is_never_cached_and_changes_with_its_files(client: Client) -> None:
    answer = client.get("/service-worker.js")
    assert answer["Content-Type"].startswith("text/javascript")
    assert "no-store" in answer["Cache-Control"]
    assert re.match(rb"// [0-9a-f]{64}\n", answer.content)


def test_only_static_files_and_the_offline_page_are_kept(client: Client) -> None:
    urls = client.get("/offline/files").json()["urls"]
    assert urls[0] == "/offline/"
    assert all(url.startswith("/static/") for url in urls[1:])
    assert {f"/static/{game.slug}/redeal.js" for game in games()} <= set(urls)
    assert {f"/static/{name}" for name in offline_files()} == set(urls[1:])


def test_the_list_has_every_file_that_the_page_asks_for(client: Client) -> None:
    urls = set(client.get("/offline/files").json()["urls"])
    page = client.get("/offline/").content.decode()
    asked = set(re.findall(r'(?:src|href)="(/static/[^"]+)"', page))
    redeals = {game["redeal"] for game in json.loads(re.findall(r"<script id=\"[^\"]+\"[^>]*>(.*?)</script>", page)[0])}
    assert len(asked) > 5
    assert asked | redeals <= urls


def test_the_offline_page_has_no_player(client: Client) -> None:
    user = user_make()
    player_make(user=user)
    client.force_login(user)
    page = client.get("/offline/").content.decode()
    assert "data-balance" not in page
    assert "data-state-url" not in page
    assert "There is no connection" in page
