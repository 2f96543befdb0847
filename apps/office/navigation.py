"""The sidebar: what the viewer may see, by what people come for."""

from typing import Any, Final

from django.apps import apps
from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse

from apps.office.reconciliation import may_reconcile

GROUPS: Final = (
    (
        "Play",
        (("baccarat.BaccaratGameRecord", "playing_cards"), ("rounds.Round", "casino"), ("rounds.RoundVoid", "block")),
    ),
    (
        "Offer",
        (
            ("baccarat.BaccaratConfig", "tune"),
            ("baccarat.BaccaratOddsConfig", "percent"),
            ("blackjack.BlackjackConfig", "tune"),
            ("blackjack.BlackjackTerms", "rule"),
        ),
    ),
    (
        "Money",
        (
            ("wallet.Wallet", "account_balance_wallet"),
            ("wallet.WalletTransaction", "receipt_long"),
            ("wallet.HouseAccount", "account_balance"),
            ("wallet.DailySeal", "verified"),
        ),
    ),
    (
        "People",
        (
            ("accounts.Player", "group"),
            ("rounds.GameSession", "login"),
            ("fairness.SeedPair", "key_vertical"),
            ("partners.Partner", "domain"),
            ("partners.ApiKey", "key"),
            ("accounts.User", "badge"),
            ("audit.AuditEntry", "history"),
            ("core.Currency", "currency_exchange"),
        ),
    ),
)
"""Titles of groups; models and their icons."""


def sidebar(request: HttpRequest) -> list[dict[str, Any]]:
    """Return unfold's sidebar for the viewer; unfold asks it for everybody, also where nobody is logged in."""
    top = [
        _item("Dashboard", "dashboard", reverse("admin:index")),
        _item("Reports", "bar_chart", reverse("admin:report")),
    ]
    if may_reconcile(request.user):
        top.append(_item("Reconciliation", "fact_check", reverse("admin:reconcile")))
    groups = [{"title": title, "separator": True, "items": _model_items(request, models)} for title, models in GROUPS]
    return [{"items": top}, *groups]


def _model_items(request: HttpRequest, models: tuple[tuple[str, str], ...]) -> list[dict[str, Any]]:
    items = []
    for label, icon in models:
        model_admin = admin.site.get_model_admin(apps.get_model(label))
        if model_admin.has_view_permission(request):
            opts = model_admin.opts
            url = reverse(f"admin:{opts.app_label}_{opts.model_name}_changelist")
            title = str(opts.verbose_name_plural)
            items.append(_item(title[0].upper() + title[1:], icon, url))
    return items


def _item(title: str, icon: str, link: str) -> dict[str, Any]:
    return {"title": title, "icon": icon, "link": link}
