"""Limits, odds and records of a one-deal game in the back office; each game registers its own."""

from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any, ClassVar

from django.contrib import admin
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.decorators import action, display
from unfold.enums import ActionVariant

from apps.accounts.actors import actor_of_request
from apps.accounts.selectors import log_in_of
from apps.approvals.details import about_rows, approval_details
from apps.approvals.services import approval_act
from apps.core.actor_names import shown_actor
from apps.core.admin import AppendOnlyAdmin, ExportAdmin, ReasonForm, sent, viewer_of
from apps.core.card_faces import card_codes_html
from apps.core.filters import ChoiceFilter, DayRangeFilter, RelatedFilter, RelatedSearchFilter
from apps.core.form_acts import changed_message, version_sent
from apps.core.history_admin import HistoryAdmin
from apps.core.money import amount_text, plain
from apps.core.office_html import admin_name, link_html, raw_html, table_html, words_register
from apps.core.staff_scope import in_scope
from apps.core.subjects import subject_of
from apps.core.uuid_search import uuid_lookup
from apps.one_deal.configuration import config_set, config_withdraw, odds_confirm, odds_confirm_approved, odds_withdraw
from apps.one_deal.forms import LimitsForm, NewLimitsForm, OddsForm, bet_label, odds_rows_now, standard_odds_text
from apps.one_deal.models import ConfigStatus, OneDealConfig, OneDealOdds, OneDealRecord
from apps.one_deal.odds_html import (
    bets_offered,
    decks_text,
    edge_html,
    edge_text,
    odds_details,
    odds_facts,
    odds_rows,
    waiting_text,
)
from apps.one_deal.one_deal_game import OneDealGame
from apps.one_deal.resources import record_resource
from apps.one_deal.scheduled import kinds_register, limits_save, odds_save
from apps.partners.models import Partner
from apps.rounds.models import RoundVoid
from apps.scheduled_changes.forms import APPLY_AT
from apps.scheduled_changes.pages import saved_message, scheduled_html, scheduled_note
from apps.wallet.models import WalletTransaction
from apps.wallet.movements_html import transactions_table

RESULTS = {"UserWin": "won", "UserLost": "lost", "Draw": "stake back"}
RESULT_LABELS = {"won": "success", "lost": "danger", "stake back": "info"}
STATUS_LABELS = {"active": "success", "pending": "warning", "inactive": "info"}


