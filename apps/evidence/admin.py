"""Pay tables, RTP alarms, and partners' choices about the publication of their RTPs."""

from collections.abc import Collection, Mapping
from typing import Any, cast

from django.contrib import admin
from django.db.models import CharField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Cast
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from unfold.decorators import action, display
from unfold.enums import ActionVariant

from apps.accounts.selectors import log_in_of
from apps.core.actor_names import shown_actor
from apps.core.admin import OfficeAdmin, ReasonForm, sent, viewer_of
from apps.core.filters import ChoiceFilter, ConditionFilter, DayRangeFilter, RelatedFilter
from apps.core.office_html import data_html, link_html, table_html, time_html
from apps.core.staff_scope import AUDITOR, OPERATOR
from apps.core.subjects import SHORT_KEY
from apps.evidence.consequences import on_alarm_of, switches_of
from apps.evidence.figures import law_title
from apps.evidence.forms import OnAlarmForm, PublicationForm
from apps.evidence.models import EvidenceAlarm, EvidenceAlarmClose, Measure, OnAlarm, RtpPublication
from apps.evidence.office import alarm_url
from apps.evidence.selectors import LawKey, MoneyKey, part_title
from apps.evidence.services import alarm_close, alarm_text, paytable_on_alarm_set, rtp_publication_set
from apps.partners.models import Partner
from apps.paytables.models import PayTable
from apps.rounds.registry import bet_labels, game_title
from apps.switches.selectors import switches_named


@admin.register(PayTable)
class PayTableAdmin(OfficeAdmin):
    """Pay tables with their theoretical figures and who offered them. Partners share them."""

    all_partners_only = True
    subject_name = staticmethod(lambda row: row.hash[:SHORT_KEY])
    readers = frozenset({AUDITOR, OPERATOR})
    list_display = ["id", "game_name", "short_hash", "created"]
    list_filter = [("ctime", DayRangeFilter)]
    search_fields = ["hash"]
    fields = ["id", "game_name", "hash", "created", "bets", "uses_table", "on_alarm", "terms_text"]
    actions_detail = ["on_alarm_choose"]

    @display(description="game", ordering="game")
    def game_name(self, row: PayTable) -> str:
        return game_title(row.game)

    @display(description="hash")
    def short_hash(self, row: PayTable) -> str:
        return row.hash[:8]

    @display(description="bets, for each unit staked")
    def bets(self, row: PayTable) -> SafeString:
        return table_html(
            ("bet", "theoretical RTP", "standard deviation", "computed"),
            [
                (_bet(row.game, line.kind, line.law), line.rtp, line.deviation or "-", line.method)
                for line in row.lines.order_by("id")
            ],
        )

    @display(description="offered by")
    def uses_table(self, row: PayTable) -> SafeString:
        uses = row.uses.filter(ends=None).select_related("partner", "currency", "end").order_by("-id")
        return table_html(
            ("partner", "currency", "from (UTC)", "until (UTC)"),
            [
                (
                    use.partner,
                    use.currency_id,
                    time_html(use.available_from),
                    time_html(use.end.decommissioned_at if hasattr(use, "end") else None),
                )
                for use in uses
            ],
        )

    @display(description="an alarm")
    def on_alarm(self, row: PayTable) -> str:
        return str(OnAlarm(on_alarm_of(row.pk)).label)

    @display(description="rules and odds")
    def terms_text(self, row: PayTable) -> SafeString:
        return data_html(row.terms, bet_labels(row.game))

    @action(description="What an alarm does", icon="notification_important", permissions=["operate"])
    def on_alarm_choose(self, request: HttpRequest, object_id: str) -> HttpResponse:
        row: PayTable = self.object_or_404(request, object_id)
        return self.action_form_view(
            request,
            obj=row,
            title=f"What an RTP alarm does to {row}",
            form=OnAlarmForm(sent(request), initial={"on_alarm": on_alarm_of(row.pk)}),
            call=lambda data: paytable_on_alarm_set(operator=log_in_of(request), paytable=row, **data),
            done="The choice is saved.",
            note="Refused rounds begin again when two operators have closed the alarm. Open rounds are finished.",
        )


class StateFilter(ConditionFilter):
    """Alarms that are open, or closed."""

    title = "state"
    parameter_name = "state"

    def conditions(self) -> Mapping[str, tuple[str, Q]]:
        return {"open": ("open", Q(close=None)), "closed": ("closed", Q(close__isnull=False))}


