"""Significant events and their thresholds."""

from django.apps import apps
from django.contrib import admin
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.decorators import display

from apps.core.actor_names import shown_actor
from apps.core.admin import AppendOnlyAdmin
from apps.core.filters import ChoiceFilter, DayRangeFilter
from apps.core.money import plain
from apps.core.office_html import link_html
from apps.core.subjects import changes_html, subject_html
from apps.events.models import EventKind, EventLink, SignificantEvent


@admin.register(SignificantEvent)
class SignificantEventAdmin(AppendOnlyAdmin):
    """Partner staff see the events of their partner; events of no partner are for viewers of all partners."""

    partner_path = "partner_id"
    list_display = ["id", "created", "kind_text", "subject_link", "amount_text", "who", "reason"]
    list_filter = [("kind", ChoiceFilter), ("ctime", DayRangeFilter)]
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

    @display(description="subject", ordering="subject")
    def subject_link(self, event: SignificantEvent) -> SafeString | str:
        return subject_html(event.subject) or "-"

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
    def partner_link(self, event: SignificantEvent) -> SafeString | str:
        """Name the partner. The app of partners is above this one, so its model is found by its name."""
        if event.partner_id is None:
            return "-"
        partner = apps.get_model("partners.Partner")._default_manager.filter(pk=event.partner_id).first()
        return "-" if partner is None else link_html("partners_partner", event.partner_id, partner)

    @display(description="before and after")
    def changes(self, event: SignificantEvent) -> SafeString:
        return changes_html(event.before, event.after)

    @display(description="place in the chain")
    def link_text(self, event: SignificantEvent) -> SafeString | str:
        link = EventLink.objects.filter(event_id=event.pk).first()
        if link is None:
            return "-"
        return format_html('{} <code class="hash">{}</code>', link.number, bytes(link.hash).hex())