class OneDealRecordAdmin(ExportAdmin, AppendOnlyAdmin):
    """One row for each bet. Every list, filter and search uses an index."""

    game: ClassVar[OneDealGame]
    partner_path = "partner_id"
    export_related = ("partner", "player", "seed_pair", "round__void")
    export_numbers = frozenset({"id", "bet_amount", "reward_amount", "odds", "nonce", "config_version"})
    list_display = ["id", "created", "partner", "player_link", "bet", "stake_text", "result", "reward_text"]
    list_select_related = ["partner", "player", "currency"]
    list_filter = [
        ("ctime", DayRangeFilter),
        ("partner", RelatedFilter),
        ("player", RelatedSearchFilter),
        ("game_type", ChoiceFilter),
        ("result_type", ChoiceFilter),
    ]
    search_fields = ["id"]
    search_help_text = "A record's id, a round's id or how it begins, or a player's whole reference"
    sortable_by = ["id"]

    def search_lookup(self, term: str) -> Mapping[str, Any] | None:
        if term.isdecimal():
            return {"id": int(term)}
        return uuid_lookup("round_id", term) or {"player__reference": term}

    @display(description="player", ordering="player")
    def player_link(self, record: OneDealRecord) -> SafeString:
        return link_html("accounts_player", record.player_id, record.player)

    @display(description="round")
    def round_link(self, record: OneDealRecord) -> SafeString:
        return link_html("rounds_round", record.round_id, record.round_id)

    @display(description="bet")
    def bet(self, record: OneDealRecord) -> SafeString:
        return raw_html(bet_label(self.game, record.game_type), record.bet_name)

    @display(description="stake")
    def stake_text(self, record: OneDealRecord) -> str:
        return amount_text(record.bet_amount, record.currency)

    @display(description="reward")
    def reward_text(self, record: OneDealRecord) -> str:
        return amount_text(record.reward_amount, record.currency)

    @display(description="odds")
    def odds_text(self, record: OneDealRecord) -> str:
        return f"{plain(record.odds)} to 1"

    @display(description="result", label=RESULT_LABELS)
    def result(self, record: OneDealRecord) -> str:
        return RESULTS[record.get_result_type_display()]

    @display(description="does it count")
    def void_note(self, record: OneDealRecord) -> SafeString | str:
        void = RoundVoid.objects.filter(round=record.round_id).first()
        return "yes" if void is None else SafeString(render_to_string("office/void_note.html", {"void": void}))

    @display(description="replay")
    def replay_link(self, record: OneDealRecord) -> SafeString:
        return format_html('<a href="{}">Step by step</a>', reverse("admin:replay", args=[record.round_id]))

    @display(description="movements of the wallet")
    def movements(self, record: OneDealRecord) -> SafeString:
        rows = WalletTransaction.objects.filter(round_id=record.round_id).select_related("wallet__currency")
        return transactions_table(rows.order_by("id"))

    @display(description="seed pair")
    def seed_pair_link(self, record: OneDealRecord) -> SafeString:
        return link_html("fairness_seedpair", record.seed_pair_id, record.seed_pair)

    @display(description="commitment")
    def commitment(self, record: OneDealRecord) -> SafeString:
        return format_html('<code class="hash">{}</code>', record.seed_pair.commitment)

    @display(description="limits")
    def config_link(self, record: OneDealRecord) -> SafeString:
        config = record.config  # type: ignore[attr-defined]  # a game has its own
        return link_html(admin_name(self.game.config_model), config.pk, config)


