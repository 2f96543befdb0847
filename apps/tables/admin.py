"""Tables, their rounds and the sessions at them, in the back office. No page shows a seed that is not revealed."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from django.contrib import admin
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.forms import Form
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.loader import render_to_string
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.decorators import action, display
from unfold.enums import ActionVariant

from apps.accounts.selectors import log_in_of
from apps.approvals.details import ahead_html
from apps.core.actor_names import shown_actor
from apps.core.admin import AppendOnlyAdmin, OfficeAdmin, ReasonForm, sent, viewer_of
from apps.core.count_texts import counted
from apps.core.filters import ChoiceFilter, ConditionFilter, DayRangeFilter, NamedFilter, RelatedFilter
from apps.core.form_acts import changed_message, version_sent
from apps.core.money import amount_text
from apps.core.office_html import link_html, table_html, time_html
from apps.core.staff_scope import in_scope
from apps.core.uuid_search import uuid_lookup
from apps.partners.models import Partner
from apps.rounds.models import Round, RoundEnd
from apps.rounds.void_details import ending_in_words
from apps.tables.engine.codec import terms_from_json
from apps.tables.forms import NewTableForm, TableForm
from apps.tables.models import GameTable, RoundEnding, TableRound, TableSession
from apps.tables.office_parts import (
    changes_table,
    live_table,
    session_events_table,
    shoe_table,
    table_terms_table,
    terms_table,
)
from apps.tables.registry import table_game_of, table_games
from apps.tables.round_exports import TableRoundExport
from apps.tables.story import TableRoundStory, table_rounds_ready
from apps.tables.table_administration import table_close_by, table_configure, table_open_by, table_round_void
from apps.tables.table_creation import partner_table_create
from apps.tables.void_details import table_round_void_details

ROUNDS_SHOWN = 20
VOIDED_LATER: Final = "settled, then voided"
"""How a round ended whose seats were voided after it: the row itself never changes after its end."""
PHASE_LABELS = {
    "waiting": "info", "betting": "success", "playing": "success", "pause": "info", "closed": "danger",
}  # fmt: skip


class TableGameFilter(NamedFilter):
    """One of the games with tables."""

    title = "game"
    parameter_name = "game_type"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(name, game.title) for name, game in table_games().items()]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        return queryset.filter(game_type=self.value()) if self.value() else queryset


class OpenFilter(ConditionFilter):
    """Open tables, or closed ones."""

    title = "state"
    parameter_name = "state"

    def conditions(self) -> Mapping[str, tuple[str, Q]]:
        return {"open": ("open", Q(is_open=True)), "closed": ("closed", Q(is_open=False))}


@admin.register(GameTable)
class GameTableAdmin(OfficeAdmin):
    partner_path = "partner_id"
    subject_name = staticmethod(str)
    list_display = ["name", "game", "partner", "played_for", "taken", "phase", "round_number", "last_round", "private"]
    list_select_related = ["partner", "currency"]
    list_filter = [("partner", RelatedFilter), TableGameFilter, OpenFilter]
    search_fields = ["name"]
    search_help_text = "A table's id, or a part of its name"
    fieldsets = (
        (None, {"fields": ("whole_id", "game", "partner", "played_for", "private", "players_page", "made", "pace")}),
        ("Who sits where", {"fields": ("live",)}),
        ("Terms of the next round", {"fields": ("terms",)}),
        ("Newest rounds", {"fields": ("rounds_table",)}),
        ("Seeds", {"fields": ("commitment",)}),
        ("Changes", {"fields": ("changes",)}),
    )
    actions_detail = ["configure", "close", "open_again"]

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Any]":
        newest = TableRound.objects.filter(table=OuterRef("pk")).order_by("-number").values("started_at")[:1]
        rows: QuerySet[Any] = super().get_queryset(request)
        counted: QuerySet[Any] = rows.annotate(seats_taken=Count("taken_seats"), newest_round_at=Subquery(newest))
        return counted

    def get_urls(self) -> list[URLPattern]:
        live = path("<uuid:table_id>/live/", self.admin_site.admin_view(self.live_view), name="tables_gametable_live")
        return [live, *super().get_urls()]

    def search_lookup(self, term: str) -> Mapping[str, Any] | None:
        return uuid_lookup("id", term) or {"name__icontains": term}

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.has_configure_permission(request)

    def hidden_actions(self, row: GameTable) -> Collection[str]:
        return ["open_again" if row.is_open else "close"]

    @display(description="game")
    def game(self, table: GameTable) -> str:
        return table_game_of(table.game_type).title

    @display(description="played for")
    def played_for(self, table: GameTable) -> str:
        return table.currency_id or "points"

    @display(description="seats taken")
    def taken(self, table: Any) -> str:
        return f"{table.seats_taken} of {table.seats}"

    @display(description="phase", label=PHASE_LABELS)
    def phase(self, table: GameTable) -> str:
        return str(table.state.get("phase", "waiting"))

    @display(description="round")
    def round_number(self, table: GameTable) -> int:
        return int(table.state.get("round_number", 0))

    @display(description="newest round (UTC)", ordering="newest_round_at")
    def last_round(self, table: Any) -> SafeString:
        return time_html(table.newest_round_at)

    @display(description="in the lobby")
    def private(self, table: GameTable) -> str:
        if not table.is_open:
            return "no: closed"
        return "no: private" if table.is_private else "yes"

    @display(description="players' page")
    def players_page(self, table: GameTable) -> SafeString:
        """The link by which a private table is found; the page's script makes it a whole address."""
        address = reverse("live-table", args=[table.pk])
        return format_html(
            '<code class="copied-id" data-address>{}</code><br>For players of {} who are logged in, or who came by a'
            " launch link.",
            address,
            table.partner,
        )

    @display(description="made")
    def made(self, table: GameTable) -> SafeString:
        return format_html("{} by {}", time_html(table.ctime), shown_actor(table.created_by))

    @display(description="pace")
    def pace(self, table: GameTable) -> str:
        spans = {"window": table.window_ms, "turn": table.turn_ms, "pause": table.pause_ms}
        return ", ".join(f"{name} {span / 1000:g} s" for name, span in spans.items())

    @display(description="now")
    def live(self, table: GameTable) -> SafeString:
        """Draw the public state, which the page reloads every two seconds."""
        return SafeString(render_to_string("office/table_live.html", _live_context(table)))

    @display(description="rules, stakes, odds")
    def terms(self, table: GameTable) -> SafeString:
        return table_terms_table(table)

    @display(description="newest first")
    def rounds_table(self, table: GameTable) -> SafeString:
        rounds = table.rounds.order_by("-number")[:ROUNDS_SHOWN]
        link = format_html('<a href="{}?table__id__exact={}">All</a>', _list_url("tableround"), table.pk)
        return format_html(
            "{}<p>{}</p>",
            table_html(
                ("round", "began (UTC)", "how it ended"),
                [
                    (
                        link_html("tables_tableround", played.pk, played.number),
                        time_html(played.started_at),
                        _ending(played),
                    )
                    for played in rounds
                ],
            ),
            link,
        )

    @display(description="commitment of the running chain")
    def commitment(self, table: GameTable) -> SafeString:
        chain = table.chains.order_by("-first_round").first()
        if chain is None:
            return SafeString("-")
        return format_html('<code class="hash">{}</code> from round {}', chain.commitment, chain.first_round)

    @display(description="newest first")
    def changes(self, table: GameTable) -> SafeString:
        return changes_table(table)

    def live_view(self, request: HttpRequest, table_id: Any) -> HttpResponse:
        """Return the public state alone, for the page that shows it."""
        table = self.object_or_404(request, str(table_id))
        return TemplateResponse(request, "office/table_live.html", _live_context(table))

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Create a table with the game's default terms, and redirect to its settings."""
        self.add_permission_require(request)
        partners = in_scope(Partner.objects.all(), viewer=viewer_of(request), partner_path="id")
        form = NewTableForm(sent(request), partners=partners)

        def call(data: dict[str, Any]) -> HttpResponse:
            table = partner_table_create(
                partner=data["partner"], actor=request.user.get_username(), options=form.options
            )
            return HttpResponseRedirect(self.page_url(table))

        return self.action_form_view(
            request,
            title="New table",
            form=form,
            call=call,
            done="The table is open.",
            note="It opens with the game's default terms; Configure on its page changes them.",
            template="office/new_table_form.html",
            extra={"submit": "Open the table"},
        )

    @action(description="Configure", icon="tune", permissions=["configure"])
    def configure(self, request: HttpRequest, object_id: str) -> HttpResponse:
        table: GameTable = self.object_or_404(request, object_id)
        form = TableForm(sent(request), table=table)

        def call(_data: dict[str, Any]) -> str | None:
            return changed_message(
                table_configure(
                    table=table, user=log_in_of(request), options=form.options, version=version_sent(request)
                )
            )

        return self.action_form_view(
            request,
            obj=table,
            title=f"Configure {table}",
            form=form,
            call=call,
            version=table.config_version,
            done="Saved. It applies from the next round.",
            note="A round keeps the terms of the moment when its window opened.",
            template="office/table_form.html",
        )

    @action(description="Close the table", icon="block", variant=ActionVariant.DANGER, permissions=["configure"])
    def close(self, request: HttpRequest, object_id: str) -> HttpResponse:
        table: GameTable = self.object_or_404(request, object_id)
        return self.action_form_view(
            request,
            obj=table,
            title=f"Close {table}",
            form=Form(sent(request)),
            call=lambda _data: table_close_by(table=table, user=log_in_of(request)),
            commits_itself=True,
            done="The table is closed, or closes when its round is over.",
            note="Stakes of an open window go back; dealt cards are played out first. Then all seats are free.",
            extra={"submit": "Close the table", "danger": True},
        )

    @action(description="Open the table again", icon="check", permissions=["configure"])
    def open_again(self, request: HttpRequest, object_id: str) -> HttpResponse:
        table: GameTable = self.object_or_404(request, object_id)
        return self.action_form_view(
            request,
            obj=table,
            title=f"Open {table} again",
            form=Form(sent(request)),
            call=lambda _data: table_open_by(table=table, user=log_in_of(request)),
            commits_itself=True,
            done="The table is open.",
            extra={"submit": "Open the table"},
        )


