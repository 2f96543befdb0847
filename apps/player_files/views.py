"""The pages of a player's file."""

from datetime import UTC, datetime, time
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import Player
from apps.accounts.selectors import log_in_of
from apps.core.actor_names import shown_actor
from apps.core.admin import OfficeAdmin, sent, viewer_of
from apps.core.models import Currency
from apps.core.money import amount_text
from apps.core.query_parameters import parameter_refused, takes_query
from apps.core.staff_scope import sees_all_partners
from apps.player_files.forms import NoteForm
from apps.player_files.selectors import (
    CHART_DAYS,
    TRANSFERS_SHOWN,
    PlayedDay,
    SessionRow,
    funds_of,
    notes_of,
    played_days,
    played_sums,
    recent_rounds,
    sessions_of,
    status_act,
    transfers_of,
)
from apps.player_files.services import player_note_add
from apps.rounds.models import Round
from apps.rounds.registry import game_title
from apps.timelines.entries import timeline_page
from apps.timelines.subjects import sources_of, timeline_url
from apps.wallet.movements_html import transactions_table

ENTRIES_SHOWN = 15


@takes_query("currency")
def player_file(request: HttpRequest, player_id: int) -> HttpResponse:
    """All that the viewer may know of a player, on one page."""
    player = _player_or_404(request, player_id)
    now = timezone.now()
    currency = _currency_asked(request, player)
    status = status_act(player)
    page = timeline_page(sources_of(player, viewer_of(request)), until=now, size=ENTRIES_SHOWN)
    funds = funds_of(player)
    days = played_days(player, currency, today=datetime.now(UTC).date())
    context = {
        **admin.site.each_context(request),
        "title": f"Player {player.reference}",
        "player": player,
        "status": status,
        "status_by": shown_actor(getattr(status, "actor", "")),
        "sums": [_sum_texts(row) for row in played_sums(player)],
        "funds": [_fund_texts(row) for row in funds],
        "currency": currency,
        "currencies": [row.wallet.currency_id for row in funds],
        "days": [_day_texts(row, currency) for row in days] if any(row.rounds for row in days) else [],
        "chart_days": CHART_DAYS,
        "rounds": [_round_texts(row) for row in recent_rounds(player)],
        "transfers": transactions_table(transfers_of(player)[:TRANSFERS_SHOWN]),
        "sessions": [_session_texts(row) for row in sessions_of(player, now=now)],
        "notes": notes_of(player, viewer_of(request)),
        "may_note": _player_admin().has_configure_permission(request),
        "entries": page.entries,
        "timeline_url": timeline_url(player),
    }
    return TemplateResponse(request, "office/player_file.html", context)


def player_note(request: HttpRequest, player_id: int) -> HttpResponse:
    """The form of a note."""
    player = _player_or_404(request, player_id)
    if not _player_admin().has_configure_permission(request):
        raise PermissionDenied

    def call(data: dict[str, Any]) -> HttpResponse:
        player_note_add(
            user=log_in_of(request), player=player, text=data["text"], is_internal=data.get("is_internal", False)
        )
        return HttpResponseRedirect(reverse("admin:player_file", args=[player.pk]))

    form = NoteForm(sent(request), may_be_internal=sees_all_partners(viewer_of(request)))
    return _player_admin().action_form_view(
        request,
        obj=player,
        title=f"Note on {player.reference}",
        form=form,
        call=call,
        done="The note is in the player's file.",
        extra={"submit": "Add the note"},
    )


def _player_admin() -> OfficeAdmin:
    found = admin.site.get_model_admin(Player)
    assert isinstance(found, OfficeAdmin)
    return found


def _player_or_404(request: HttpRequest, player_id: int) -> Player:
    player: Player = _player_admin().object_or_404(request, str(player_id))
    return player


def _currency_asked(request: HttpRequest, player: Player) -> Currency:
    code = request.GET.get("currency")
    if code is None:
        return player.currency
    found = Currency.objects.filter(code=code, pk__in=player.wallets.values("currency_id")).first()
    if found is None:
        raise parameter_refused("currency", "the player has no wallet in it")
    return found


def _sum_texts(row: Any) -> dict[str, Any]:
    return {
        "currency": row.currency.code,
        "rounds": row.rounds,
        "stake": amount_text(row.stake, row.currency),
        "payout": amount_text(row.payout, row.currency),
        "net": amount_text(row.net, row.currency),
        "is_loss": row.net < 0,
        "rtp_pct": row.rtp_pct,
        "mean_stake": "-" if row.mean_stake is None else amount_text(row.mean_stake, row.currency),
        "first_day": row.first_day,
        "last_day": row.last_day,
    }


def _fund_texts(row: Any) -> dict[str, Any]:
    currency = row.wallet.currency
    return {
        "wallet": row.wallet,
        "url": reverse("admin:wallet_wallet_change", args=[row.wallet.pk]),
        "timeline_url": timeline_url(row.wallet),
        "status": row.wallet.status,
        "balance": amount_text(row.wallet.balance, currency),
        "deposits": amount_text(row.deposits, currency),
        "withdrawals": amount_text(row.withdrawals, currency),
        "adjustments": amount_text(row.adjustments, currency),
        "refills": amount_text(row.refills, currency),
    }


def _day_texts(row: PlayedDay, currency: Currency) -> dict[str, Any]:
    return {
        "day": row.day,
        "seconds": int(datetime.combine(row.day, time(), UTC).timestamp()),
        "rounds": row.rounds,
        "stake": f"{row.stake:.{currency.decimals}f}",
        "payout": f"{row.payout:.{currency.decimals}f}",
        "net": f"{row.net:.{currency.decimals}f}",
        "is_loss": row.net < 0,
    }


def _round_texts(row: Round) -> dict[str, Any]:
    return {
        "url": reverse("admin:rounds_round_change", args=[row.pk]),
        "short_id": str(row.pk)[:8],
        "started_at": row.started_at,
        "game": game_title(row.game),
        "stake": amount_text(row.stake, row.currency),
        "payout": amount_text(row.payout, row.currency),
        "end": "voided" if hasattr(row, "void") else row.get_how_ended_display(),
    }


def _session_texts(row: SessionRow) -> dict[str, Any]:
    name = "rounds_gamesession" if row.kind == "game" else "tables_tablesession"
    return {
        "url": reverse(f"admin:{name}_change", args=[row.pk]),
        "pk": row.pk,
        "game": row.game,
        "began": row.began,
        "ended": row.ended,
        "why_ended": row.why_ended or "it lasts",
        "rounds": row.rounds,
        "staked": amount_text(row.staked, row.currency),
        "won": amount_text(row.won, row.currency),
        "balance_in": "-" if row.balance_in is None else amount_text(row.balance_in, row.currency),
        "balance_out": "-" if row.balance_out is None else amount_text(row.balance_out, row.currency),
        "address": row.address or "-",
    }
