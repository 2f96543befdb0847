"""Saving and removing filters of lists."""

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.urls import reverse

from apps.accounts.selectors import log_in_of
from apps.search.services import may_list, saved_filter_make, saved_filter_remove


def filter_save(request: HttpRequest, listing: str) -> HttpResponse:
    """Keep a list's filters under a name, and show the list with them."""
    if not may_list(request, listing):
        raise PermissionDenied
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    saved = saved_filter_make(
        owner=log_in_of(request),
        listing=listing,
        name=request.POST.get("name", ""),
        query=request.POST.get("query", ""),
        is_shared="is_shared" in request.POST,
    )
    return HttpResponseRedirect(f"{reverse(f'admin:{listing}_changelist')}?{saved.query}")


def filter_remove(request: HttpRequest, saved_id: int) -> HttpResponse:
    """Remove one of the log-in's own filters."""
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    listing = saved_filter_remove(owner=log_in_of(request), saved_id=saved_id)
    if listing is None:
        raise Http404
    return HttpResponseRedirect(reverse(f"admin:{listing}_changelist"))
