"""Adapter of django-allauth."""

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest

from apps.core.visitors import request_address
from apps.partners.models import Partner


class AccountAdapter(DefaultAccountAdapter):
    """Allows sign-up if there is an active house."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:  # noqa: ARG002 - allauth's signature
        return Partner.objects.filter(is_house=True, active=True).exists()

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the visitor's IP address for the limit of failed log-ins, as for every other limit."""
        return request_address(request)
