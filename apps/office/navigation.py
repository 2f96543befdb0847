"""The sidebar: the pages that the viewer may see, grouped by purpose."""

from collections.abc import Iterable
from functools import cache
from typing import Any, Final

from django.apps import apps
from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse

from apps.core.admin import viewer_of
from apps.core.office_html import headline
from apps.core.staff_scope import PARTNER_STAFF, may_enter
from apps.office.nightly_proof import may_reconcile
from apps.rounds.registry import games

GROUPS: Final = (
    (
        "Play",
        (
            ("tables.GameTable", "table_restaurant"),
            ("tables.TableRound", "style"),
            ("rounds.Round", "casino"),
            ("rounds.RoundVoid", "block"),
        ),
    ),
    (
        "Offer",
        (
            ("scheduled_changes.ScheduledChange", "event_upcoming"),
            ("paytables.PayTable", "list_alt"),
            ("evidence.RtpPublication", "public"),
        ),
    ),
    (
        "Money",
        (
            ("wallet.Wallet", "account_balance_wallet"),
            ("wallet.WalletTransaction", "receipt_long"),
            ("wallet.HouseAccount", "account_balance"),
            ("wallet.DailySeal", "verified"),
            ("core.Currency", "currency_exchange"),
        ),
    ),
    (
        "People",
        (
            ("accounts.Player", "group"),
            ("rounds.GameSession", "login"),
            ("tables.TableSession", "groups"),
            ("fairness.SeedPair", "key_vertical"),
            ("accounts.User", "badge"),
        ),
    ),
    (
        "Partners",
        (
            ("partners.Partner", "domain"),
            ("partners.ApiKey", "key"),
            ("partners.ApiKeyRequest", "swap_horiz"),
            ("statistics.PartnerZone", "schedule"),
        ),
    ),
    (
        "Oversight",
        (
            ("approvals.Approval", "how_to_reg"),
            ("switches.Switch", "power_settings_new"),
            ("evidence.EvidenceAlarm", "crisis_alert"),
            ("events.SignificantEvent", "notification_important"),
            ("events.EventThreshold", "tune"),
            ("audit.AuditEntry", "history"),
            ("staff_access.StaffAccess", "policy"),
            ("build.BuildCheck", "inventory"),
        ),
    ),
)
"""Titles of groups; models and their icons. The games' entries come first in their groups."""


def sidebar(request: HttpRequest) -> list[dict[str, Any]]:
    """Return unfold's sidebar for the viewer, who may not be logged in."""
    top = [
        _item("Dashboard", "dashboard", reverse("admin:index")),
        _item("Reports", "bar_chart", reverse("admin:reports")),
        _item("RTP evidence", "query_stats", reverse("admin:evidence")),
    ]
    viewer = viewer_of(request)
    if may_enter(viewer) and viewer.role == PARTNER_STAFF:
        top.append(_item("Set-up", "checklist", reverse("admin:partner_setup", args=[viewer.partner_id])))
    if may_reconcile(request.user):
        top.append(_item("Reconciliation", "fact_check", reverse("admin:reconcile")))
    groups = [
        {"title": title, "separator": True, "items": _model_items(request, (*_game_models(title), *models))}
        for title, models in GROUPS
    ]
    sections: list[dict[str, Any]] = [{"items": top}, *groups]
    _current_mark(request.path, [item for section in sections for item in section["items"]])
    return sections


def _current_mark(path: str, items: list[dict[str, Any]]) -> None:
    """Mark the one entry that the page belongs to. Unfold marks every entry whose address is a part of the page's."""
    index = reverse("admin:index")
    matching = [item["link"] for item in items if path.startswith(item["link"]) and item["link"] != index]
    current = max(matching, key=len, default=path)
    for item in items:
        item["active"] = item["link"] == current


def _game_models(title: str) -> list[tuple[str, str]]:
    entries = [entry for game in games() for entry in game.menu]
    return [(entry.model, entry.icon) for entry in entries if entry.group.value == title]


def _model_items(request: HttpRequest, models: Iterable[tuple[str, str]]) -> list[dict[str, Any]]:
    items = []
    for label, icon in models:
        model_admin = admin.site.get_model_admin(apps.get_model(label))
        if model_admin.has_view_permission(request):
            items.append(_item(headline(model_admin.opts.verbose_name_plural), icon, _list_url(label)))
    return items


@cache
def _list_url(label: str) -> str:
    """Return the address of a model's list. Each page has some fifty of them, and they never change."""
    opts = apps.get_model(label)._meta
    return reverse(f"admin:{opts.app_label}_{opts.model_name}_changelist")


def _item(title: str, icon: str, link: str) -> dict[str, Any]:
    return {"title": title, "icon": icon, "link": link}