@admin.register(TableRound)
class TableRoundAdmin(TableRoundExport, AppendOnlyAdmin):
    partner_path = "table__partner_id"
    linked_lookups = frozenset({"table__id__exact"})
    list_display = ["number", "table_link", "game", "partner", "started", "ending_text", "seats_staked"]
    list_select_related = ["table__partner"]
    list_filter = [("started_at", DayRangeFilter), ("table__partner", RelatedFilter), ("ending", ChoiceFilter)]
    search_fields = ["id"]
    search_help_text = "The id of a table's round, or a part of its table's name"
    fieldsets = (
        (
            None,
            {
                "fields": (
                    "whole_id",
                    "number",
                    "table_link",
                    "partner",
                    "started",
                    "ended",
                    "ending_text",
                    "replay_link",
                )
            },
        ),
        ("Seats", {"fields": ("seats_table",)}),
        ("Log", {"fields": ("log",)}),
        (
            "Fairness",
            {"fields": ("seed_hash_text", "seed_text", "contributions_table", "client_seed", "nonce", "shoe_text")},
        ),
        ("Terms", {"fields": ("config_version", "terms_text")}),
    )
    actions_detail = ["replay", "void"]

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Any]":
        return super().get_queryset(request).select_related("table__partner", "table__currency")

    def page_rows_load(self, rows: Sequence[Any]) -> None:
        settled = [row.pk for row in rows if row.ending == RoundEnding.SETTLED]
        voids = Round.objects.filter(table_round__in=settled, void__isnull=False)
        voided = set(voids.values_list("table_round", flat=True))
        for row in rows:
            row.is_voided_later = row.pk in voided

    def has_operate_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return OfficeAdmin.has_operate_permission(self, request, obj)

    def search_lookup(self, term: str) -> Mapping[str, Any] | None:
        return uuid_lookup("id", term) or {"table__name__icontains": term}

    def hidden_actions(self, row: TableRound) -> Collection[str]:
        if row.ending == RoundEnding.RUNNING:
            return ["replay"]
        voidable = Round.objects.filter(table_round=row.pk, how_ended=RoundEnd.PLAYED, void__isnull=True).exists()
        return [] if voidable else ["void"]

    @display(description="table")
    def table_link(self, row: TableRound) -> SafeString:
        return link_html("tables_gametable", row.table_id, row.table)

    @display(description="game")
    def game(self, row: TableRound) -> str:
        return table_game_of(row.table.game_type).title

    @display(description="partner")
    def partner(self, row: TableRound) -> str:
        return str(row.table.partner)

    @display(description="began (UTC)", ordering="started_at")
    def started(self, row: TableRound) -> SafeString:
        return time_html(row.started_at)

    @display(description="ended (UTC)")
    def ended(self, row: TableRound) -> SafeString:
        return time_html(row.ended_at)

    @display(
        description="how it ended",
        label={
            "running": "success",
            "settled": "info",
            "nobody staked": "info",
            "voided": "danger",
            VOIDED_LATER: "danger",
        },
    )
    def ending_text(self, row: Any) -> str:
        return VOIDED_LATER if row.is_voided_later else _ending(row)

    @display(description="seats that staked")
    def seats_staked(self, row: TableRound) -> int | str:
        return "-" if row.ending == RoundEnding.RUNNING else len(row.detail.get("results", ()))

    @display(description="replay")
    def replay_link(self, row: TableRound) -> SafeString | str:
        if row.ending == RoundEnding.RUNNING:
            return "when it has ended"
        return format_html('<a href="{}">Step by step</a>', reverse("admin:table_replay", args=[row.pk]))

    @display(description="who staked")
    def seats_table(self, row: TableRound) -> SafeString:
        rounds = Round.objects.filter(table_round=row.pk).select_related("player", "currency", "void").order_by("seat")
        if row.table.currency_id is None:
            results = row.detail.get("results", ())
            return table_html(
                ("seat", "staked", "back"),
                [
                    (each["seat"], counted(each["stakes"], "point"), counted(each["payout"], "point"))
                    for each in results
                ],
            )
        return table_html(
            ("seat", "player", "round", "staked", "back", "how it ended"),
            [
                (
                    seat.seat,
                    link_html("accounts_player", seat.player_id, seat.player),
                    link_html("rounds_round", seat.pk, str(seat.pk)[:8]),
                    amount_text(seat.stake, seat.currency),
                    amount_text(seat.payout, seat.currency),
                    ending_in_words(seat),
                )
                for seat in rounds
            ],
        )

    @display(description="in order")
    def log(self, row: TableRound) -> SafeString:
        """Return the round's actions. At a table for points the stakes of an open window are hidden from all."""
        if row.ending == RoundEnding.RUNNING and row.table.currency_id is None:
            return table_html((), [], empty="Shown when the round has ended.")
        story = _story(row)
        rows = sorted(story.played.actions.all(), key=lambda each: each.number)
        return table_html(
            ("no.", "time (UTC)", "seat", "what"),
            [
                (each.number, f"{each.ctime:%H:%M:%S.%f}", each.seat, story.summary(taken))
                for each, taken in zip(rows, story.actions, strict=True)
            ],
            empty="Nobody did anything.",
        )

    @display(description="commitment")
    def seed_hash_text(self, row: TableRound) -> SafeString:
        return format_html('<code class="hash">{}</code>', row.seed_hash)

    @display(description="server seed")
    def seed_text(self, row: TableRound) -> SafeString:
        if not row.seed:
            return format_html("<em>{}</em>", "secret until the round ends")
        return format_html('<code class="hash">{}</code>', row.seed)

    @display(description="contributions")
    def contributions_table(self, row: TableRound) -> SafeString:
        rows = [(each["seat"], format_html("<code>{}</code>", each["clientSeed"])) for each in row.contributions]
        return table_html(("seat", "client seed"), rows, empty="Nobody contributed.")

    @display(description="the shoe at its start")
    def shoe_text(self, row: TableRound) -> SafeString | str:
        return shoe_table(row.shoe)

    @display(description="rules, stakes, odds")
    def terms_text(self, row: TableRound) -> SafeString:
        return terms_table(terms_from_json(row.terms), row.table)

    @action(description="Replay", icon="replay")
    def replay(self, request: HttpRequest, object_id: str) -> HttpResponse:
        row: TableRound = self.object_or_404(request, object_id)
        return HttpResponseRedirect(reverse("admin:table_replay", args=[row.pk]))

    @action(description="Void", icon="block", variant=ActionVariant.DANGER, permissions=["operate"])
    def void(self, request: HttpRequest, object_id: str) -> HttpResponse:
        row: TableRound = self.object_or_404(request, object_id)
        return self.action_form_view(
            request,
            obj=row,
            title=f"Void round {row.number} of {row.table}",
            form=ReasonForm(sent(request)),
            call=lambda data: table_round_void(operator=log_in_of(request), played=row, **data),
            commits_itself=True,
            done="The round is voided: the stakes of all its seats went back.",
            note="Stakes of all seats go back as refunds and payouts are taken back, as new rows; the record stays"
            " as it is. A round that is running ends, and its seed is revealed.",
            extra={
                "details": ahead_html(table_round_void_details(row), "after the void"),
                "submit": "Void the round for all seats",
                "danger": True,
            },
        )


