"""Baccarat's limits, odds and records."""

from collections.abc import Collection, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from import_export import fields
from import_export.resources import ModelResource
from unfold.decorators import action, display

from apps.accounts.selectors import log_in_of
from apps.baccarat.edge import house_edge
from apps.baccarat.engine import GameType
from apps.baccarat.models import BaccaratConfig, BaccaratGameRecord, BaccaratOddsConfig, ConfigStatus
from apps.baccarat.office_forms import LimitsForm, NewLimitsForm, OddsForm, bet_name, odds_rows_now, standard_odds_text
from apps.baccarat.services import Actor, baccarat_config_set, baccarat_odds_confirm, baccarat_odds_set
from apps.cards.shoe import INFINITE_DECKS
from apps.core.admin import AppendOnlyAdmin, ExportAdmin, ReasonForm, sent, viewer_of
from apps.core.card_faces import card_codes_html
from apps.core.config_history import HistoryAdmin
from apps.core.edges import edge_pct
from apps.core.filters import ChoiceFilter, DayRangeFilter, RelatedFilter, RelatedSearchFilter
from apps.core.listing import is_uuid
from apps.core.money import amount_text, plain
from apps.core.tables import link_html, table_html
from apps.core.viewers import in_scope
from apps.partners.models import Partner
from apps.wallet.models import WalletTransaction
from apps.wallet.tables import transactions_table

RESULT_LABELS = {"UserWin": "success", "UserLost": "danger", "Draw": "info"}
STATUS_LABELS = {"active": "success", "pending": "warning", "inactive": "info"}


class BaccaratRecordResource(ModelResource):
    """The columns of an export of baccarat records."""

    partner = fields.Field(attribute="partner__slug", column_name="partner")
    player = fields.Field(attribute="player__reference", column_name="player")
    currency = fields.Field(attribute="currency_id", column_name="currency")
    round = fields.Field(attribute="round_id", column_name="round")
    game_type = fields.Field(attribute="get_game_type_display", column_name="game_type")
    result_type = fields.Field(attribute="get_result_type_display", column_name="result_type")
    player_cards = fields.Field(column_name="player_cards")
    banker_cards = fields.Field(column_name="banker_cards")
    commitment = fields.Field(attribute="seed_pair__commitment", column_name="commitment")

    class Meta:
        model = BaccaratGameRecord
        fields = (
            "id", "ctime", "partner", "player", "currency", "round", "game_type", "bet_amount", "odds", "result_type",
            "reward_amount", "player_cards", "banker_cards", "config_version", "commitment", "nonce",
        )  # fmt: skip
        export_order = fields

    def dehydrate_ctime(self, record: BaccaratGameRecord) -> str:
        return record.ctime.isoformat()

    def dehydrate_bet_amount(self, record: BaccaratGameRecord) -> str:
        return plain(record.bet_amount)

    def dehydrate_reward_amount(self, record: BaccaratGameRecord) -> str:
        return plain(record.reward_amount)

    def dehydrate_odds(self, record: BaccaratGameRecord) -> str:
        return plain(record.odds)

    def dehydrate_player_cards(self, record: BaccaratGameRecord) -> str:
        return " ".join(record.player_cards)

    def dehydrate_banker_cards(self, record: BaccaratGameRecord) -> str:
        return " ".join(record.banker_cards)


