"""Switches of bets and rounds."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from unfold.decorators import action, display
from unfold.enums import ActionVariant
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget

from apps.accounts.selectors import log_in_of
from apps.core.admin import OfficeAdmin, ReasonForm, sent
from apps.core.filters import ChoiceFilter, ConditionFilter
from apps.core.staff_scope import AUDITOR, OPERATOR
from apps.core.widgets import SuggestInput
from apps.switches.models import Switch, SwitchScope
from apps.switches.names import key_of_name, names_offered
from apps.switches.selectors import switch_named, switches_named
from apps.switches.services import switch_set

NOTE = "It applies from the next bet, in every process. Open rounds are finished, and funds can be withdrawn."


class SwitchForm(forms.Form):
    """The form that switches something off."""

    scope = forms.ChoiceField(
        label="What",
        # Nothing is chosen before, least of all everything.
        choices=[("", "choose"), *SwitchScope.choices],
        widget=UnfoldAdminSelectWidget,
    )
    key = forms.CharField(
        label="Which",
        required=False,
        max_length=200,
        widget=SuggestInput(names_offered),
        help_text="The game, the partner's short name, partner/reference of a player, partner/name of a table, or how"
        " the pay table's hash begins. Empty for everything.",
    )
    reason = forms.CharField(
        max_length=500, widget=UnfoldAdminTextareaWidget, help_text="It is stored permanently with your name."
    )


class StateFilter(ConditionFilter):
    """What is off, or on again."""

    title = "state"
    parameter_name = "state"

    def conditions(self) -> Mapping[str, tuple[str, Q]]:
        return {"off": ("off", Q(is_off=True)), "on": ("on", Q(is_off=False))}


@admin.register(Switch)
class SwitchAdmin(OfficeAdmin):
    readers = frozenset({AUDITOR, OPERATOR})
    all_partners_only = True
    list_display = ["what", "state", "reason", "by", "authorised_by", "changed"]
    list_filter = [("scope", ChoiceFilter), StateFilter]
    search_fields = ["key"]
    fields = ["what", "scope", "key", "state", "reason", "by", "authorised_by", "changed"]
    empty_note = "Everything is on."
    add_words = "Switch something off"
    actions_detail = ["switch_off", "switch_on"]

    def row_title(self, row: Switch) -> str:
        return switch_named(row)

    def waiting_subjects(self, row: Switch) -> list[str]:
        return [f"switch of {row}"]

    def hidden_actions(self, row: Switch) -> Collection[str]:
        return ["switch_off" if row.is_off else "switch_on"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.has_operate_permission(request)

    def page_rows_load(self, rows: Sequence[Any]) -> None:
        names = switches_named(rows)
        for row in rows:
            row.shown_name = names[row.pk]

    @display(description="what", ordering="scope")
    def what(self, row: Any) -> str:
        return str(row.shown_name)

    @display(description="state", label={"off": "danger", "on": "success"})
    def state(self, row: Switch) -> str:
        return "off" if row.is_off else "on"

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Switch something off."""
        self.add_permission_require(request)

        def call(data: dict[str, Any]) -> object:
            scope = SwitchScope(data["scope"])
            return switch_set(
                operator=log_in_of(request),
                scope=scope,
                key=key_of_name(scope, data["key"]),
                is_off=True,
                reason=data["reason"],
            )

        return self.action_form_view(
            request,
            title="Switch off",
            form=SwitchForm(sent(request)),
            call=call,
            done="It is switched off.",
            note=NOTE,
            extra={"danger": True, "submit": "Switch off"},
        )

    @action(description="Switch off", icon="block", variant=ActionVariant.DANGER, permissions=["operate"])
    def switch_off(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._switch_page(request, object_id, is_off=True)

    @action(description="Switch on again", icon="check", permissions=["operate"])
    def switch_on(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._switch_page(request, object_id, is_off=False)

    def _switch_page(self, request: HttpRequest, object_id: str, *, is_off: bool) -> HttpResponse:
        row: Switch = self.object_or_404(request, object_id)
        verb = "Switch off" if is_off else "Switch on again"

        def call(data: dict[str, Any]) -> object:
            scope = SwitchScope(row.scope)
            return switch_set(operator=log_in_of(request), scope=scope, key=row.key, is_off=is_off, **data)

        return self.action_form_view(
            request,
            obj=row,
            title=f"{verb}: {switch_named(row)}",
            form=ReasonForm(sent(request)),
            call=call,
            done=f"It is switched {'off' if is_off else 'on'}.",
            note=NOTE if is_off else "This takes a second operator.",
            extra={"danger": is_off, "submit": verb},
        )
