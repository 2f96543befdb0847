"""Players and log-ins."""

from collections.abc import Collection, Mapping
from typing import Any, Final

from allauth.mfa.utils import is_mfa_enabled
from allauth.usersessions.models import UserSession
from django import forms
from django.conf import settings
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from import_export import fields
from import_export.resources import ModelResource
from unfold.decorators import action, display
from unfold.enums import ActionVariant
from unfold.widgets import (
    UnfoldAdminEmailInputWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanWidget,
)

from apps.accounts.models import Player, PlayerStatus, Role, User
from apps.accounts.selectors import log_in_of
from apps.accounts.services import operator_create, player_status_set, user_active_set
from apps.accounts.staff import one_time_link, staff_invite, staff_reset, staff_sessions_end, staff_unlock
from apps.core.admin import ExportAdmin, OfficeAdmin, ReasonForm, sent, viewer_of
from apps.core.bulk_admin import BulkAct, BulkAdmin
from apps.core.errors import BadRequest
from apps.core.filters import ChoiceFilter, DayRangeFilter, RelatedFilter
from apps.core.list_admin import listings_filtered_by
from apps.core.office_html import headline, table_html, time_html
from apps.core.staff_scope import OFFICE_ROLES, PARTNER_STAFF
from apps.core.subjects import subject_of
from apps.partners.models import Partner
from apps.staff_access.services import log_in_is_locked

OF_PLAYER: Final = "player__id__exact"
"""The parameter that filters a list by one player."""


class PlayerResource(ModelResource):
    """The columns of an export of players."""

    partner = fields.Field(attribute="partner__slug", column_name="partner")
    currency = fields.Field(attribute="currency_id", column_name="currency")
    created = fields.Field(column_name="created")

    class Meta:
        model = Player
        fields = ("id", "reference", "partner", "status", "currency", "created")
        export_order = fields

    def dehydrate_created(self, player: Player) -> str:
        return player.ctime.isoformat()


