"""How allauth fits this product."""

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest

from apps.partners.models import Partner


class AccountAdapter(DefaultAccountAdapter):
    """Sign-up is open as long as there is a house to play at."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:  # noqa: ARG002 - allauth's signature
        return Partner.objects.filter(is_house=True, active=True).exists()
