"""The admin site: access, allowed queries, and the pages that do not belong to one table."""

from collections.abc import Callable
from functools import cache, partial, wraps
from http import HTTPStatus
from typing import Any

from django.apps import apps
from django.contrib import admin
from django.contrib.admin.exceptions import NotRegistered
from django.contrib.admin.views.autocomplete import AutocompleteJsonView
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import ImproperlyConfigured, PermissionDenied, SuspiciousOperation
from django.core.paginator import InvalidPage
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect, QueryDict
from django.template.response import SimpleTemplateResponse, TemplateResponse
from django.templatetags.static import static
from django.urls import URLPattern, path, reverse
from django.utils.functional import SimpleLazyObject
from django.views.decorators.common import no_append_slash
from unfold.settings import get_config
from unfold.sites import UnfoldAdminSite

from apps.core.actor_names import shown_actors_for
from apps.core.api import error_headers
from apps.core.errors import MAX_ECHO_CHARS, BadRequest, DomainError, Refused
from apps.core.exports import ListExport
from apps.core.filters import RelatedSearchFilter
from apps.core.form_acts import FormAct
from apps.core.list_admin import list_faults, search_check
from apps.core.query_parameters import (
    checks_query,
    page_check,
    parameter_refused,
    parameters_of,
    query_check,
    takes_query,
)
from apps.core.staff_scope import may_enter
from apps.office.export_audit import export_record
from apps.office.single_use import form_answer, form_answered
from apps.office.staff_sessions import end_tell, session_refuse, session_state
from apps.staff_access.recorded_pages import page_access_record

UNUSED_PAGES = frozenset({"view_on_site"})
"""Unused pages of Django's admin. This one would show any row of any table to every user."""


