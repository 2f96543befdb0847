"""Players and log-ins."""

from collections.abc import Mapping
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import ChoicesDropdownFilter, RelatedDropdownFilter
from unfold.decorators import action, display
from unfold.enums import ActionVariant

from apps.accounts.models import Player, PlayerStatus, User
from apps.accounts.selectors import log_in_of
from apps.accounts.services import player_status_set
from apps.core.admin import OfficeAdmin, ReasonForm, sent
from apps.core.listing import DayRangeFilter
from apps.core.viewers import AUDITOR, OPERATOR


@admin.register(Player)
class PlayerAdmin(OfficeAdmin):
    partner_path = "partner_id"
    list_display = ["id", "reference", "partner", "state", "currency", "created"]
    list_select_related = ["partner", "currency"]
    list_filter = [("partner", RelatedDropdownFilter), ("status", ChoicesDropdownFilter), ("ctime", DayRangeFilter)]
    search_fields = ["reference"]
    fields = ["id", "reference", "partner", "state", "currency", "created", "elsewhere"]
    actions_detail = ["block", "unblock"]

    @display(description="status", label={"active": "success", "blocked": "danger"}, ordering="status")
    def state(self, player: Player) -> str:
        return player.status

    @display(description="see also")
    def elsewhere(self, player: Player) -> SafeString:
        """Link to the player's rows in other lists."""
        places = (
            ("Wallets", "wallet_wallet", "player__id__exact"),
            ("Rounds", "rounds_round", "player__id__exact"),
            ("Baccarat records", "baccarat_baccaratgamerecord", "player__id__exact"),
            ("Sessions", "rounds_gamesession", "player__id__exact"),
            ("Seed pairs", "fairness_seedpair", "player__id__exact"),
        )
        links = [
            format_html('<a href="{}?{}={}">{}</a>', reverse(f"admin:{name}_changelist"), lookup, player.pk, title)
            for title, name, lookup in places
        ]
        return format_html('<span class="links">{}</span>', SafeString(" ".join(links)))

    def search_lookup(self, term: str) -> Mapping[str, Any] | None:
        return {"reference__startswith": term}

    @action(description="Block", icon="block", variant=ActionVariant.DANGER, permissions=["operate"])
    def block(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._status_page(request, object_id, PlayerStatus.BLOCKED, "Block the player")

    @action(description="Unblock", icon="check", permissions=["operate"])
    def unblock(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._status_page(request, object_id, PlayerStatus.ACTIVE, "Let the player play again")

    def _status_page(self, request: HttpRequest, object_id: str, status: PlayerStatus, title: str) -> HttpResponse:
        player: Player = self.object_or_404(request, object_id)
        return self.act_page(
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
    """Log-ins, read-only: without password hashes, last log-in addresses or second factors."""

    partner_path = "partner_id"
    readers = frozenset({AUDITOR, OPERATOR})
    list_display = ["username", "email", "role", "partner", "is_active", "date_joined", "last_login"]
    list_select_related = ["partner"]
    list_filter = [("role", ChoicesDropdownFilter), ("partner", RelatedDropdownFilter)]
    search_fields = ["username", "email"]
    fields = ["username", "email", "role", "partner", "is_active", "date_joined", "last_login"]
