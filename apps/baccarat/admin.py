"""Baccarat's limits, odds and records, as games of one deal show them (apps/one_deal/admin.py)."""

from django.contrib import admin
from django.utils.safestring import SafeString
from import_export import fields
from unfold.decorators import display

from apps.baccarat.models import BaccaratConfig, BaccaratGameRecord, BaccaratOddsConfig
from apps.baccarat.rules import BACCARAT
from apps.core.card_faces import card_codes_html
from apps.one_deal.admin import (
    OneDealConfigAdmin,
    OneDealOddsAdmin,
    OneDealRecordAdmin,
    OneDealRecordResource,
    export_columns,
    odds_lookups,
    record_fieldsets,
)

ODDS_LOOKUPS = odds_lookups(BACCARAT)


class BaccaratRecordResource(OneDealRecordResource):
    """The columns of an export of baccarat records."""

    player_cards = fields.Field(column_name="player_cards")
    banker_cards = fields.Field(column_name="banker_cards")

    class Meta:
        model = BaccaratGameRecord
        fields = export_order = export_columns("player_cards", "banker_cards")

    def dehydrate_player_cards(self, record: BaccaratGameRecord) -> str:
        return " ".join(record.player_cards)

    def dehydrate_banker_cards(self, record: BaccaratGameRecord) -> str:
        return " ".join(record.banker_cards)


@admin.register(BaccaratGameRecord)
class BaccaratGameRecordAdmin(OneDealRecordAdmin):
    """One row a bet, with the cards of both sides."""

    game = BACCARAT
    resource = BaccaratRecordResource
    list_display = [*OneDealRecordAdmin.list_display, "player_hand", "banker_hand"]
    fieldsets = record_fieldsets("player_hand", "banker_hand")

    @display(description="player side")
    def player_hand(self, record: BaccaratGameRecord) -> SafeString:
        return card_codes_html(record.player_cards)

    @display(description="banker side")
    def banker_hand(self, record: BaccaratGameRecord) -> SafeString:
        return card_codes_html(record.banker_cards)


@admin.register(BaccaratConfig)
class BaccaratConfigAdmin(OneDealConfigAdmin):
    """A partner's limits with their odds."""

    game = BACCARAT


@admin.register(BaccaratOddsConfig)
class BaccaratOddsConfigAdmin(OneDealOddsAdmin):
    """What one bet pays."""

    game = BACCARAT
    partner_path = ODDS_LOOKUPS["partner_path"]
    list_select_related = ODDS_LOOKUPS["list_select_related"]
    list_filter = ODDS_LOOKUPS["list_filter"]