@admin.register(Player)
class PlayerAdmin(BulkAdmin, ExportAdmin):
    partner_path = "partner_id"
    subject_name = staticmethod(str)
    resource = PlayerResource
    export_related = ("partner",)
    export_numbers = frozenset({"id"})
    list_display = ["id", "reference", "partner", "state", "currency", "created"]
    list_select_related = ["partner", "currency"]
    list_filter = [("partner", RelatedFilter), ("status", ChoiceFilter), ("ctime", DayRangeFilter)]
    search_fields = ["reference"]
    search_help_text = "A part of a player's reference"
    fields = ["id", "reference", "partner", "state", "currency", "created", "elsewhere"]
    actions_detail = ["file", "block", "unblock"]
    bulk_acts = {
        "block": BulkAct(
            "Block several",
            "Block the players",
            ("player is blocked.", "players are blocked."),
            "operate",
            lambda request, row, reason: player_status_set(
                operator=log_in_of(request), player=row, status=PlayerStatus.BLOCKED, reason=reason
            ),
        )
    }

    def bulk_label(self, row: Player) -> str:
        return f"{row.reference} ({row.partner})"

    def waiting_subjects(self, row: Player) -> list[str]:
        return [subject_of(row), *(subject_of(wallet) for wallet in row.wallets.all())]

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
                headline(listing.opts.verbose_name_plural),
            )
            for listing in listings_filtered_by(self.admin_site, OF_PLAYER)
        ]
        return format_html('<span class="links">{}</span>', SafeString(" ".join(links)))

    def search_lookup(self, term: str) -> Mapping[str, Any] | None:
        return {"reference__icontains": term}

    @action(description="File", icon="folder_shared")
    def file(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Link to the player's file."""
        player: Player = self.object_or_404(request, object_id)
        return HttpResponseRedirect(reverse("admin:player_file", args=[player.pk]))

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
    """Log-ins, without password hashes and second factors.

    Operators make and manage those of the back office, partner staff those of their own partner's staff.
    """

    partner_path = "partner_id"
    list_display = ["username", "email", "role", "partner", "is_active", "joined", "last_log_in"]
    list_select_related = ["partner"]
    list_filter = [("role", ChoiceFilter), ("partner", RelatedFilter)]
    search_fields = ["username", "email"]
    search_help_text = "A part of a username or of an email address"
    fields = [
        "name", "email", "role", "partner", "active", "lock", "factor", "joined", "last_log_in", "sessions",
        "timeline",
    ]  # fmt: skip
    waiting_acts = frozenset({"operator.create"})
    actions_detail = ["reset", "end_sessions", "unlock", "close", "open_again"]

    def get_queryset(self, request: HttpRequest) -> "QuerySet[User]":
        """Show partner staff the log-ins of their own colleagues alone, without auditors."""
        rows = super().get_queryset(request)
        return rows.filter(role=Role.PARTNER_STAFF) if viewer_of(request).role == PARTNER_STAFF else rows

    # The fields themselves would come with the help texts of a form.
    @display(description="username")
    def name(self, row: User) -> str:
        return row.username

    @display(description="active", boolean=True)
    def active(self, row: User) -> bool:
        return row.is_active

    @display(description="made (UTC)", ordering="date_joined")
    def joined(self, row: User) -> SafeString:
        return time_html(row.date_joined)

    @display(description="last log-in (UTC)", ordering="last_login")
    def last_log_in(self, row: User) -> SafeString:
        return time_html(row.last_login)

    def waiting_subjects(self, row: User) -> list[str]:
        return [f"log-in {row.get_username()}"]

    def hidden_actions(self, row: User) -> Collection[str]:
        hidden = ["open_again" if row.is_active else "close"]
        if not log_in_is_locked(row):
            hidden.append("unlock")
        return hidden

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.has_configure_permission(request)

    @display(description="locked", label={"locked": "danger", "no": "success"})
    def lock(self, user: User) -> str:
        return "locked" if log_in_is_locked(user) else "no"

    @display(description="second factor", boolean=True)
    def factor(self, user: User) -> bool:
        return bool(is_mfa_enabled(user))

    @display(description="sessions")
    def sessions(self, user: User) -> SafeString:
        rows = [
            (time_html(each.created_at), time_html(each.last_seen_at), each.ip, each.user_agent)
            for each in UserSession.objects.filter(user=user).order_by("-created_at")
            if each.exists()
        ]
        return table_html(("began (UTC)", "last seen (UTC)", "address", "browser"), rows)

    @display(description="timeline")
    def timeline(self, user: User) -> SafeString:
        return format_html('<a href="{}">What happened</a>', reverse("admin:timeline", args=["log-in", user.pk]))

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Create a log-in of the back office, and show its one-time link in this answer."""
        self.add_permission_require(request)
        own = log_in_of(request)

        def call(data: dict[str, Any]) -> object:
            data = {"role": Role.PARTNER_STAFF, "partner": own.partner} | data
            role = Role(data["role"])
            if role is Role.OPERATOR:
                if data["partner"] is not None:
                    raise BadRequest("partner: partner staff have one, operators have none", field="partner")
                user = operator_create(operator=own, username=data["username"], email=data["email"])
            else:
                user = staff_invite(actor=own, **data | {"role": role})
            return self._link_page(request, user)

        form = OfficeUserForm(sent(request), of_own_partner=own.role == Role.PARTNER_STAFF)
        return self.action_form_view(request, title="New log-in of the back office", form=form, call=call, done="")

    @action(description="Reset", icon="lock_reset", variant=ActionVariant.DANGER, permissions=["configure"])
    def reset(self, request: HttpRequest, object_id: str) -> HttpResponse:
        user: User = self.object_or_404(request, object_id)

        def call(data: dict[str, Any]) -> object:
            staff_reset(actor=log_in_of(request), user=user, **data)
            user.refresh_from_db()
            if user.role == Role.PLAYER:
                return 'The log-in is reset. Its owner chooses a password with "Forgot your password".'
            return self._link_page(request, user)

        return self.action_form_view(
            request,
            obj=user,
            title=f"Reset the log-in {user}",
            form=ResetForm(sent(request)),
            call=call,
            done="",
            note="Its password and all its sessions end. A one-time link lets its owner choose another password; to a"
            ' player it is sent by "Forgot your password" alone.',
            extra={"danger": True, "submit": "Reset the log-in"},
        )

    @action(description="End its sessions", icon="logout", permissions=["configure"])
    def end_sessions(self, request: HttpRequest, object_id: str) -> HttpResponse:
        user: User = self.object_or_404(request, object_id)
        return self.action_form_view(
            request,
            obj=user,
            title=f"End all sessions of {user}",
            form=ReasonForm(sent(request)),
            call=lambda data: f"{staff_sessions_end(actor=log_in_of(request), user=user, **data)} sessions were ended.",
            done="",
            extra={"danger": True, "submit": "End the sessions"},
        )

    @action(description="Unlock", icon="lock_open", permissions=["configure"])
    def unlock(self, request: HttpRequest, object_id: str) -> HttpResponse:
        user: User = self.object_or_404(request, object_id)
        return self.action_form_view(
            request,
            obj=user,
            title=f"Unlock the log-in {user}",
            form=ReasonForm(sent(request)),
            call=lambda data: staff_unlock(actor=log_in_of(request), user=user, **data),
            done="The log-in may be tried again.",
            extra={"submit": "Unlock the log-in"},
        )

    @action(description="Close the log-in", icon="block", variant=ActionVariant.DANGER, permissions=["configure"])
    def close(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._active_page(request, object_id, active=False)

    @action(description="Open the log-in again", icon="check", permissions=["configure"])
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

    def _link_page(self, request: HttpRequest, user: User) -> HttpResponse:
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": f"One-time link of {user}",
            "user_shown": user,
            "link": request.build_absolute_uri(one_time_link(user)),
            "hours": settings.PASSWORD_RESET_TIMEOUT // 3600,
            "back": self.page_url(user),
        }
        return TemplateResponse(request, "office/one_time_link.html", context)


class OfficeUserForm(forms.Form):
    """The form of a new log-in of the back office. Partner staff make staff of their own partner alone."""

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

    def __init__(self, *args: Any, of_own_partner: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if of_own_partner:
            del self.fields["role"], self.fields["partner"]


class ResetForm(ReasonForm):
    """The form of a reset."""

    with_factor = forms.BooleanField(
        label="Remove its second factor too",
        required=False,
        widget=UnfoldBooleanWidget,
        help_text="For somebody who has lost it. The back office leads to the set-up of another one.",
    )
