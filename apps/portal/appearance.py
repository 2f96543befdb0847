"""Light or dark pages, and their contrast: as in the reader's system, or as chosen at the bottom of a page.

The choice is in two cookies, so that the first byte of a page has it and nothing flashes. A page in a partner's frame
has no cookie and follows the system.
"""

from dataclasses import dataclass
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST

from apps.core.errors import BadRequest
from apps.portal.languages import WITHOUT_COOKIES
from apps.portal.return_page import return_redirect

THEME_COOKIE: Final = "punto_theme"
CONTRAST_COOKIE: Final = "punto_contrast"
AS_SYSTEM: Final = "system"
THEMES: Final = (AS_SYSTEM, "light", "dark")
CONTRASTS: Final = (AS_SYSTEM, "more", "normal")
ALWAYS: Final = "all"
KEPT_S: Final = 365 * 24 * 3600
_LIGHT_SYSTEM: Final = "(prefers-color-scheme: light)"
_CONTRAST_SYSTEM: Final = "(prefers-contrast: more)"


@dataclass(frozen=True, slots=True)
class Appearance:
    """The appearance of a page: the choices, and for each additional file of colours the media query it applies to.

    With an empty query the file never applies, and the page does not link it.
    """

    theme: str = AS_SYSTEM
    contrast: str = AS_SYSTEM

    @property
    def light(self) -> str:
        return {AS_SYSTEM: _LIGHT_SYSTEM, "light": ALWAYS}.get(self.theme, "")

    @property
    def more_contrast(self) -> str:
        return {AS_SYSTEM: _CONTRAST_SYSTEM, "more": ALWAYS}.get(self.contrast, "")

    @property
    def light_contrast(self) -> str:
        both = [query for query in (self.light, self.more_contrast) if query != ALWAYS]
        return " and ".join(both) or ALWAYS if self.light and self.more_contrast else ""


def appearance_of(request: HttpRequest) -> Appearance:
    """Return the page's appearance for the request's reader."""
    if request.path_info.startswith(WITHOUT_COOKIES):
        return Appearance()
    theme, contrast = request.COOKIES.get(THEME_COOKIE, ""), request.COOKIES.get(CONTRAST_COOKIE, "")
    return Appearance(
        theme if theme in THEMES else AS_SYSTEM,
        contrast if contrast in CONTRASTS else AS_SYSTEM,
    )


@require_POST
def appearance_choose(request: HttpRequest) -> HttpResponse:
    """Remember theme and contrast in the browser; return to the page."""
    theme, contrast = request.POST.get("theme", ""), request.POST.get("contrast", "")
    if theme not in THEMES:
        raise BadRequest(f"theme: one of {', '.join(THEMES)}", field="theme")
    if contrast not in CONTRASTS:
        raise BadRequest(f"contrast: one of {', '.join(CONTRASTS)}", field="contrast")
    response = return_redirect(request)
    for name, value in ((THEME_COOKIE, theme), (CONTRAST_COOKIE, contrast)):
        response.set_cookie(name, value, max_age=KEPT_S, secure=request.is_secure(), httponly=True, samesite="Lax")
    return response
