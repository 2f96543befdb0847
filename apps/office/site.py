"""The admin site: who comes in, and the pages that belong to no single table."""

from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.templatetags.static import static
from django.urls import URLPattern, path, reverse
from unfold.sites import UnfoldAdminSite

from apps.core.viewers import may_enter


class OfficeSite(UnfoldAdminSite):
    """Logs in through the portal's log-in alone, so that the second factor holds here too."""

    def register(self, model_or_iterable: Any, admin_class: Any = None, **options: Any) -> None:
        """Take our own pages alone: other packages' tables (second factors, groups) are not shown here."""
        if admin_class is not None and admin_class.__module__.startswith("apps."):
            super().register(model_or_iterable, admin_class, **options)

    def has_permission(self, request: HttpRequest) -> bool:
        """Say whether the log-in's role lets it in; Django's staff and superuser flags do not count."""
        return may_enter(request.user)

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Send to the log-in of the whole site; a player who is logged in already is refused."""
        if self.has_permission(request):
            return HttpResponseRedirect(reverse("admin:index"))
        if request.user.is_authenticated:
            raise PermissionDenied
        return redirect_to_login(request.GET.get("next") or reverse("admin:index"), reverse("account_login"))

    def password_change(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        return HttpResponseRedirect(reverse("account_change_password"))

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        """Leave the theme's colours out of the page, where they would be an inline style: see `colors`."""
        context: dict[str, Any] = super().each_context(request)
        return context | {"colors": {}}

    def colors(self, request: HttpRequest) -> HttpResponse:
        """Answer the theme's colours as a style sheet, for the policy allows styles in files alone."""
        values = {
            f"--color-{name}-{weight}": value
            for name, weights in self._get_colors("COLORS", request).items()
            for weight, value in weights.items()
        }
        values["--border-radius"] = self._get_config("BORDER_RADIUS", request)
        rules = "\n".join(f"  {name}: {value};" for name, value in values.items())
        # The theme's own sheet comes later in the page; html:root outweighs its :root.
        sheet = f"html:root {{\n{rules}\n}}\n"
        return HttpResponse(sheet, content_type="text/css", headers={"Cache-Control": "private, max-age=3600"})

    def extra_urls(self) -> list[URLPattern]:
        from apps.office import views  # noqa: PLC0415 - views import models, which are not loaded yet here

        return [
            path("colors.css", self.colors, name="colors"),
            path("reports/", self.admin_view(views.report), name="report"),
            path("reports/export/", self.admin_view(views.report_export), name="report_export"),
            path("reconcile/", self.admin_view(views.reconcile), name="reconcile"),
            path("rounds/<uuid:round_id>/replay/", self.admin_view(views.replay), name="replay"),
        ]


def stylesheet(_request: HttpRequest) -> str:
    """Return the address of our own styles, for unfold's STYLES."""
    return static("office/office.css")


def icon(_request: HttpRequest) -> str:
    """Return the address of the site's icon, for unfold's SITE_FAVICONS."""
    return static("portal/img/icon.svg")


def colors_stylesheet(_request: HttpRequest) -> str:
    """Return the address of the theme's colours, for unfold's STYLES."""
    return reverse("admin:colors")
