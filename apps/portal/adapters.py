"""How allauth fits this product."""

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest

from apps.core.visitors import request_address
from apps.partners.models import Partner


class AccountAdapter(DefaultAccountAdapter):
    """Sign-up is open as long as there is a house to play at."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:  # noqa: ARG002 - allauth's signature
        return Partner.objects.filter(is_house=True, active=True).exists()

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the address that failed log-ins count against, as every other limit's."""
        return request_address(request)
