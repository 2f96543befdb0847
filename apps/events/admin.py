"""Significant events and their thresholds."""

from collections.abc import Sequence
from typing import Any, cast

from django.contrib import admin
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.decorators import display

from apps.core.actor_names import shown_actor
from apps.core.admin import AppendOnlyAdmin, viewer_of
from apps.core.filters import ChoiceFilter, DayRangeFilter, PartnerKeyFilter
from apps.core.money import plain
from apps.core.office_html import link_html
from apps.core.staff_scope import sees_all_partners
from apps.core.subjects import changes_html, links_load
from apps.events.models import EventKind, EventLink, SignificantEvent


@admin.register(SignificantEvent)
class SignificantEventAdmin(AppendOnlyAdmin):
    """Partner staff see the events of their partner; events of no partner are for viewers of all partners."""

    partner_path = "partner_id"
    list_display = ["id", "created", "kind_text", "subject_link", "partner_link", "amount_text", "who", "reason"]
    list_filter = [("kind", ChoiceFilter), ("ctime", DayRangeFilter), PartnerKeyFilter]
    search_fields = ["subject", "actor"]
    person_columns = frozenset({"actor"})
    search_help_text = "What it is about, or who did it"
    fields = [
        "id", "created", "kind_text", "component", "subject_link", "round_link", "amount_text", "who",
        "second_person", "partner_link", "reason", "changes", "link_text",
    ]  # fmt: skip

    @display(
        description="kind",
        ordering="kind",
        label={
            "authentication mismatch": "danger",
            "data changed": "danger",
            "data lost": "danger",
            "unusual": "danger",
        },
    )
    def kind_text(self, event: SignificantEvent) -> str:
        return str(EventKind(event.kind).label)

    def get_list_display(self, request: HttpRequest) -> list[Any]:
        """Omit the partner for a viewer of one partner: it is the same in each row."""
        columns = list(super().get_list_display(request))
        return (
            columns if sees_all_partners(viewer_of(request)) else [each for each in columns if each != "partner_link"]
        )

    def page_rows_load(self, rows: Sequence[Any]) -> None:
        links_load(rows)

    @display(description="subject", ordering="subject")
    def subject_link(self, event: Any) -> SafeString | str:
        return cast("SafeString | str", event.subject_shown) or "-"

    @display(description="round")
    def round_link(self, event: SignificantEvent) -> SafeString | str:
        return "-" if event.round_id is None else link_html("rounds_round", event.round_id, str(event.round_id)[:8])

    @display(description="amount", ordering="amount")
    def amount_text(self, event: SignificantEvent) -> str:
        return "-" if event.amount is None else f"{plain(event.amount)} {event.currency}".rstrip()

    @display(description="actor")
    def who(self, event: SignificantEvent) -> str:
        return shown_actor(event.actor)

    @display(description="authorised by")
    def second_person(self, event: SignificantEvent) -> str:
        return shown_actor(event.authorised_by or "-")

    @display(description="partner")
    def partner_link(self, event: Any) -> SafeString | str:
        return cast("SafeString | str", event.partner_shown)

    @display(description="before and after")
    def changes(self, event: SignificantEvent) -> SafeString:
        return changes_html(event.before, event.after)

    @display(description="place in the chain")
    def link_text(self, event: SignificantEvent) -> SafeString | str:
        link = EventLink.objects.filter(event_id=event.pk).first()
        if link is None:
            return "-"
        return format_html('{} <code class="hash">{}</code>', link.number, bytes(link.hash).hex())