class OfficeSite(UnfoldAdminSite):
    """Uses only the portal's login, so that the second factor is required here too."""

    def register(self, model_or_iterable: Any, admin_class: Any = None, **options: Any) -> None:
        """Register only our own pages: other packages' tables (second factors, groups) are not shown.

        Raises ImproperlyConfigured for an admin whose list could filter by more than it declares.
        """
        if admin_class is None or not admin_class.__module__.startswith("apps."):
            return
        for model in [model_or_iterable] if isinstance(model_or_iterable, type) else model_or_iterable:
            faults = list(list_faults(model, admin_class))
            if options or faults:
                raise ImproperlyConfigured(
                    f"{admin_class.__name__} of {model.__name__}: {'; '.join(faults) or 'options are set in the class'}"
                )
        super().register(model_or_iterable, admin_class)

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        """Check the query before the view is called, and answer refusals with a page.

        Who sends a form after the log-out in another tab reads that it was not saved.
        """
        checked = super().admin_view(self._answering(view), cacheable)

        @wraps(checked)
        def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if request.method == "POST" and not request.user.is_authenticated:
                end_tell(request)
            response: HttpResponseBase = checked(request, *args, **kwargs)
            return response

        return answer

    def _answering(self, view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
        taken = parameters_of(view)

        @wraps(view)
        def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if self.has_permission(request) and (refused := session_refuse(request)):
                return refused
            with shown_actors_for(request.user):
                try:
                    if taken is not None:
                        query_check(request.GET, taken)
                    response = view(request, *args, **kwargs)
                except DomainError as refusal:
                    response = self.refusal_page(request, refusal)
                except PermissionDenied:
                    response = self.refusal_page(request, Refused("this log-in may not do that; nothing was changed"))
                except SuspiciousOperation:
                    # Django's own page contains the traceback if DEBUG is on. Our page reads the query too, which may
                    # be the cause: it is emptied.
                    request.GET = QueryDict()
                    response = self.refusal_page(request, BadRequest("the request cannot be read"))
                if isinstance(response, SimpleTemplateResponse):
                    response.render()  # here, where names are told to this viewer; Django would do so later
            page_access_record(request, response)
            return response

        return answer

    def refusal_page(self, request: HttpRequest, refusal: DomainError) -> HttpResponse:
        """Return the page that explains a refusal."""
        context = {
            **self.each_context(request),
            "title": HTTPStatus(refusal.http_status).phrase,
            "message": refusal.message,
            "path": request.path if isinstance(refusal, BadRequest) and len(request.path) <= MAX_ECHO_CHARS else "",
        }
        return TemplateResponse(
            request, "office/refusal.html", context, status=refusal.http_status, headers=error_headers(refusal)
        )

    def form_answer(self, request: HttpRequest, act: FormAct) -> HttpResponse:
        """Carry out the act of a form once; sent again, the form gets the first answer. Raises DomainError."""
        return form_answer(request, act)

    def form_answered(self, request: HttpRequest) -> HttpResponse | None:
        """Return the first answer of a form that was sent before, else None. Raises DomainError."""
        return form_answered(request)

    def export_record(self, request: HttpRequest, export: ListExport) -> None:
        """Write the export of a list into the audit."""
        export_record(request, export)

    def get_urls(self) -> list[Any]:
        return [pattern for pattern in super().get_urls() if getattr(pattern, "name", None) not in UNUSED_PAGES]

    def has_permission(self, request: HttpRequest) -> bool:
        """Return whether the user's role has access; Django's staff and superuser flags do not count."""
        return may_enter(request.user)

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Redirect to the site's login; a logged-in player is refused."""
        if self.has_permission(request):
            return HttpResponseRedirect(reverse("admin:index"))
        if request.user.is_authenticated:
            raise PermissionDenied
        return redirect_to_login(request.GET.get("next") or reverse("admin:index"), reverse("account_login"))

    def password_change(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        return HttpResponseRedirect(reverse("account_change_password"))

    @takes_query("s", "extended", "page")
    def search(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Find pages of the back office by name."""
        page_check("page", request.GET.get("page"))
        search_check("s", request.GET.get("s", ""))
        try:
            found: HttpResponse = super().search(request, extra_context)
        except InvalidPage as error:
            raise parameter_refused("page", "there is no such page") from error
        return found

    @takes_query("app_label", "model_name", "field_name", "term", "page")
    def autocomplete_view(self, request: HttpRequest) -> HttpResponseBase:
        """Find rows for a filter of a list."""
        return FilterAutocompleteView.as_view(admin_site=self)(request)

    @checks_query
    @no_append_slash
    def catch_all_view(self, request: HttpRequest, url: str) -> HttpResponse:
        """Answer 404, or redirect to the address with a final slash, which then checks the query."""
        answer: HttpResponse = super().catch_all_view(request, url)
        return answer

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> Any:
        """Return the list when it is first read: most pages only pass it on, and it asks every list who may see it."""
        return SimpleLazyObject(partial(super().get_app_list, request, app_label))

    def get_sidebar_list(self, request: HttpRequest) -> Any:
        """Return the sidebar when it is first read, for the same reason."""
        return SimpleLazyObject(partial(super().get_sidebar_list, request))

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        """Omit the theme's colours, which would be an inline style: see `colors`."""
        context: dict[str, Any] = super().each_context(request)
        return context | {"colors": {}}

    def _get_config(self, key: str, *args: Any) -> Any:
        """Read the theme's settings from one copy: unfold merges them anew for each of thirty values of a page."""
        value = theme_settings().get(key)
        return self._get_value(value, *args) if value else None

    def colors(self, request: HttpRequest) -> HttpResponse:
        """Return the theme's colours as a style sheet, because the content policy allows styles only in files."""
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
        from apps.bundles import views as bundles  # noqa: PLC0415
        from apps.dashboards.partner_setup import partner_setup  # noqa: PLC0415
        from apps.dashboards.system import system  # noqa: PLC0415
        from apps.evidence import office as evidence_pages  # noqa: PLC0415
        from apps.office import views  # noqa: PLC0415 - views import models, which are not loaded yet here
        from apps.player_files import views as player_files  # noqa: PLC0415
        from apps.search import views as search  # noqa: PLC0415
        from apps.timelines import views as timelines  # noqa: PLC0415

        return [
            *evidence_pages.urls(),
            path("colors.css", self.colors, name="colors"),
            path("session/", self.admin_view(session_state), name="session"),
            path("reports/", self.admin_view(views.reports), name="reports"),
            path("reports/kept/", self.admin_view(views.reports_kept), name="reports_kept"),
            path("reports/kept/<int:kept_id>/", self.admin_view(views.report_kept), name="report_kept"),
            path("reports/<slug:name>/", self.admin_view(views.report), name="report"),
            path("reports/<slug:name>/print/", self.admin_view(views.report_print), name="report_print"),
            path("reports/<slug:name>/<slug:form>/", self.admin_view(views.report_export), name="report_export"),
            path("system/", self.admin_view(system), name="system"),
            path("reconcile/", self.admin_view(views.reconcile), name="reconcile"),
            path("rounds/<uuid:round_id>/replay/", self.admin_view(views.replay), name="replay"),
            path("table-rounds/<uuid:round_id>/replay/", self.admin_view(views.table_replay), name="table_replay"),
            path("rounds/<uuid:round_id>/bundle/", self.admin_view(bundles.round_bundle), name="round_bundle"),
            path("partners/<int:partner_id>/setup/", self.admin_view(partner_setup), name="partner_setup"),
            path("players/<int:player_id>/file/", self.admin_view(player_files.player_file), name="player_file"),
            path("players/<int:player_id>/note/", self.admin_view(player_files.player_note), name="player_note"),
            path("filters/<slug:listing>/save/", self.admin_view(search.filter_save), name="filter_save"),
            path("filters/<int:saved_id>/remove/", self.admin_view(search.filter_remove), name="filter_remove"),
            path("timelines/<str:kind>/<str:key>/", self.admin_view(timelines.timeline), name="timeline"),
        ]


@cache
def theme_settings() -> dict[str, Any]:
    """Return the settings of unfold with its defaults."""
    merged: dict[str, Any] = get_config()
    return merged


class FilterAutocompleteView(AutocompleteJsonView):
    """Autocompletes the search filters of lists that the viewer may see. Django's own does so for any foreign key."""

    def process_request(self, request: HttpRequest) -> Any:
        page_check("page", request.GET.get("page"))
        search_check("term", request.GET.get("term", ""))
        if not self._is_filter(request):
            raise parameter_refused("field_name", "no list has such a search filter")
        return super().process_request(request)

    def _is_filter(self, request: HttpRequest) -> bool:
        try:
            model = apps.get_model(request.GET.get("app_label", ""), request.GET.get("model_name", ""))
            listing = admin.site.get_model_admin(model)
        except (LookupError, NotRegistered):
            return False
        if not listing.has_view_permission(request):
            return False
        return (request.GET.get("field_name", ""), RelatedSearchFilter) in listing.get_list_filter(request)


def stylesheet(_request: HttpRequest) -> str:
    """Return the address of our own styles, for unfold's STYLES."""
    return static("office/office.css")


def icon(_request: HttpRequest) -> str:
    """Return the address of the site's icon, for unfold's SITE_FAVICONS."""
    return static("portal/img/icon.svg")


def colors_stylesheet(_request: HttpRequest) -> str:
    """Return the address of the theme's colours, for unfold's STYLES."""
    return reverse("admin:colors")
