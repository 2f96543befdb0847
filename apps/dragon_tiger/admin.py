"""Dragon tiger's limits, odds and records, on the admin pages of one-deal games (apps/one_deal/admin.py)."""

from django.contrib import admin
from django.utils.safestring import SafeString
from import_export import fields
from unfold.decorators import display

from apps.core.card_faces import card_codes_html
from apps.dragon_tiger.models import DragonTigerConfig, DragonTigerGameRecord, DragonTigerOddsConfig
from apps.dragon_tiger.rules import DRAGON_TIGER
from apps.one_deal.admin import (
    OneDealConfigAdmin,
    OneDealOddsAdmin,
    OneDealRecordAdmin,
    OneDealRecordResource,
    export_columns,
    odds_lookups,
    record_fieldsets,
)

ODDS_LOOKUPS = odds_lookups(DRAGON_TIGER)


class DragonTigerRecordResource(OneDealRecordResource):
    """The columns of an export of dragon tiger records."""

    dragon_cards = fields.Field(column_name="dragon_cards")
    tiger_cards = fields.Field(column_name="tiger_cards")

    class Meta:
        model = DragonTigerGameRecord
        fields = export_order = export_columns("dragon_cards", "tiger_cards")

    def dehydrate_dragon_cards(self, record: DragonTigerGameRecord) -> str:
        return " ".join(record.dragon_cards)

    def dehydrate_tiger_cards(self, record: DragonTigerGameRecord) -> str:
        return " ".join(record.tiger_cards)


@admin.register(DragonTigerGameRecord)
class DragonTigerGameRecordAdmin(OneDealRecordAdmin):
    """One row for each bet, with the cards of both sides."""

    game = DRAGON_TIGER
    resource = DragonTigerRecordResource
    list_display = [*OneDealRecordAdmin.list_display, "dragon_hand", "tiger_hand"]
    fieldsets = record_fieldsets("dragon_hand", "tiger_hand")

    @display(description="dragon")
    def dragon_hand(self, record: DragonTigerGameRecord) -> SafeString:
        return card_codes_html(record.dragon_cards)

    @display(description="tiger")
    def tiger_hand(self, record: DragonTigerGameRecord) -> SafeString:
        return card_codes_html(record.tiger_cards)


@admin.register(DragonTigerConfig)
class DragonTigerConfigAdmin(OneDealConfigAdmin):
    """A partner's limits with their odds."""

    game = DRAGON_TIGER


@admin.register(DragonTigerOddsConfig)
class DragonTigerOddsConfigAdmin(OneDealOddsAdmin):
    """The odds of one bet."""

    game = DRAGON_TIGER
    partner_path = ODDS_LOOKUPS["partner_path"]
    list_select_related = ODDS_LOOKUPS["list_select_related"]
    list_filter = ODDS_LOOKUPS["list_filter"]
