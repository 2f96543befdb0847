"""The page that a form names in `next`, to return to."""

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme


def return_redirect(request: HttpRequest, default: str = "lobby") -> HttpResponse:
    """Redirect to the page of this site in the form's `next`, or to the URL with the name `default`."""
    page = request.POST.get("next", "")
    # Not by `redirect`, which takes a text without a slash for a URL's name, and fails if there is none.
    return HttpResponseRedirect(page if is_own_page(request, page) else reverse(default))


def is_own_page(request: HttpRequest, page: str) -> bool:
    """Return whether the address is one of this site."""
    return url_has_allowed_host_and_scheme(page, {request.get_host()}, require_https=request.is_secure())
