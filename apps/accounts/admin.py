"""Players and log-ins."""

from collections.abc import Collection, Mapping
from typing import Any, Final

from django import forms
from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.decorators import action, display
from unfold.enums import ActionVariant
from unfold.widgets import (
    UnfoldAdminEmailInputWidget,
    UnfoldAdminPasswordWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextInputWidget,
)

from apps.accounts.models import Player, PlayerStatus, Role, User
from apps.accounts.selectors import log_in_of
from apps.accounts.services import operator_create, player_status_set, staff_create, user_active_set
from apps.core.admin import OfficeAdmin, ReasonForm, sent
from apps.core.filters import ChoiceFilter, DayRangeFilter, RelatedFilter
from apps.core.list_admin import listings_filtered_by
from apps.core.viewers import AUDITOR, OFFICE_ROLES, OPERATOR
from apps.partners.models import Partner

OF_PLAYER: Final = "player__id__exact"
"""The parameter that filters a list by one player."""


@admin.register(Player)
class PlayerAdmin(OfficeAdmin):
    partner_path = "partner_id"
    list_display = ["id", "reference", "partner", "state", "currency", "created"]
    list_select_related = ["partner", "currency"]
    list_filter = [("partner", RelatedFilter), ("status", ChoiceFilter), ("ctime", DayRangeFilter)]
    search_fields = ["reference"]
    fields = ["id", "reference", "partner", "state", "currency", "created", "elsewhere"]
    actions_detail = ["block", "unblock"]

    def hidden_actions(self, row: Player) -> Collection[str]:
        return ["unblock" if row.status == PlayerStatus.ACTIVE else "block"]

    @display(description="status", label={"active": "success", "blocked": "danger"}, ordering="status")
    def state(self, player: Player) -> str:
        return player.status

    @display(description="see also")
    def elsewhere(self, player: Player) -> SafeString:
        """Return links to the player's rows in the lists that can be filtered by player."""
        links = [
            format_html(
                '<a href="{}?{}={}">{}</a>',
                reverse(f"admin:{listing.opts.app_label}_{listing.opts.model_name}_changelist"),
                OF_PLAYER,
                player.pk,
                str(listing.opts.verbose_name_plural).capitalize(),
            )
            for listing in listings_filtered_by(self.admin_site, OF_PLAYER)
        ]
        return format_html('<span class="links">{}</span>', SafeString(" ".join(links)))

    def search_lookup(self, term: str) -> Mapping[str, Any] | None:
        return {"reference__icontains": term}

    @action(description="Block", icon="block", variant=ActionVariant.DANGER, permissions=["operate"])
    def block(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._status_page(request, object_id, PlayerStatus.BLOCKED, "Block the player")

    @action(description="Unblock", icon="check", permissions=["operate"])
    def unblock(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._status_page(request, object_id, PlayerStatus.ACTIVE, "Let the player play again")

    def _status_page(self, request: HttpRequest, object_id: str, status: PlayerStatus, title: str) -> HttpResponse:
        player: Player = self.object_or_404(request, object_id)
        return self.action_form_view(
            request,
            obj=player,
            title=f"{title}: {player.reference}",
            form=ReasonForm(sent(request)),
            call=lambda data: player_status_set(operator=log_in_of(request), player=player, status=status, **data),
            done=f"The player is {status}.",
            extra={"danger": status is PlayerStatus.BLOCKED},
        )


@admin.register(User)
class UserAdmin(OfficeAdmin):
    """Log-ins, without password hashes and second factors. Operators create those of the back office."""

    partner_path = "partner_id"
    readers = frozenset({AUDITOR, OPERATOR})
    list_display = ["username", "email", "role", "partner", "is_active", "date_joined", "last_login"]
    list_select_related = ["partner"]
    list_filter = [("role", ChoiceFilter), ("partner", RelatedFilter)]
    search_fields = ["username", "email"]
    fields = ["username", "email", "role", "partner", "is_active", "date_joined", "last_login"]
    actions_detail = ["close", "open_again"]

    def hidden_actions(self, row: User) -> Collection[str]:
        return ["open_again" if row.is_active else "close"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.has_operate_permission(request)

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Create a log-in of the back office."""
        self.add_permission_require(request)

        def call(data: dict[str, Any]) -> object:
            role = Role(data["role"])
            if role is Role.OPERATOR and data["partner"] is None and settings.PUNTO_TWO_PERSONS:
                return operator_create(operator=log_in_of(request), username=data["username"], email=data["email"])
            user = staff_create(actor=request.user.get_username(), **data | {"role": role})
            return HttpResponseRedirect(self.page_url(user))

        form = OfficeUserForm(sent(request))
        return self.action_form_view(request, title="New log-in of the back office", form=form, call=call, done="")

    @action(description="Close the log-in", icon="block", variant=ActionVariant.DANGER, permissions=["operate"])
    def close(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._active_page(request, object_id, active=False)

    @action(description="Open the log-in again", icon="check", permissions=["operate"])
    def open_again(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._active_page(request, object_id, active=True)

    def _active_page(self, request: HttpRequest, object_id: str, *, active: bool) -> HttpResponse:
        user: User = self.object_or_404(request, object_id)
        return self.action_form_view(
            request,
            obj=user,
            title=f"{'Open' if active else 'Close'} the log-in {user}",
            form=ReasonForm(sent(request)),
            call=lambda data: user_active_set(operator=log_in_of(request), user=user, active=active, **data),
            done=f"The log-in is {'open' if active else 'closed'}.",
            extra={"danger": not active, "submit": f"{'Open' if active else 'Close'} the log-in"},
        )


class OfficeUserForm(forms.Form):
    """The form of a new log-in of the back office."""

    username = forms.CharField(max_length=150, widget=UnfoldAdminTextInputWidget)
    email = forms.EmailField(widget=UnfoldAdminEmailInputWidget)
    role = forms.ChoiceField(
        choices=[choice for choice in Role.choices if choice[0] in OFFICE_ROLES], widget=UnfoldAdminSelectWidget
    )
    partner = forms.ModelChoiceField(
        Partner.objects.all(),
        required=False,
        empty_label="none",
        widget=UnfoldAdminSelectWidget,
        help_text="Partner staff need one; an auditor without a partner reads all of them.",
    )
    password = forms.CharField(
        widget=UnfoldAdminPasswordWidget({"autocomplete": "new-password"}),
        help_text="The user should change it after the first log-in and set up the second factor.",
    )
