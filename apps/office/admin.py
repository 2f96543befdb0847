"""Thresholds of significant events. Their page is here because a change takes approvals, which are above the events."""

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils.safestring import SafeString
from unfold.decorators import display
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget, UnfoldAdminTextInputWidget

from apps.accounts.selectors import log_in_of
from apps.core.admin import AppendOnlyAdmin, OfficeAdmin, sent
from apps.core.filters import ChoiceFilter
from apps.core.models import Currency
from apps.core.money import grouped, plain
from apps.core.office_html import table_html
from apps.core.staff_scope import AUDITOR, OPERATOR
from apps.core.widgets import PlainDecimalField
from apps.events.models import EventKind, EventThreshold
from apps.events.thresholds import DEFAULTS, ThresholdMeasure, threshold_value
from apps.office.threshold_changes import event_threshold_set, measure_key, measure_named


class ThresholdForm(forms.Form):
    """The form of a new threshold."""

    measure = forms.ChoiceField(widget=UnfoldAdminSelectWidget)
    currency = forms.ModelChoiceField(
        Currency.objects.all(),
        required=False,
        empty_label="all",
        widget=UnfoldAdminSelectWidget,
        help_text="Only for amounts. A currency's own threshold overrides that of all currencies.",
    )
    value = PlainDecimalField(widget=UnfoldAdminTextInputWidget)
    reason = forms.CharField(
        max_length=500, widget=UnfoldAdminTextareaWidget, help_text="It is stored permanently with your name."
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["measure"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [
            (measure_key(measure), f"{_kind(measure)}, {measure.name}: now {plain(threshold_value(measure))}")
            for measure in DEFAULTS
        ]


@admin.register(EventThreshold)
class EventThresholdAdmin(AppendOnlyAdmin):
    readers = frozenset({AUDITOR, OPERATOR})
    all_partners_only = True
    list_display = ["id", "created", "kind_text", "measure", "currency", "value_text", "by", "reason"]
    list_filter = [("kind", ChoiceFilter)]
    list_before_template = "office/thresholds.html"
    add_words = "Set a threshold"
    waiting_acts = frozenset({"threshold.set"})
    empty_note = "The defaults apply."
    fields = list_display

    def has_operate_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return OfficeAdmin.has_operate_permission(self, request, obj)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.has_operate_permission(request)

    def in_force(self) -> SafeString:
        """Return the thresholds in force, for the page of their changes."""
        rows = [
            (_kind(measure), measure.name, grouped(threshold_value(measure)), grouped(default))
            for measure, default in DEFAULTS.items()
        ]
        return table_html(("event", "measure", "in force", "default"), rows)

    @display(description="kind", ordering="kind")
    def kind_text(self, row: EventThreshold) -> str:
        return str(EventKind(row.kind).label)

    @display(description="value", ordering="value")
    def value_text(self, row: EventThreshold) -> str:
        return plain(row.value)

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Set a threshold."""
        self.add_permission_require(request)

        def call(data: dict[str, Any]) -> object:
            return event_threshold_set(
                operator=log_in_of(request),
                measure=measure_named(data["measure"]),
                currency="" if data["currency"] is None else data["currency"].code,
                value=data["value"],
                reason=data["reason"],
            )

        return self.action_form_view(
            request,
            title="Set a threshold",
            form=ThresholdForm(sent(request)),
            call=call,
            done="The threshold is set.",
            note="From this value on something is a significant event. Raising it takes a second operator.",
        )


def _kind(measure: ThresholdMeasure) -> str:
    return str(measure.kind.label)