@admin.register(EvidenceAlarm)
class EvidenceAlarmAdmin(OfficeAdmin):
    """Alarms of the RTP watch."""

    all_partners_only = True
    readers = frozenset({AUDITOR, OPERATOR})
    list_display = ["id", "created", "bet", "of", "measure", "n", "state"]
    list_filter = [StateFilter, ("measure", ChoiceFilter), ("ctime", DayRangeFilter)]
    list_select_related = ["close"]
    fields = ["id", "created", "bet", "of", "text", "figures", "refuses", "state", "closed"]
    actions_detail = ["close_alarm"]

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Any]":
        named = Partner.objects.annotate(key=Cast("pk", CharField())).filter(key=OuterRef("value"))
        rows = super().get_queryset(request)
        return cast("QuerySet[Any]", rows.annotate(partner_name=Subquery(named.values("name"))))

    def hidden_actions(self, row: EvidenceAlarm) -> Collection[str]:
        return ["close_alarm"] if hasattr(row, "close") else []

    @display(description="bet")
    def bet(self, row: EvidenceAlarm) -> str:
        if row.measure == Measure.CARDS:
            return f"{game_title(row.game)}: {row.kind}, {row.law}"
        return law_title(MoneyKey(LawKey(row.game, row.kind, row.law), row.is_play))

    @display(description="of")
    def of(self, row: EvidenceAlarm) -> str:
        partner = getattr(row, "partner_name", None)
        return part_title(row.part, row.value, {row.value: partner} if partner else {})

    @display(description="what was found")
    def text(self, row: EvidenceAlarm) -> str:
        return alarm_text(row)

    @display(description="figures")
    def figures(self, row: EvidenceAlarm) -> SafeString:
        return format_html('<a href="{}">RTP evidence</a>', alarm_url(row))

    @display(description="pay tables that refuse rounds")
    def refuses(self, row: EvidenceAlarm) -> SafeString | str:
        names = switches_named(switches_of(row))
        links = [link_html("switches_switch", pk, name) for pk, name in names.items()]
        return format_html_join(", ", "{}", ((link,) for link in links)) or "none"

    @display(description="state", label={"open": "danger", "closed": "success"})
    def state(self, row: EvidenceAlarm) -> str:
        return "closed" if hasattr(row, "close") else "open"

    @display(description="closed")
    def closed(self, row: EvidenceAlarm) -> SafeString | str:
        close: EvidenceAlarmClose | None = getattr(row, "close", None)
        if close is None:
            return "-"
        second = close.approval.decided_by if close.approval else None
        return table_html(
            ("closed (UTC)", "by", "second person", "why"),
            [(time_html(close.ctime), close.by, second or "-", close.reason)],
        )

    @action(description="Close the alarm", icon="task_alt", variant=ActionVariant.DANGER, permissions=["operate"])
    def close_alarm(self, request: HttpRequest, object_id: str) -> HttpResponse:
        row: EvidenceAlarm = self.object_or_404(request, object_id)
        return self.action_form_view(
            request,
            obj=row,
            title=f"Close {row}",
            form=ReasonForm(sent(request)),
            call=lambda data: alarm_close(operator=log_in_of(request), alarm=row, **data),
            done="The alarm is closed." + (" Its evidence begins anew." if row.measure != Measure.PAYOUT else ""),
            note="Write what the cause was and what was done. A second operator approves it.",
            extra={"submit": "Close the alarm", "danger": True},
        )


@admin.register(RtpPublication)
class RtpPublicationAdmin(OfficeAdmin):
    """Partners' choices whether their rounds are in the public RTPs; the newest one counts."""

    partner_path = "partner_id"
    list_display = ["id", "created", "partner", "is_allowed", "who"]
    list_select_related = ["partner"]
    list_filter = [("partner", RelatedFilter)]
    fields = list_display
    add_words = "Choose what is published"

    @display(description="by")
    def who(self, row: RtpPublication) -> str:
        return shown_actor(row.by)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.has_configure_permission(request)

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Save a partner's choice."""
        self.add_permission_require(request)
        return self.action_form_view(
            request,
            title="Publication of RTP",
            form=PublicationForm(sent(request), viewer=viewer_of(request)),
            call=lambda data: rtp_publication_set(
                **data, actor=request.user.get_username(), actor_user_id=request.user.pk
            ),
            done="The choice is saved.",
            note="The public page adds up the rounds of partners that allow it. It names no partner and no amount.",
        )


def _bet(game: str, kind: str, law: str) -> str:
    return law_title(MoneyKey(LawKey(game, kind, law), False))
