"""Blackjack's limits and terms, each with what the house keeps under them."""

import json
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import RelatedDropdownFilter
from unfold.decorators import action, display

from apps.blackjack.models import BlackjackConfig, BlackjackTerms
from apps.core.admin import amount_text
from apps.core.config_history import HistoryAdmin
from apps.core.tables import link_html, table_html

STATUS_LABELS = {"active": "success", "pending": "warning", "inactive": "info"}


@admin.register(BlackjackConfig)
class BlackjackConfigAdmin(HistoryAdmin):
    partner_path = "partner_id"
    list_display = ["id", "partner", "currency", "state", "bets", "perfect_pairs", "poker", "version", "changed"]
    list_select_related = ["partner", "currency"]
    list_filter = [("partner", RelatedDropdownFilter)]
    fields = [
        "partner",
        "currency",
        "state",
        "bets",
        "perfect_pairs",
        "poker",
        "version",
        "created",
        "changed",
        "terms_table",
    ]
    actions_detail = ["changes"]

    @display(description="status", label=STATUS_LABELS)
    def state(self, config: BlackjackConfig) -> str:
        return "active" if config.active else "inactive"

    @display(description="stakes")
    def bets(self, config: BlackjackConfig) -> str:
        return f"{amount_text(config.bet_min, config.currency)} to {amount_text(config.bet_max, config.currency)}"

    @display(description="perfect pairs")
    def perfect_pairs(self, config: BlackjackConfig) -> str:
        if not config.perfect_pairs_max:
            return "off"
        low, high = config.perfect_pairs_min, config.perfect_pairs_max
        return f"{amount_text(low, config.currency)} to {amount_text(high, config.currency)}"

    @display(description="21+3 poker")
    def poker(self, config: BlackjackConfig) -> str:
        if not config.poker_max:
            return "off"
        return f"{amount_text(config.poker_min, config.currency)} to {amount_text(config.poker_max, config.currency)}"

    @display(description="rules and odds")
    def terms_table(self, config: BlackjackConfig) -> SafeString:
        return table_html(
            ("terms", "status", "house edge", "perfect pairs", "poker", "reason"),
            [
                (
                    link_html("blackjack_blackjackterms", terms.pk, terms),
                    terms.get_status_display(),
                    edge_text(terms.house_edge),
                    edge_text(terms.perfect_pairs_edge),
                    edge_text(terms.poker_edge),
                    terms.reason or "-",
                )
                for terms in config.terms.order_by("-id")[:20]
            ],
        )

    @action(description="History", icon="history")
    def changes(self, request: HttpRequest, object_id: str) -> HttpResponse:
        config: BlackjackConfig = self.object_or_404(request, object_id)
        return HttpResponseRedirect(reverse("admin:blackjack_blackjackconfig_history", args=[config.pk]))

    def history_rows(self, obj: BlackjackConfig) -> list[Any]:
        return [obj, *obj.terms.all()]


@admin.register(BlackjackTerms)
class BlackjackTermsAdmin(HistoryAdmin):
    partner_path = "config__partner_id"
    list_display = ["id", "partner", "state", "main_edge", "pairs_edge", "poker_edge_text", "reason", "changed"]
    list_select_related = ["config__partner"]
    list_filter = [("config__partner", RelatedDropdownFilter)]
    fields = [
        "id", "config", "state", "main_edge", "pairs_edge", "poker_edge_text", "reason", "confirmed_by", "rules_text",
        "pairs_odds_text", "poker_odds_text", "fingerprint", "created", "changed",
    ]  # fmt: skip
    actions_detail = ["changes"]

    @display(description="partner")
    def partner(self, terms: BlackjackTerms) -> str:
        return str(terms.config.partner)

    @display(description="status", label=STATUS_LABELS)
    def state(self, terms: BlackjackTerms) -> str:
        return terms.get_status_display()

    @display(description="house edge")
    def main_edge(self, terms: BlackjackTerms) -> str:
        return edge_text(terms.house_edge)

    @display(description="perfect pairs")
    def pairs_edge(self, terms: BlackjackTerms) -> str:
        return edge_text(terms.perfect_pairs_edge)

    @display(description="21+3 poker")
    def poker_edge_text(self, terms: BlackjackTerms) -> str:
        return edge_text(terms.poker_edge)

    @display(description="rules")
    def rules_text(self, terms: BlackjackTerms) -> SafeString:
        return format_html("<pre>{}</pre>", json.dumps(terms.rules, indent=1))

    @display(description="odds of perfect pairs")
    def pairs_odds_text(self, terms: BlackjackTerms) -> SafeString:
        return table_html(("outcome", "X to 1"), list(terms.perfect_pairs_odds.items()))

    @display(description="odds of 21+3 poker")
    def poker_odds_text(self, terms: BlackjackTerms) -> SafeString:
        return table_html(("outcome", "X to 1"), list(terms.poker_odds.items()))

    @action(description="History", icon="history")
    def changes(self, request: HttpRequest, object_id: str) -> HttpResponse:
        terms: BlackjackTerms = self.object_or_404(request, object_id)
        return HttpResponseRedirect(reverse("admin:blackjack_blackjackterms_history", args=[terms.pk]))


def edge_text(edge: Any) -> str:
    """Return what the house keeps of a stake, in percent."""
    return "being computed" if edge is None else f"{100 * edge:.4f} %"
