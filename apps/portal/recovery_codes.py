"""The pages of a second factor, for a log-in whose recovery codes cannot be decrypted: new ones can be made there.

django-allauth's pages decrypt the codes to count or to show them.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, Final, ParamSpec

from allauth.mfa import app_settings
from allauth.mfa.base.views import IndexView
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.recovery_codes.views import (
    GenerateRecoveryCodesView,
    download_recovery_codes,
    view_recovery_codes,
)
from django.contrib import messages
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.generic.edit import FormView

from apps.core.errors import Unavailable

Rest = ParamSpec("Rest")
CODES: Final = Authenticator.Type.RECOVERY_CODES


class _LostCodes(RecoveryCodes):
    """Recovery codes of which none can be used any more."""

    def generate_codes(self) -> list[str]:
        return [""] * app_settings.RECOVERY_CODE_COUNT

    def get_unused_codes(self) -> list[str]:
        return []


class FactorsPage(IndexView):
    """The list of a log-in's second factors."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**kwargs)
        codes = context["authenticators"].get(CODES)
        if codes and not _is_readable(codes):
            context["authenticators"][CODES] = _LostCodes(codes.instance)
            messages.error(self.request, _("Your recovery codes cannot be read. Generate new ones."))
        return context


class NewCodesPage(GenerateRecoveryCodesView):
    """The question whether to make new recovery codes. It warns of the loss of former ones that can still be used."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        if not _codes_are_readable(self.request.user):
            return FormView.get_context_data(self, **kwargs) | {"unused_code_count": 0}
        context: dict[str, Any] = super().get_context_data(**kwargs)
        return context


def _readable_codes_required(
    view: Callable[Concatenate[HttpRequest, Rest], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, Rest], HttpResponseBase]:
    """Lead to the list of second factors, which says so, if there are codes that cannot be read."""

    @wraps(view)
    def guarded(request: HttpRequest, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponseBase:
        return view(request, *args, **kwargs) if _codes_are_readable(request.user) else redirect("mfa_index")

    return guarded


codes_page = _readable_codes_required(view_recovery_codes)
codes_file = _readable_codes_required(download_recovery_codes)


def _codes_are_readable(user: AbstractBaseUser | AnonymousUser) -> bool:
    codes = Authenticator.objects.filter(user_id=user.pk, type=CODES).first()
    return codes is None or _is_readable(codes.wrap())


def _is_readable(codes: RecoveryCodes) -> bool:
    try:
        codes.generate_codes()
    except Unavailable:  # which the log has
        return False
    return True
