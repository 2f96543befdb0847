"""The page that a form names in `next`, to return to."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme


def return_redirect(request: HttpRequest, default: str = "lobby") -> HttpResponse:
    """Redirect to the page of this site in the form's `next`, or to the URL with the name `default`."""
    back = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(back, {request.get_host()}, require_https=request.is_secure())
    return redirect(back if is_ours else default)
