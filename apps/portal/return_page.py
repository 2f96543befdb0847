"""The page that a form names in `next`, to return to."""

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme


def return_redirect(request: HttpRequest, default: str = "lobby") -> HttpResponse:
    """Redirect to the page of this site in the form's `next`, or to the URL with the name `default`."""
    back = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(back, {request.get_host()}, require_https=request.is_secure())
    # Not by `redirect`, for which a text without a slash is a URL's name: one that there is not is an internal error.
    return HttpResponseRedirect(back if is_ours else reverse(default))
