"""Authentication of a partner's system: `Authorization: Bearer <key>`.

A key's revocation, expiry and IP addresses are checked by `api_key_use` (services.py).
"""

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from apps.core.api import bearer_of
from apps.core.client_address import request_address
from apps.core.errors import AuthenticationFailed, Refused, ScopeMissing
from apps.core.rate_limits import limit_check
from apps.events.authentication_failures import key_refusal_count
from apps.partners.models import ApiKey, Scope
from apps.partners.request_log import request_key_note
from apps.partners.services import api_key_find, api_key_use


class PartnerKeyAuthentication(BaseAuthentication):
    """`request.auth` is the `ApiKey`, `request.auth.partner` the partner. Without a valid key: 401; a key that may
    not be used from the caller's address: 403.

    A key may make `PUNTO_KEY_REQUESTS_PER_S` requests a second, then 429.
    """

    def authenticate(self, request: Request) -> tuple[AnonymousUser, ApiKey]:
        text = bearer_of(request.META.get("HTTP_AUTHORIZATION", ""))
        if text is None:
            raise AuthenticationFailed("an API key is expected: Authorization: Bearer <key>")
        address = request_address(request._request)
        found = api_key_find(text)
        if found is not None:
            request_key_note(request._request, found)
        try:
            key = api_key_use(found, address=address)
        except (AuthenticationFailed, Refused):
            key_refusal_count(address=address)
            raise
        limit_check(kind="key", who=key.pk, per_s=settings.PUNTO_KEY_REQUESTS_PER_S)
        return AnonymousUser(), key

    def authenticate_header(self, _request: Request) -> str:
        return "Bearer"


class _KeyHasScope(BasePermission):
    scope: Scope

    def has_permission(self, request: Request, _view: APIView) -> bool:
        key: ApiKey = request.auth  # type: ignore[assignment]
        if self.scope not in key.scopes:
            raise ScopeMissing(f"this API key does not have the scope {self.scope.value!r}")
        return True


class MayConfigure(_KeyHasScope):
    """Limits, odds and rules."""

    scope = Scope.CONFIGURE


class MayOpenSessions(_KeyHasScope):
    """Players and their sessions."""

    scope = Scope.SESSIONS


class MayMoveFunds(_KeyHasScope):
    """Deposits and withdrawals."""

    scope = Scope.WALLETS


class MayRead(_KeyHasScope):
    """Wallets, rounds, reports."""

    scope = Scope.READ


class PartnerKeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """The API key in the OpenAPI document."""

    target_class = PartnerKeyAuthentication
    name = "partnerKey"

    def get_security_definition(self, _auto_schema: object) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": "A partner's API key."}
