"""The offer on the log-in page to play at a live table as a guest, for visitors who follow an invitation."""

from urllib.parse import urlsplit

from django.http import HttpRequest
from django.urls import Resolver404, resolve

from apps.partners.models import Partner
from apps.portal.authentication import page_player_of
from apps.portal.guests import PLAY_MONEY
from apps.portal.return_page import is_own_page
from apps.tables.selectors import tables_of


def guest_page(request: HttpRequest) -> str:
    """Return the page of live tables for which the visitor is to log in, if a guest of the house may play there; else
    an empty text."""
    page = request.POST.get("next") or request.GET.get("next", "")
    if not is_own_page(request, page):
        return ""
    try:
        match = resolve(urlsplit(page).path)
    except Resolver404:
        return ""
    if match.url_name not in ("live-tables", "live-table") or page_player_of(request) is not None:
        return ""
    house = Partner.objects.filter(is_house=True, active=True).first()
    if house is None:
        return ""
    if match.url_name == "live-tables":
        return page
    found = tables_of(partner_id=house.pk, currency_code=PLAY_MONEY, table_ids=[match.kwargs["table_id"]])
    return page if any(table.is_open for table in found) else ""
