"""The offer on the log-in page to sit down at a live table as a guest: who follows an invitation has no account yet."""

from urllib.parse import urlsplit

from django.http import HttpRequest
from django.urls import Resolver404, resolve

from apps.partners.models import Partner
from apps.portal.access import page_player_of
from apps.portal.guests import PLAY_MONEY
from apps.tables.selectors import tables_of


def guest_page(request: HttpRequest) -> str:
    """Return the page of live tables for which the visitor is to log in, if a guest of the house may play there; else
    an empty text."""
    page = request.POST.get("next") or request.GET.get("next", "")
    try:
        match = resolve(urlsplit(page).path)
    except (Resolver404, ValueError):
        return ""
    if match.url_name not in ("live-tables", "live-table") or page_player_of(request) is not None:
        return ""
    house = Partner.objects.filter(is_house=True, active=True).first()
    if house is None:
        return ""
    if match.url_name == "live-tables":
        return page
    table_id = match.kwargs["table_id"]
    is_open = tables_of(partner_id=house.pk, currency_code=PLAY_MONEY, table_ids=[table_id])
    return page if is_open else ""