@admin.register(BaccaratGameRecord)
class BaccaratGameRecordAdmin(ExportAdmin, AppendOnlyAdmin):
    """One row a bet. Every list, filter and search of it is answered from an index."""

    partner_path = "partner_id"
    resource = BaccaratRecordResource
    export_related = ("partner", "player", "seed_pair")
    list_display = [
        "id", "created", "partner", "player", "bet", "stake_text", "result", "reward_text",
        "player_hand", "banker_hand",
    ]  # fmt: skip
    list_select_related = ["partner", "player", "currency"]
    list_filter = [
        ("ctime", DayRangeFilter),
        ("partner", RelatedFilter),
        ("player", RelatedSearchFilter),
        ("game_type", ChoiceFilter),
        ("result_type", ChoiceFilter),
    ]
    fieldsets = (
        (None, {"fields": ("id", "created", "partner", "player_link", "round_link")}),
        ("Bet", {"fields": ("bet", "stake_text", "odds_text", "result", "reward_text")}),
        ("Cards", {"fields": ("player_hand", "banker_hand", "replay_link")}),
        ("Money", {"fields": ("movements",)}),
        ("Fairness", {"fields": ("seed_pair_link", "commitment", "nonce")}),
        ("Terms", {"fields": ("config_link", "config_version")}),
    )
    search_fields = ["id"]
    search_help_text = "A record's id, a round's id, or a player's reference"
    sortable_by = ["id"]

    def search_lookup(self, term: str) -> Mapping[str, Any] | None:
        if term.isdecimal():
            return {"id": int(term)}
        return {"round_id": term} if is_uuid(term) else {"player__reference": term}

    @display(description="player")
    def player_link(self, record: BaccaratGameRecord) -> SafeString:
        return link_html("accounts_player", record.player_id, record.player)

    @display(description="round")
    def round_link(self, record: BaccaratGameRecord) -> SafeString:
        return link_html("rounds_round", record.round_id, record.round_id)

    @display(description="bet")
    def bet(self, record: BaccaratGameRecord) -> str:
        return bet_name(record.get_game_type_display())

    @display(description="stake")
    def stake_text(self, record: BaccaratGameRecord) -> str:
        return amount_text(record.bet_amount, record.currency)

    @display(description="reward")
    def reward_text(self, record: BaccaratGameRecord) -> str:
        return amount_text(record.reward_amount, record.currency)

    @display(description="odds")
    def odds_text(self, record: BaccaratGameRecord) -> str:
        return f"{plain(record.odds)} to 1"

    @display(description="result", label=RESULT_LABELS)
    def result(self, record: BaccaratGameRecord) -> str:
        return record.get_result_type_display()

    @display(description="player side")
    def player_hand(self, record: BaccaratGameRecord) -> SafeString:
        return card_codes_html(record.player_cards)

    @display(description="banker side")
    def banker_hand(self, record: BaccaratGameRecord) -> SafeString:
        return card_codes_html(record.banker_cards)

    @display(description="replay")
    def replay_link(self, record: BaccaratGameRecord) -> SafeString:
        return format_html('<a href="{}">Step by step</a>', reverse("admin:replay", args=[record.round_id]))

    @display(description="movements of the wallet")
    def movements(self, record: BaccaratGameRecord) -> SafeString:
        rows = WalletTransaction.objects.filter(round_id=record.round_id).select_related("wallet__currency")
        return transactions_table(rows.order_by("id"))

    @display(description="seed pair")
    def seed_pair_link(self, record: BaccaratGameRecord) -> SafeString:
        return link_html("fairness_seedpair", record.seed_pair_id, record.seed_pair)

    @display(description="commitment")
    def commitment(self, record: BaccaratGameRecord) -> SafeString:
        return format_html('<code class="hash">{}</code>', record.seed_pair.commitment)

    @display(description="limits")
    def config_link(self, record: BaccaratGameRecord) -> SafeString:
        return link_html("baccarat_baccaratconfig", record.config_id, record.config)


