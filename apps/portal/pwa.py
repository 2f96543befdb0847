"""The portal as a progressive web app (PWA), which a browser can install: its manifest, its service worker, and the
offline page, which deals rounds again.

The service worker keeps `offline_files` alone, fetched without cookies: no page of a player and nothing about money.
"""

import re
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Final

from django.conf import settings
from django.contrib.staticfiles import finders
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from apps.rounds.registry import games

WORKER: Final = "portal/js/service-worker.js"
STYLES: Final = (
    *("portal/css/tokens.css", "portal/css/contrast/tokens.css", "portal/css/light/tokens.css"),
    *("portal/css/light-contrast/tokens.css", "portal/css/base.css", "portal/css/cards.css", "portal/css/pages.css"),
    "portal/css/verify.css",
)
BACKGROUND: Final = "#0b100e"
"""The same as the theme colour of every page (templates/portal/base.html)."""
IMAGES: Final = ("portal/img/icon.svg", "portal/img/icon-192.png")
_IMPORT: Final = re.compile(r"""^(?:import|export)\b[^;]*?["']([^"']+\.js)["']""", re.MULTILINE)


@require_GET
def manifest(_request: HttpRequest) -> HttpResponse:
    """The web app manifest."""
    icons = [
        {"src": static("portal/img/icon.svg"), "sizes": "any", "type": "image/svg+xml"},
        {"src": static("portal/img/icon-192.png"), "sizes": "192x192", "type": "image/png"},
        {"src": static("portal/img/icon-512.png"), "sizes": "512x512", "type": "image/png"},
        {"src": static("portal/img/icon-mask.png"), "sizes": "512x512", "type": "image/png", "purpose": "maskable"},
    ]
    body = {
        "id": "/",
        "name": "Punto",
        "short_name": "Punto",
        "start_url": reverse("lobby"),
        "scope": "/",
        "display": "standalone",
        "background_color": BACKGROUND,
        "theme_color": BACKGROUND,
        "icons": icons,
    }
    return JsonResponse(body, content_type="application/manifest+json")


@require_GET
@never_cache
def service_worker(_request: HttpRequest) -> HttpResponse:
    """The service worker. Its first line changes with the files that it keeps, and so a browser installs it again."""
    names = offline_files()
    digest = sha256("".join(f"{name}{_text(name)}" for name in names).encode()).hexdigest()
    return HttpResponse(f"// {digest}\n{_text(WORKER)}", content_type="text/javascript; charset=utf-8")


@require_GET
@never_cache
def offline_list(_request: HttpRequest) -> HttpResponse:
    """The addresses that the service worker keeps."""
    return JsonResponse({"urls": [reverse("offline"), *sorted(static(name) for name in offline_files())]})


@require_GET
def offline(request: HttpRequest) -> HttpResponse:
    """The offline page: rounds are dealt again in the browser alone. It has no player."""
    request.punto_page_player = None  # type: ignore[attr-defined]
    here = [{"id": game.id, "title": game.title, "redeal": static(f"{game.slug}/redeal.js")} for game in games()]
    return render(request, "portal/verify.html", {"games": here, "offline": True})


def offline_files() -> list[str]:
    """Return the names of the static files of the page, with every module that its scripts import."""
    found: dict[str, None] = dict.fromkeys((*STYLES, *IMAGES))
    waiting = ["portal/js/page.js", "portal/js/verify.js", *(f"{game.slug}/redeal.js" for game in games())]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found[name] = None
        waiting += [_imported(name, path) for path in _IMPORT.findall(_text(name))]
    return sorted(found)


def _imported(importer: str, path: str) -> str:
    if path.startswith(settings.STATIC_URL):
        return path.removeprefix(settings.STATIC_URL)
    parts: list[str] = []
    for part in (PurePosixPath(importer).parent / path).parts:
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


def _text(name: str) -> str:
    path = finders.find(name)
    assert isinstance(path, str), name
    return Path(path).read_bytes().decode("utf-8", "replace")
