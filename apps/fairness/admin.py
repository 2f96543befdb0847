"""Seed pairs: they show the commitment, the server seed only if it is revealed, and never the encrypted one."""

from collections.abc import Mapping
from typing import Any

from django.contrib import admin
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.decorators import display

from apps.core.admin import OfficeAdmin
from apps.core.filters import ChoiceFilter
from apps.core.office_html import link_html, time_html
from apps.fairness.models import SeedPair


@admin.register(SeedPair)
class SeedPairAdmin(OfficeAdmin):
    partner_path = "player__partner_id"
    linked_lookups = frozenset({"player__id__exact"})
    list_display = [
        "id",
        "player_link",
        "state",
        "commitment_short",
        "client_seed",
        "next_nonce",
        "created",
        "revealed",
    ]
    list_select_related = ["player"]
    list_filter = [("status", ChoiceFilter)]
    fields = [
        "id", "player_link", "state", "commitment_text", "seed_text", "client_seed", "client_seed_chosen", "next_nonce",
        "created", "revealed",
    ]  # fmt: skip
    search_fields = ["commitment"]
    search_help_text = "A commitment, or a player's whole reference"

    def search_lookup(self, term: str) -> Mapping[str, Any] | None:
        return {"commitment": term.lower()} if len(term) == 64 else {"player__reference": term}

    @display(description="player", ordering="player")
    def player_link(self, pair: SeedPair) -> SafeString:
        return link_html("accounts_player", pair.player_id, pair.player)

    @display(description="state", label={"next": "info", "active": "success", "revealed": "warning"})
    def state(self, pair: SeedPair) -> str:
        return pair.status

    @display(description="revealed (UTC)")
    def revealed(self, pair: SeedPair) -> SafeString:
        return time_html(pair.revealed_at)

    @display(description="commitment")
    def commitment_short(self, pair: SeedPair) -> SafeString:
        return format_html('<code title="{0}">{1}…</code>', pair.commitment, pair.commitment[:12])

    @display(description="commitment")
    def commitment_text(self, pair: SeedPair) -> SafeString:
        return format_html('<code class="hash">{}</code>', pair.commitment)

    @display(description="server seed")
    def seed_text(self, pair: SeedPair) -> SafeString:
        """Return the server seed. The column is empty until the pair is revealed; no page shows the encrypted seed."""
        if not pair.server_seed:
            return format_html("<em>{}</em>", "secret until the player changes the seed")
        return format_html('<code class="hash">{}</code>', pair.server_seed)