@admin.register(BaccaratConfig)
class BaccaratConfigAdmin(HistoryAdmin):
    """A partner's limits with their odds, and what the house keeps of each bet."""

    partner_path = "partner_id"
    list_display = ["id", "partner", "currency", "state", "decks_text", "limits", "version", "changed"]
    list_select_related = ["partner", "currency"]
    list_filter = [("partner", RelatedFilter), ("status", ChoiceFilter)]
    fields = ["partner", "currency", "state", "decks_text", "limits", "version", "created", "changed", "odds_table"]
    actions_detail = ["change_limits", "change_odds", "changes"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.has_configure_permission(request)

    @display(description="status", label=STATUS_LABELS)
    def state(self, config: BaccaratConfig) -> str:
        return config.get_status_display()

    @display(description="decks")
    def decks_text(self, config: BaccaratConfig) -> str:
        return "infinite" if config.decks == INFINITE_DECKS else str(config.decks)

    @display(description="stakes")
    def limits(self, config: BaccaratConfig) -> str:
        return f"{amount_text(config.bet_min, config.currency)} to {amount_text(config.bet_max, config.currency)}"

    @display(description="odds")
    def odds_table(self, config: BaccaratConfig) -> SafeString:
        rows = config.odds_rows.exclude(status=ConfigStatus.INACTIVE).order_by("game_type", "-status")
        return table_html(
            ("bet", "X to 1", "house edge", "status", "reason"),
            [
                (
                    link_html("baccarat_baccaratoddsconfig", odds.pk, bet_name(odds.get_game_type_display())),
                    plain(odds.odds),
                    edge_text(odds.game_type, odds.odds, config.decks),
                    odds.get_status_display(),
                    odds.reason or "-",
                )
                for odds in rows
            ],
        )

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Make limits in a currency that had none; in one that has, they are changed."""
        self.add_permission_require(request)
        partners = in_scope(Partner.objects.all(), viewer=viewer_of(request), partner_path="id")

        def call(data: dict[str, Any]) -> HttpResponse:
            config = baccarat_config_set(
                partner=data["partner"],
                actor=actor_of(request),
                currency_code=data["currency"].pk,
                bet_min=data["bet_min"],
                bet_max=data["bet_max"],
                decks=data["decks"],
            )
            return HttpResponseRedirect(self.page_url(config))

        form = NewLimitsForm(sent(request), partners=partners)
        return self.action_form_view(request, title="New baccarat limits", form=form, call=call, done="")

    @action(description="Change limits", icon="tune", permissions=["configure"])
    def change_limits(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Change stakes and decks, with what the house keeps at those decks before anything is saved."""
        config: BaccaratConfig = self.object_or_404(request, object_id)
        form = LimitsForm.of(config, sent(request))
        return self.action_form_view(
            request,
            obj=config,
            title=f"Limits of {config.partner} in {config.currency}",
            form=form,
            call=lambda data: baccarat_config_set(
                partner=config.partner, actor=actor_of(request), currency_code=config.currency_id, **data
            ),
            done="The limits are saved. They hold from the next bet on.",
            template="baccarat/limits_form.html",
            extra={"edges": limits_edges(config, form.decks_now)},
        )

    @action(description="Change odds", icon="percent", permissions=["configure"])
    def change_odds(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Change what bets pay, with what the house keeps of each before anything is saved."""
        config: BaccaratConfig = self.object_or_404(request, object_id)
        rows = odds_rows_now(config)
        form = OddsForm(sent(request), rows=rows)
        return self.action_form_view(
            request,
            obj=config,
            title=f"Odds of {config.partner} in {config.currency}",
            form=form,
            call=lambda _: baccarat_odds_set(
                partner=config.partner, actor=actor_of(request), changes=form.changes(config.pk)
            ),
            done="The odds are saved. What holds, holds from the next bet on; what waits is marked as pending.",
            note="Odds that favour the player are saved too, and wait until an operator confirms them in writing.",
            template="baccarat/odds_form.html",
            extra={"bets": odds_lines(form, rows, config.decks), "decks": self.decks_text(config)},
        )

    @action(description="History", icon="history")
    def changes(self, request: HttpRequest, object_id: str) -> HttpResponse:
        config: BaccaratConfig = self.object_or_404(request, object_id)
        return HttpResponseRedirect(reverse("admin:baccarat_baccaratconfig_history", args=[config.pk]))

    def history_rows(self, obj: BaccaratConfig) -> list[Any]:
        return [obj, *obj.odds_rows.all()]


@admin.register(BaccaratOddsConfig)
class BaccaratOddsConfigAdmin(HistoryAdmin):
    """What one bet pays. A pending row would favour the player: an operator confirms it in writing, or nobody does."""

    partner_path = "baccarat_config__partner_id"
    list_display = ["id", "partner", "currency", "bet", "odds_text", "edge", "state", "reason", "changed"]
    list_select_related = ["baccarat_config__partner", "baccarat_config__currency"]
    list_filter = [
        ("baccarat_config__partner", RelatedFilter),
        ("status", ChoiceFilter),
        ("game_type", ChoiceFilter),
    ]
    fields = [
        "id", "config_link", "bet", "odds_text", "edge", "state", "reason", "confirmed_by", "created", "changed",
    ]  # fmt: skip
    actions_detail = ["confirm", "changes"]

    def hidden_actions(self, row: BaccaratOddsConfig) -> Collection[str]:
        return [] if row.status == ConfigStatus.PENDING else ["confirm"]

    @display(description="partner")
    def partner(self, odds: BaccaratOddsConfig) -> str:
        return str(odds.baccarat_config.partner)

    @display(description="currency")
    def currency(self, odds: BaccaratOddsConfig) -> str:
        return odds.baccarat_config.currency_id

    @display(description="limits")
    def config_link(self, odds: BaccaratOddsConfig) -> SafeString:
        config = odds.baccarat_config
        return link_html("baccarat_baccaratconfig", config.pk, f"{config.partner}, {config}")

    @display(description="bet", ordering="game_type")
    def bet(self, odds: BaccaratOddsConfig) -> str:
        return bet_name(odds.get_game_type_display())

    @display(description="odds", ordering="odds")
    def odds_text(self, odds: BaccaratOddsConfig) -> str:
        return f"{plain(odds.odds)} to 1"

    @display(description="house edge")
    def edge(self, odds: BaccaratOddsConfig) -> SafeString:
        return edge_text(odds.game_type, odds.odds, odds.baccarat_config.decks)

    @display(description="status", label=STATUS_LABELS)
    def state(self, odds: BaccaratOddsConfig) -> str:
        return odds.get_status_display()

    @action(description="Confirm in writing", icon="verified", permissions=["operate"])
    def confirm(self, request: HttpRequest, object_id: str) -> HttpResponse:
        odds: BaccaratOddsConfig = self.object_or_404(request, object_id)
        return self.action_form_view(
            request,
            obj=odds,
            title=f"Confirm {odds}",
            form=ReasonForm(sent(request)),
            call=lambda data: baccarat_odds_confirm(operator=log_in_of(request), row=odds, **data),
            done="The odds hold from the next bet on.",
            note=odds.reason or "These odds do not wait for a confirmation.",
            extra={"submit": "Confirm"},
        )

    @action(description="History", icon="history")
    def changes(self, request: HttpRequest, object_id: str) -> HttpResponse:
        odds: BaccaratOddsConfig = self.object_or_404(request, object_id)
        return HttpResponseRedirect(reverse("admin:baccarat_baccaratoddsconfig_history", args=[odds.pk]))


def actor_of(request: HttpRequest) -> Actor:
    """Return who changes a configuration, for its history."""
    user = log_in_of(request)
    return Actor(user.get_username(), user)


def limits_edges(config: BaccaratConfig, decks: int) -> list[dict[str, object]]:
    """Return each bet on the table with what the house keeps of it at that many decks."""
    rows = config.odds_rows.filter(status=ConfigStatus.ACTIVE).order_by("game_type")
    return [
        {
            "name": bet_name(row.get_game_type_display()),
            "odds": plain(row.odds),
            "edge": edge_text(row.game_type, row.odds, decks),
        }
        for row in rows
    ]


def odds_lines(form: OddsForm, rows: Mapping[int, BaccaratOddsConfig], decks: int) -> list[dict[str, object]]:
    """Return each bet's field, the usual odds, and what the house keeps at the odds in the field."""
    lines: list[dict[str, object]] = []
    for game_type in GameType:
        odds, row = form.odds_now(game_type), rows.get(game_type)
        lines.append(
            {
                "number": int(game_type),
                "field": form[f"odds_{game_type}"],
                "usual": standard_odds_text(game_type),
                "edge": "" if odds is None else edge_html(house_edge(game_type, odds, decks)),
                "state": "off" if row is None else row.get_status_display(),
            }
        )
    return lines


def edge_text(game_type: int, odds: Decimal, decks: int) -> SafeString:
    """Return what the house keeps of a stake, exactly enumerated, in percent."""
    return edge_html(house_edge(GameType(game_type), Fraction(odds), decks))


def edge_html(edge: Fraction) -> SafeString:
    """Return an edge in percent; marked where the player is favoured."""
    if edge < 0:
        return format_html('<span class="minus">{} % (favours the player)</span>', edge_pct(edge))
    return format_html('<span class="plus">{} %</span>', edge_pct(edge))
