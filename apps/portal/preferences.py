"""The choice of the language, and of an account's time zone."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from apps.accounts.selectors import log_in_of
from apps.accounts.services import user_preferences_set
from apps.core.errors import BadRequest
from apps.portal.forms import PreferencesForm
from apps.portal.languages import account_of, is_language, language_remember
from apps.portal.return_page import return_redirect


@require_POST
def language_choose(request: HttpRequest) -> HttpResponse:
    """Set the language of the browser, and of the log-in if there is one; return to the page."""
    code = request.POST.get("language", "")
    if not is_language(code):
        raise BadRequest(f"language: one of {', '.join(dict(settings.LANGUAGES))}", field="language")
    account = account_of(request)
    if account is not None:
        user_preferences_set(user=account, language=code, time_zone=account.time_zone)
    response = return_redirect(request)
    language_remember(response, code)
    return response


@require_http_methods(["GET", "POST"])
@never_cache
@login_required
def preferences(request: HttpRequest) -> HttpResponse:
    """The language and the time zone of the log-in."""
    user = log_in_of(request)
    now = {"language": user.language or translation.get_language(), "time_zone": user.time_zone}
    form = PreferencesForm(request.POST or None, initial=now)
    if request.method == "POST" and form.is_valid():
        user_preferences_set(user=user, **form.cleaned_data)
        response = redirect("preferences")
        language_remember(response, user.language)
        with translation.override(user.language):
            messages.success(request, _("Your preferences are saved."))
        return response
    return render(request, "portal/preferences.html", {"form": form})