class OneDealConfigAdmin(HistoryAdmin):
    """A partner's limits with their odds, and the house edge of each bet."""

    game: ClassVar[OneDealGame]
    partner_path = "partner_id"
    subject_name = staticmethod(lambda config: f"of {config.partner} in {config.currency_id}")
    subject_related = ("partner",)
    list_display = ["id", "partner", "currency", "state", "decks_text", "limits", "version", "changed"]
    list_select_related = ["partner", "currency"]
    list_filter = [("partner", RelatedFilter), ("status", ChoiceFilter)]
    fields = [
        "partner", "currency", "state", "decks_text", "limits", "version", "created", "changed", "odds_table",
        "scheduled",
    ]  # fmt: skip
    actions_detail = ["change_limits", "change_odds", "withdraw", "changes"]

    def hidden_actions(self, config: OneDealConfig) -> Collection[str]:
        return [] if config.status == ConfigStatus.ACTIVE else ["change_limits", "change_odds", "withdraw"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.has_configure_permission(request)

    @display(description="status", label=STATUS_LABELS)
    def state(self, config: OneDealConfig) -> str:
        return config.get_status_display()

    @display(description="decks")
    def decks_text(self, config: OneDealConfig) -> str:
        return decks_text(config.decks)

    @display(description="stakes")
    def limits(self, config: OneDealConfig) -> str:
        return f"{amount_text(config.bet_min, config.currency)} to {amount_text(config.bet_max, config.currency)}"

    @display(description="odds")
    def odds_table(self, config: OneDealConfig) -> SafeString:
        rows = config.odds_rows.exclude(status=ConfigStatus.INACTIVE).order_by("game_type", "-status")
        return table_html(
            ("bet", "X to 1", "house edge", "status", "reason"),
            [
                (
                    link_html(admin_name(self.game.odds_model), odds.pk, bet_label(self.game, odds.game_type)),
                    plain(odds.odds),
                    edge_text(self.game, odds.game_type, odds.odds, config.decks),
                    odds.get_status_display(),
                    odds.reason or "-",
                )
                for odds in rows
            ],
        )

    @display(description="scheduled changes")
    def scheduled(self, config: OneDealConfig) -> SafeString:
        return scheduled_html(config)

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Create limits in a currency that has none yet; existing limits are changed on their own page."""
        self.add_permission_require(request)
        partners = in_scope(Partner.objects.all(), viewer=viewer_of(request), partner_path="id")

        def call(data: dict[str, Any]) -> HttpResponse:
            config = config_set(
                self.game,
                partner=data["partner"],
                actor=actor_of_request(request),
                currency_code=data["currency"].pk,
                bet_min=data["bet_min"],
                bet_max=data["bet_max"],
                decks=data["decks"],
            )
            return HttpResponseRedirect(self.page_url(config))

        form = NewLimitsForm(sent(request), partners=partners)
        done = "The limits are saved, and the game is offered in this currency."
        return self.action_form_view(request, title=f"New {self.game.title} limits", form=form, call=call, done=done)

    @action(description="Change limits", icon="tune", permissions=["configure"])
    def change_limits(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Change stakes and decks; the form shows the house edges with those decks before anything is saved."""
        config: OneDealConfig = self.object_or_404(request, object_id)
        form = LimitsForm.of(config, sent(request))

        def call(data: dict[str, Any]) -> str | None:
            version, offered = version_sent(request), bets_offered(config)
            saved = limits_save(self.game, user=log_in_of(request), config=config, limits=data, version=version)
            # With other decks odds may favour the player, and are not offered any more.
            waiting = waiting_text(self.game, config, offered - bets_offered(config))
            return saved_message(saved, version) or (waiting and f"{done} {waiting}") or None

        done = "The limits are saved and apply from the next bet."
        return self.action_form_view(
            request,
            obj=config,
            title=f"Limits of {config.partner} in {config.currency}",
            form=form,
            call=call,
            done=done,
            note=scheduled_note(config),
            version=config.version,
            template="office/limits_form.html",
            extra={"edges": limits_edges(self.game, config, form.decks_now)},
        )

    @action(description="Change odds", icon="percent", permissions=["configure"])
    def change_odds(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Change the odds; the form shows each bet's house edge before anything is saved."""
        config: OneDealConfig = self.object_or_404(request, object_id)
        rows = odds_rows_now(config)
        form = OddsForm(sent(request), game=self.game, rows=rows)

        def call(data: dict[str, Any]) -> str | None:
            changes, apply_at, version = form.changes(config.pk), data[APPLY_AT], version_sent(request)
            if not changes and apply_at is None:
                return changed_message(False)
            user = log_in_of(request)
            saved = odds_save(self.game, user=user, config=config, changes=changes, apply_at=apply_at, version=version)
            if (message := saved_message(saved, version)) is not None:
                return message
            changed = {change.game_type for change in changes}
            waiting = waiting_text(self.game, config, changed)
            return f"The odds are saved. {waiting}" if waiting else None

        return self.action_form_view(
            request,
            obj=config,
            title=f"Odds of {config.partner} in {config.currency}",
            form=form,
            call=call,
            version=config.version,
            done="The odds are saved and apply from the next bet.",
            note="Odds that favour the player are saved too, and wait until an operator confirms them in writing. "
            + scheduled_note(config),
            template="office/odds_form.html",
            extra={"bets": odds_lines(self.game, form, rows, config.decks), "decks": self.decks_text(config)},
        )

    @action(description="Stop the offer", icon="block", variant=ActionVariant.DANGER, permissions=["configure"])
    def withdraw(self, request: HttpRequest, object_id: str) -> HttpResponse:
        config: OneDealConfig = self.object_or_404(request, object_id)
        return self.action_form_view(
            request,
            obj=config,
            title=f"Stop {self.game.title} of {config.partner} in {config.currency}",
            form=ReasonForm(sent(request)),
            call=lambda data: config_withdraw(self.game, user=log_in_of(request), config=config, **data),
            done="The game is no longer offered in this currency.",
            note="From the next bet on the game is refused in this currency. Its odds, pending ones too, and scheduled"
            " changes end; the history keeps them. New limits in the currency begin a new offer.",
            extra={"submit": "Stop the offer", "danger": True},
        )

    def history_rows(self, obj: OneDealConfig) -> list[Any]:
        return [obj, *obj.odds_rows.all()]


class OneDealOddsAdmin(HistoryAdmin):
    """The odds of one bet. A pending row would favour the player, so an operator must confirm it in writing."""

    game: ClassVar[OneDealGame]
    subject_name = staticmethod(lambda odds: f"{odds} of {odds.limits.partner} in {odds.limits.currency_id}")
    list_display = ["id", "partner", "currency", "bet", "odds_text", "edge", "state", "reason", "changed"]
    fields = [
        "id", "config_link", "bet", "odds_text", "edge", "state", "reason", "confirmed_text", "created", "changed",
    ]  # fmt: skip
    actions_detail = ["confirm", "withdraw", "changes"]

    @display(description="confirmed by")
    def confirmed_text(self, row: OneDealOdds) -> str:
        return shown_actor(row.confirmed_by or "-")

    def waiting_subjects(self, row: OneDealOdds) -> list[str]:
        return [subject_of(row.limits)]

    def hidden_actions(self, row: OneDealOdds) -> Collection[str]:
        return [] if row.status == ConfigStatus.PENDING else ["confirm", "withdraw"]

    @display(description="partner")
    def partner(self, odds: OneDealOdds) -> str:
        return str(odds.limits.partner)

    @display(description="currency")
    def currency(self, odds: OneDealOdds) -> str:
        return odds.limits.currency_id

    @display(description="limits")
    def config_link(self, odds: OneDealOdds) -> SafeString:
        config = odds.limits
        return link_html(admin_name(self.game.config_model), config.pk, f"{config.partner}, {config}")

    @display(description="bet", ordering="game_type")
    def bet(self, odds: OneDealOdds) -> SafeString:
        return raw_html(bet_label(self.game, odds.game_type), odds.bet_name)

    @display(description="odds", ordering="odds")
    def odds_text(self, odds: OneDealOdds) -> str:
        return f"{plain(odds.odds)} to 1"

    @display(description="house edge")
    def edge(self, odds: OneDealOdds) -> SafeString:
        return edge_text(self.game, odds.game_type, odds.odds, odds.limits.decks)

    @display(description="status", label=STATUS_LABELS)
    def state(self, odds: OneDealOdds) -> str:
        return odds.get_status_display()

    @action(description="Confirm in writing", icon="verified", permissions=["operate"])
    def confirm(self, request: HttpRequest, object_id: str) -> HttpResponse:
        odds: OneDealOdds = self.object_or_404(request, object_id)
        return self.action_form_view(
            request,
            obj=odds,
            title=f"Confirm {self.row_title(odds)}",
            form=ReasonForm(sent(request)),
            call=lambda data: odds_confirm(self.game, operator=log_in_of(request), row=odds, **data),
            done="The odds apply from the next bet.",
            note=odds.reason or "These odds do not wait for a confirmation.",
            extra={"submit": "Confirm"},
        )

    @action(description="Withdraw or reject", icon="undo", permissions=["configure"])
    def withdraw(self, request: HttpRequest, object_id: str) -> HttpResponse:
        odds: OneDealOdds = self.object_or_404(request, object_id)
        return self.action_form_view(
            request,
            obj=odds,
            title=f"Withdraw {self.row_title(odds)}",
            form=ReasonForm(sent(request)),
            call=lambda data: odds_withdraw(self.game, user=log_in_of(request), row=odds, **data),
            done="The pending odds are off. What was offered before is offered as it was.",
            note=odds.reason or "These odds do not wait for a confirmation.",
            extra={"submit": "Withdraw the odds"},
        )


def admins_register(game: OneDealGame, *, side_labels: Mapping[str, str]) -> None:
    """Register the admins of the game's records, limits and odds. Records get a column of cards for each side."""
    confirmation = f"{game.name}_odds.confirm"
    approval_act(confirmation)(partial(odds_confirm_approved, game))
    about = about_rows("odds", odds_rows(game), partial(odds_facts, game))
    title = f"Confirm {game.title} odds that favour the player"
    approval_details(confirmation, title, about)(partial(odds_details, game))
    kinds_register(game)
    words_register({kind.wire_name: label for kind, label in game.bet_labels.items()}, of_values=True)
    hands = [f"{side}_hand" for side in side_labels]
    config = game.config_field

    class RecordAdmin(OneDealRecordAdmin):
        resource = record_resource(game, list(side_labels))
        list_display = [*OneDealRecordAdmin.list_display, *hands]
        fieldsets = _record_fieldsets(hands)

    for side, label in side_labels.items():
        setattr(RecordAdmin, f"{side}_hand", _hand_column(side, label))

    class ConfigAdmin(OneDealConfigAdmin):
        pass

    class OddsAdmin(OneDealOddsAdmin):
        partner_path = f"{config}__partner_id"
        subject_related = (f"{config}__partner",)
        list_select_related = [f"{config}__partner", f"{config}__currency"]
        list_filter = [(f"{config}__partner", RelatedFilter), ("status", ChoiceFilter), ("game_type", ChoiceFilter)]

    for model, of_model in (
        (game.record_model, RecordAdmin),
        (game.config_model, ConfigAdmin),
        (game.odds_model, OddsAdmin),
    ):
        of_model.game = game
        admin.site.register(model, of_model)


def limits_edges(game: OneDealGame, config: OneDealConfig, decks: int) -> list[dict[str, object]]:
    """Return each active bet with its house edge at that many decks."""
    rows = config.odds_rows.filter(status=ConfigStatus.ACTIVE).order_by("game_type")
    return [
        {
            "name": bet_label(game, row.game_type),
            "odds": plain(row.odds),
            "edge": edge_text(game, row.game_type, row.odds, decks),
        }
        for row in rows
    ]


def odds_lines(
    game: OneDealGame, form: OddsForm, rows: Mapping[int, OneDealOdds], decks: int
) -> list[dict[str, object]]:
    """Return each bet's field, its usual odds, and the house edge at the odds in the field."""
    lines: list[dict[str, object]] = []
    for game_type in game.bets:
        odds, row = form.odds_now(game_type), rows.get(game_type)
        lines.append(
            {
                "number": int(game_type),
                "field": form[f"odds_{game_type}"],
                "usual": standard_odds_text(game, game_type),
                "edge": "" if odds is None else edge_html(game.house_edge(game_type, odds, decks)),
                "state": "off" if row is None else row.get_status_display(),
            }
        )
    return lines


def _hand_column(side: str, label: str) -> Callable[[OneDealRecordAdmin, OneDealRecord], SafeString]:
    def hand(_: OneDealRecordAdmin, record: OneDealRecord) -> SafeString:
        return card_codes_html(record.cards[side])

    column: Callable[[OneDealRecordAdmin, OneDealRecord], SafeString] = display(hand, description=label)
    return column


def _record_fieldsets(hands: list[str]) -> tuple[Any, ...]:
    """Return the fieldsets of a record's page; `hands` are the columns with the sides' cards."""
    return (
        (None, {"fields": ("id", "void_note", "created", "partner", "player_link", "round_link")}),
        ("Bet", {"fields": ("bet", "stake_text", "odds_text", "result", "reward_text")}),
        ("Cards", {"fields": (*hands, "replay_link")}),
        ("Money", {"fields": ("movements",)}),
        ("Fairness", {"fields": ("seed_pair_link", "commitment", "nonce")}),
        ("Terms", {"fields": ("config_link", "config_version")}),
    )
