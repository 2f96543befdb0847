"""Sessions, rounds of every game, and the voids of rounds."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from import_export import fields
from import_export.resources import ModelResource
from unfold.decorators import action, display
from unfold.enums import ActionVariant

from apps.accounts.selectors import log_in_of
from apps.approvals.details import ahead_html
from apps.core.actor_names import shown_actor
from apps.core.admin import AppendOnlyAdmin, ExportAdmin, OfficeAdmin, ReasonForm, sent
from apps.core.card_faces import hand_html
from apps.core.filters import DayRangeFilter, RelatedFilter
from apps.core.money import amount_text, plain
from apps.core.office_html import data_html, link_html, raw_html, table_html, time_html
from apps.core.query_parameters import checks_query
from apps.core.subjects import subject_of
from apps.core.uuid_search import uuid_lookup
from apps.rounds.bet_search import BetSearchPaginator, count_by_bets, rows_by_bets
from apps.rounds.filters import (
    UTC_CHOICE,
    ZONE_FILTER,
    BetFilter,
    CardFilter,
    ChannelFilter,
    DeviceFilter,
    DigitsFilter,
    EndedFilter,
    GameFilter,
    LawFilter,
    MoneyFilter,
    OpenAfterFilter,
    PayoutFilter,
    PayTableFilter,
    ResultFilter,
    StartedFilter,
    StateFilter,
    VoidedFilter,
    ZoneFilter,
    is_by_bets,
    is_zone_of_others,
    zone_of,
)
from apps.rounds.models import PLAYED_ENDS, GameSession, Round, RoundVoid
from apps.rounds.registry import bet_labels, game_title
from apps.rounds.selectors import round_explain
from apps.rounds.services import round_void
from apps.rounds.void_details import ending_in_words, round_void_details
from apps.wallet.models import WalletTransaction
from apps.wallet.movements_html import transactions_table


@admin.register(GameSession)
class GameSessionAdmin(OfficeAdmin):
    """Sessions without their tokens: the table holds none, and its hashes are not shown either."""

    partner_path = "partner_id"
    linked_lookups = frozenset({"player__id__exact"})
    list_display = ["id", "player_link", "partner", "game_name", "currency", "created", "expires", "ended", "address"]
    list_select_related = ["player", "partner", "currency"]
    list_filter = [("partner", RelatedFilter), GameFilter]
    search_help_text = "A player's whole reference"
    fields = [
        "id",
        "player",
        "partner",
        "game_name",
        "currency",
        "return_url",
        "created",
        "expires",
        "ended",
        "address",
    ]
    search_fields = ["player__reference"]

    @display(description="player", ordering="player")
    def player_link(self, session: GameSession) -> SafeString:
        return link_html("accounts_player", session.player_id, session.player)

    def search_lookup(self, term: str) -> Mapping[str, Any] | None:
        return {"player__reference": term}

    @display(description="game", ordering="game")
    def game_name(self, session: GameSession) -> str:
        return game_title(session.game) if session.game else "all tables"

    @display(description="expires (UTC)")
    def expires(self, session: GameSession) -> SafeString:
        return time_html(session.expires_at)

    @display(description="ended (UTC)")
    def ended(self, session: GameSession) -> SafeString:
        return time_html(session.ended_at)


class RoundResource(ModelResource):
    """The columns of an export of rounds."""

    partner = fields.Field(attribute="partner__slug", column_name="partner")
    player = fields.Field(attribute="player__reference", column_name="player")
    currency = fields.Field(attribute="currency_id", column_name="currency")
    commitment = fields.Field(column_name="commitment")
    voided_at = fields.Field(column_name="voided_at")
    voided_by = fields.Field(column_name="voided_by")
    void_reason = fields.Field(column_name="void_reason")
    counted_stake = fields.Field(column_name="counted_stake")
    """The amount that the report counts: nothing of a voided round."""
    counted_payout = fields.Field(column_name="counted_payout")

    class Meta:
        model = Round
        fields = (
            "id", "started_at", "ended_at", "partner", "player", "game", "currency", "stake", "payout",
            "balance_before", "balance_after", "how_ended", "config_version", "commitment", "nonce", "table_round",
            "seat", "voided_at", "voided_by", "void_reason", "counted_stake", "counted_payout",
        )  # fmt: skip
        export_order = fields

    def dehydrate_started_at(self, row: Round) -> str:
        return row.started_at.isoformat()

    def dehydrate_ended_at(self, row: Round) -> str:
        return row.ended_at.isoformat() if row.ended_at else ""

    def dehydrate_commitment(self, row: Round) -> str:
        return round_explain(row).source.commitment

    def dehydrate_voided_at(self, row: Round) -> str:
        return row.void.ctime.isoformat() if hasattr(row, "void") else ""

    def dehydrate_voided_by(self, row: Round) -> str:
        return shown_actor(row.void.by) if hasattr(row, "void") else ""

    def dehydrate_void_reason(self, row: Round) -> str:
        return row.void.reason if hasattr(row, "void") else ""

    def dehydrate_counted_stake(self, row: Round) -> str:
        return "0" if hasattr(row, "void") else plain(row.stake)

    def dehydrate_counted_payout(self, row: Round) -> str:
        return "0" if hasattr(row, "void") else plain(row.payout)

    def dehydrate_stake(self, row: Round) -> str:
        return plain(row.stake)

    def dehydrate_payout(self, row: Round) -> str:
        return plain(row.payout)

    def dehydrate_balance_before(self, row: Round) -> str:
        return plain(row.balance_before)

    def dehydrate_balance_after(self, row: Round) -> str:
        return plain(row.balance_after)


@admin.register(Round)
class RoundAdmin(ExportAdmin):
    partner_path = "partner_id"
    linked_lookups = frozenset({"player__id__exact"})
    resource = RoundResource
    export_related = ("partner", "player", "seed_pair", "void")
    export_order = ("-started_at", "-id")
    export_numbers = frozenset(
        {
            "stake",
            "payout",
            "balance_before",
            "balance_after",
            "counted_stake",
            "counted_payout",
            "config_version",
            "nonce",
        }
    )
    list_display = ["short_id", "started", "game_name", "player_link", "partner", "stake_text", "payout_text", "ending"]
    list_select_related = ["player", "partner", "currency", "void"]
    list_filter = [
        ("started_at", StartedFilter),
        ("ended_at", EndedFilter),
        ("void__ctime", VoidedFilter),
        ZoneFilter,
        ("partner", RelatedFilter),
        GameFilter,
        StateFilter,
        OpenAfterFilter,
        ("currency", RelatedFilter),
        MoneyFilter,
        ChannelFilter,
        DeviceFilter,
        BetFilter,
        DigitsFilter,
        ResultFilter,
        PayoutFilter,
        PayTableFilter,
        LawFilter,
        CardFilter,
    ]
    fieldsets = (
        (
            None,
            {
                "fields": (
                    "whole_id",
                    "void_note",
                    "game_name",
                    "player_link",
                    "partner",
                    "session_link",
                    "started",
                    "ended",
                    "ending",
                )
            },
        ),
        ("Money", {"fields": ("stake_text", "payout_text", "balance_texts", "movements")}),
        ("Cards", {"fields": ("cards", "replay_link")}),
        ("Decisions", {"fields": ("actions_table",)}),
        ("Fairness", {"fields": ("dealt_from", "commitment", "client_seed", "server_seed", "nonce")}),
        ("Terms", {"fields": ("config_version", "terms_text")}),
    )
    search_fields = ["id"]
    search_help_text = "A round's id or how it begins, or a player's whole reference"
    actions_detail = ["replay", "bundle", "void_round"]

    @checks_query
    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the list. With the time zone of another partner it leads to the same list with days in UTC, so that the
        address, and what is exported or saved from it, says which days they are."""
        if is_zone_of_others(request):
            self.list_query_check(request)
            query = request.GET.copy()
            query[ZONE_FILTER] = UTC_CHOICE
            return HttpResponseRedirect(f"?{query.urlencode()}")
        return super().changelist_view(request, extra_context)

    def waiting_subjects(self, row: Round) -> list[str]:
        """Add the void of the table's round, which voids this one too."""
        return [subject_of(row), *([] if row.table_round is None else [f"table round {row.table_round}"])]

    def get_paginator(
        self, request: HttpRequest, queryset: "QuerySet[Any]", per_page: int, *args: Any, **kwargs: Any
    ) -> Paginator:
        if is_by_bets(request):
            return BetSearchPaginator(queryset, per_page, asked=request.GET, zone=zone_of(request))
        found: Paginator = super().get_paginator(request, queryset, per_page, *args, **kwargs)
        return found

    def export_rows(self, request: HttpRequest, rows: "QuerySet[Any]") -> Iterator[Any]:
        if is_by_bets(request):
            return rows_by_bets(rows, self.export_order)
        return super().export_rows(request, rows)

    def export_count(self, request: HttpRequest, rows: "QuerySet[Any]", most: int) -> int:
        return count_by_bets(rows, most) if is_by_bets(request) else super().export_count(request, rows, most)

    def hidden_actions(self, row: Round) -> Collection[str]:
        hidden = ["void_round"] if hasattr(row, "void") or row.table_round is not None else []
        return hidden if row.how_ended in PLAYED_ENDS else [*hidden, "bundle"]

    def no_form_note(self, request: HttpRequest, row: Round, name: str) -> str:
        if name == "void_round" and row.table_round is not None:
            return "A table's round is voided with all its seats, on the page of the table's round."
        return super().no_form_note(request, row, name)

    def search_lookup(self, term: str) -> Mapping[str, Any] | None:
        return uuid_lookup("id", term) or {"player__reference": term}

    @display(description="game", ordering="game")
    def game_name(self, row: Round) -> SafeString:
        return raw_html(game_title(row.game), row.game)

    @display(description="does it count")
    def void_note(self, row: Round) -> SafeString | str:
        if not hasattr(row, "void"):
            return "yes" if row.ended_at else "when it has ended"
        return SafeString(render_to_string("office/void_note.html", {"void": row.void}))

    @display(description="started (UTC)", ordering="started_at")
    def started(self, row: Round) -> SafeString:
        return time_html(row.started_at)

    @display(description="ended (UTC)")
    def ended(self, row: Round) -> SafeString:
        return time_html(row.ended_at)

    @display(description="round")
    def short_id(self, row: Round) -> str:
        return str(row.pk)[:8]

    @display(description="player", ordering="player")
    def player_link(self, row: Round) -> SafeString:
        return link_html("accounts_player", row.player_id, row.player)

    @display(description="session")
    def session_link(self, row: Round) -> SafeString | str:
        return link_html("rounds_gamesession", row.session_id, f"session {row.session_id}") if row.session_id else "-"

    @display(description="stakes", ordering="stake")
    def stake_text(self, row: Round) -> str:
        return amount_text(row.stake, row.currency)

    @display(description="payout", ordering="payout")
    def payout_text(self, row: Round) -> str:
        return amount_text(row.payout, row.currency)

    @display(description="balance")
    def balance_texts(self, row: Round) -> str:
        return f"{amount_text(row.balance_before, row.currency)} -> {amount_text(row.balance_after, row.currency)}"

    @display(description="how it ended", label={"open": "info", "voided": "danger"})
    def ending(self, row: Round) -> str:
        return ending_in_words(row)

    @display(description="movements")
    def movements(self, row: Round) -> SafeString:
        return transactions_table(
            WalletTransaction.objects.filter(round_id=row.pk).select_related("wallet__currency").order_by("id")
        )

    @display(description="cards as shown")
    def cards(self, row: Round) -> SafeString:
        """Draw the hands at the end of the round, or the present ones."""
        return table_html(
            ("hand", "cards"),
            [(hand.label, hand_html(hand.cards)) for hand in round_explain(row).hands],
            empty="No cards are recorded.",
        )

    @display(description="replay")
    def replay_link(self, row: Round) -> SafeString:
        return format_html('<a href="{}">Step by step</a>', reverse("admin:replay", args=[row.pk]))

    @display(description="in order")
    def actions_table(self, row: Round) -> SafeString:
        return table_html(
            ("no.", "time (UTC)", "by", "decision"),
            [
                (action.number, f"{action.time:%H:%M:%S.%f}", action.by, action.summary)
                for action in round_explain(row).actions
            ],
            empty="No decisions are recorded.",
        )

    @display(description="dealt from")
    def dealt_from(self, row: Round) -> SafeString:
        """Link the seed pair or, at a table, the table's round, which has the seeds of all its seats."""
        if row.table_round is not None:
            return link_html("tables_tableround", row.table_round, f"seat {row.seat} of a table's round")
        return link_html("fairness_seedpair", row.seed_pair_id, row.seed_pair)

    @display(description="commitment")
    def commitment(self, row: Round) -> SafeString:
        return format_html('<code class="hash">{}</code>', round_explain(row).source.commitment)

    @display(description="client seed")
    def client_seed(self, row: Round) -> SafeString:
        return format_html("<code>{}</code>", round_explain(row).source.client_seed or "none")

    @display(description="server seed")
    def server_seed(self, row: Round) -> SafeString:
        source = round_explain(row).source
        if not source.server_seed:
            return format_html("<em>secret until {}</em>", source.hidden_until)
        return format_html('<code class="hash">{}</code>', source.server_seed)

    @display(description="rules and odds")
    def terms_text(self, row: Round) -> SafeString:
        # Stakes and limits are stored with the rules, in smallest units. The decisions above have the stakes in the
        # currency, and the page of a table's round has the limits.
        terms = row.settlement_terms
        rules_and_odds = {name: terms[name] for name in terms if name not in ("stakes", "limits")}
        return data_html(rules_and_odds, bet_labels(row.game))

    @action(description="Replay", icon="replay")
    def replay(self, request: HttpRequest, object_id: str) -> HttpResponse:
        row: Round = self.object_or_404(request, object_id)
        return HttpResponse(status=302, headers={"Location": reverse("admin:replay", args=[row.pk])})

    @action(description="Bundle", icon="folder_zip")
    def bundle(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Link to the file that proves the round without this server."""
        row: Round = self.object_or_404(request, object_id)
        return HttpResponse(status=302, headers={"Location": reverse("admin:round_bundle", args=[row.pk])})

    @action(description="Void", icon="block", variant=ActionVariant.DANGER, permissions=["operate"])
    def void_round(self, request: HttpRequest, object_id: str) -> HttpResponse:
        row: Round = self.object_or_404(request, object_id)
        return self.action_form_view(
            request,
            obj=row,
            title=f"Void round {str(row.pk)[:8]}",
            form=ReasonForm(sent(request)),
            call=lambda data: round_void(operator=log_in_of(request), round=row, **data),
            done="The round is voided: its stakes went back.",
            note="Stakes go back as a refund and payouts are taken back, as new rows; the record stays as it is.",
            extra={
                "details": ahead_html(round_void_details(row, stake=row.stake, payout=row.payout), "after the void"),
                "submit": "Void the round",
                "danger": True,
            },
        )


@admin.register(RoundVoid)
class RoundVoidAdmin(AppendOnlyAdmin):
    partner_path = "round__partner_id"
    list_display = ["id", "created", "round_link", "player_link", "given_back", "taken_back", "who", "reason"]
    list_select_related = ["round__player", "round__currency"]
    fields = list_display
    list_filter = [("ctime", DayRangeFilter)]

    @display(description="by")
    def who(self, void: RoundVoid) -> str:
        return shown_actor(void.by)

    @display(description="round")
    def round_link(self, void: RoundVoid) -> SafeString:
        return link_html("rounds_round", void.round_id, str(void.round_id)[:8])

    @display(description="player")
    def player_link(self, void: RoundVoid) -> SafeString:
        return link_html("accounts_player", void.round.player_id, void.round.player)

    @display(description="stakes, given back")
    def given_back(self, void: RoundVoid) -> str:
        return amount_text(void.round.stake, void.round.currency)

    @display(description="payout, taken back")
    def taken_back(self, void: RoundVoid) -> str:
        return amount_text(void.round.payout, void.round.currency)