@admin.register(TableSession)
class TableSessionAdmin(OfficeAdmin):
    """Sessions at the tables, without their tokens and sockets."""

    partner_path = "partner_id"
    linked_lookups = frozenset({"player__id__exact"})
    list_display = ["id", "player_link", "partner", "currency", "created", "active", "is_live", "seats_text", "address"]
    list_select_related = ["player", "partner", "currency"]
    list_filter = [("partner", RelatedFilter), ("ctime", DayRangeFilter)]
    fields = [
        "id", "player_link", "partner", "currency", "games", "created", "active", "expires", "ended", "is_live",
        "address", "seats_text", "events",
    ]  # fmt: skip
    search_fields = ["player__reference"]
    search_help_text = "A player's whole reference"

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Any]":
        return super().get_queryset(request).prefetch_related("seats__table")

    def search_lookup(self, term: str) -> Mapping[str, Any] | None:
        return {"player__reference": term}

    @display(description="player", ordering="player")
    def player_link(self, session: TableSession) -> SafeString:
        return link_html("accounts_player", session.player_id, session.player)

    @display(description="games")
    def games(self, session: TableSession) -> str:
        return ", ".join(session.allowed_games)

    @display(description="last message (UTC)")
    def active(self, session: TableSession) -> SafeString:
        return time_html(session.active_at)

    @display(description="expires (UTC)")
    def expires(self, session: TableSession) -> SafeString:
        return time_html(session.expires_at)

    @display(description="ended (UTC)")
    def ended(self, session: TableSession) -> SafeString:
        return time_html(session.ended_at)

    @display(description="connected", boolean=True)
    def is_live(self, session: TableSession) -> bool:
        return bool(session.socket) and session.ended_at is None

    @display(description="seats")
    def seats_text(self, session: TableSession) -> str:
        return ", ".join(f"seat {seat.seat} at {seat.table}" for seat in session.seats.all()) or "-"

    @display(description="what it was told, newest first")
    def events(self, session: TableSession) -> SafeString:
        return session_events_table(session)


def _story(row: TableRound) -> TableRoundStory:
    return TableRoundStory(table_rounds_ready(TableRound.objects.filter(pk=row.pk)).get())


def _live_context(table: GameTable) -> dict[str, Any]:
    return {
        "table": table,
        "live": live_table(table),
        "live_url": reverse("admin:tables_gametable_live", args=[table.pk]),
    }


def _ending(row: TableRound) -> str:
    return row.get_ending_display()


def _list_url(model: str) -> str:
    return reverse(f"admin:tables_{model}_changelist")
