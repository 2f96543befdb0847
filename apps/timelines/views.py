"""The page of a timeline."""

from datetime import UTC, datetime

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone

from apps.core.admin import viewer_of
from apps.core.query_parameters import parameter_refused, takes_query
from apps.core.subjects import row_in_words
from apps.timelines.entries import timeline_page
from apps.timelines.subjects import sources_of, subject_of


@takes_query("until")
def timeline(request: HttpRequest, kind: str, key: str) -> HttpResponse:
    """The history of one player, wallet, round, configuration, partner or log-in, newest first."""
    row = subject_of(request, kind, key)
    page = timeline_page(sources_of(row, viewer_of(request)), until=until_asked(request))
    opts = row._meta
    name = row_in_words(row)
    context = {
        **admin.site.each_context(request),
        "title": f"Timeline of {name}",
        "back": reverse(f"admin:{opts.app_label}_{opts.model_name}_change", args=[row.pk]),
        "back_text": name,
        "page": page,
        "older": "" if page.older_until is None else page.older_until.isoformat(),
    }
    return TemplateResponse(request, "office/timeline.html", context)


def until_asked(request: HttpRequest) -> datetime:
    """Return the start time of the requested page. Raises BadRequest."""
    text = request.GET.get("until")
    if text is None:
        return timezone.now()
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise parameter_refused("until", "this is no time; write it as 2026-01-31T12:00:00+00:00") from error
    return found if found.tzinfo else found.replace(tzinfo=UTC)
