"""Adapters of django-allauth, and its forms of the second factor.

A log-in that is locked after failures is refused at both steps: before its password and before its second factor.
"""

from contextlib import suppress
from typing import Any, ClassVar, Final

import structlog
from allauth.account.adapter import DefaultAccountAdapter, get_adapter
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.adapter import get_adapter as get_factor_adapter
from allauth.mfa.base.forms import AuthenticateForm, BaseAuthenticateForm, ReauthenticateForm
from allauth.mfa.models import Authenticator
from cryptography.fernet import InvalidToken
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from apps.accounts.factor_secrets import factor_secret_decrypt, factor_secret_encrypt
from apps.core.client_address import UNKNOWN, request_address
from apps.core.errors import Unavailable
from apps.core.staff_scope import may_enter
from apps.partners.models import Partner
from apps.staff_access.services import log_in_failed, log_in_is_locked, staff_named

MAIL_RETRY_S: Final = 60
NO_ADDRESS: Final = "::"

log = structlog.get_logger(__name__)


class AccountAdapter(DefaultAccountAdapter):
    """Allows sign-up if there is an active house."""

    error_messages: ClassVar = DefaultAccountAdapter.error_messages | {
        "too_many_login_attempts": _("Too many failed log-ins. Try again later."),
        "factor_unreadable": _("Your second factor cannot be checked. Ask the operator."),
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:  # noqa: ARG002 - allauth's signature
        return Partner.objects.filter(is_house=True, active=True).exists()

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        """Lead staff to the back office; the portal is for players."""
        if may_enter(request.user):
            return reverse("admin:index")
        url: str = super().get_login_redirect_url(request)
        return url

    def get_reauthentication_methods(self, user: AbstractBaseUser | AnonymousUser) -> list[dict[str, Any]]:
        """Offer staff with a second factor that factor alone: acts ask for it, and a password does not replace it."""
        methods: list[dict[str, Any]] = super().get_reauthentication_methods(user)
        factors = [method for method in methods if method["id"].startswith("mfa_reauthenticate")]
        return factors if factors and may_enter(user) else methods

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Refuse a log-in of staff that is locked after failures, also with the right password."""
        super().pre_authenticate(request, **credentials)
        if any(log_in_is_locked(user) for user in _staff_of(credentials)):
            raise self.validation_error("too_many_login_attempts")

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        """Count the failure of a log-in of staff."""
        super().authentication_failed(request, **credentials)
        for user in _staff_of(credentials):
            log_in_failed(user, request)

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send a mail while the page waits. Raises Unavailable if the mail server does not take it."""
        try:
            super().send_mail(template_prefix, email, context)
        except OSError as error:
            log.error("mail_not_sent", mail=template_prefix, error=type(error).__name__)  # noqa: TRY400
            raise Unavailable("mail cannot be sent now; try again later", retry_after_s=MAIL_RETRY_S) from None

    def is_safe_url(self, url: str | None) -> bool:
        """Return whether `next` is a page of this site. One that cannot be read, such as `http://[`, is none."""
        try:
            return bool(super().is_safe_url(url))
        except ValueError:
            return False

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the visitor's IP address for the limit of failed log-ins, as for every other limit.

        The column of addresses in the list of sessions accepts no word for an unknown address.
        """
        address = request_address(request)
        return NO_ADDRESS if address == UNKNOWN else address


class FactorAdapter(DefaultMFAAdapter):
    """Stores the secrets of second factors encrypted."""

    def encrypt(self, text: str) -> str:
        """Return what is stored."""
        return factor_secret_encrypt(text)

    def decrypt(self, encrypted_text: str) -> str:
        """Return the secret. Raises Unavailable, with a line in the log for the operator."""
        try:
            return factor_secret_decrypt(encrypted_text)
        except InvalidToken:
            log.error("second_factor_not_decrypted", why="PUNTO_SEED_KEY differs, or the row was altered")  # noqa: TRY400
            raise Unavailable("the second factor cannot be read") from None


class _LockedForm(BaseAuthenticateForm):
    """Takes no code of a locked log-in, not even the right one: its password may have been given before the lock."""

    def clean_code(self) -> str:
        if log_in_is_locked(self.user):
            raise get_adapter().validation_error("too_many_login_attempts")
        try:
            code: str = super().clean_code()
        except Unavailable:
            return self._readable_factor_check()
        return code

    def _readable_factor_check(self) -> str:
        """Check the code by the factors that can be decrypted: allauth stops at the first one that cannot.

        A code that they refuse is a failure. Without any there is nothing that the code could fail at.
        """
        code: str = self.cleaned_data["code"]
        refusing = None
        for factor in Authenticator.objects.filter(user=self.user).exclude(type=Authenticator.Type.WEBAUTHN):
            with suppress(Unavailable):
                if factor.wrap().validate_code(code):
                    factor.user = self.user
                    self.authenticator = factor
                    return code
                refusing = factor
        if refusing is None:
            raise get_adapter().validation_error("factor_unreadable")
        self._emit_authentication_failed(refusing)
        raise get_factor_adapter().validation_error("incorrect_code")


class FactorForm(_LockedForm, AuthenticateForm):
    """The second factor of a log-in."""


class FactorAgainForm(_LockedForm, ReauthenticateForm):
    """The second factor of somebody who is logged in, and shows it again."""


def _staff_of(credentials: dict[str, Any]) -> list[Any]:
    return staff_named(str(credentials.get("username") or credentials.get("email") or ""))
