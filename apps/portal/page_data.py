"""The data that players' pages start with and refresh: balance, refill, cashier, a table's state. Reads only."""

from datetime import timedelta
from typing import Any, Final

from django.urls import reverse
from django.utils import timezone

from apps.core.money import plain
from apps.portal.authentication import PagePlayer, changes_token
from apps.portal.cashier_offer import cashier_offer
from apps.portal.refill import refill_offer
from apps.portal.selectors import seed_is_unchosen, wallet_of
from apps.rounds.game_spec import GameSpec, TableVisit
from apps.switches.selectors import switches_off

RESULT_SHOWN_S: Final = 600
"""Seconds after a round's end during which a loaded page still shows its result."""


def player_state(page_player: PagePlayer) -> dict[str, Any]:
    """Return the state that every page of the player follows: the balance, and the offer of a refill."""
    wallet = wallet_of(page_player)
    return {
        "player": page_player.page_id,
        "isGuest": page_player.player.is_guest,
        "currency": wallet.currency_id,
        "decimals": wallet.currency.decimals,
        "balance": plain(wallet.balance),
        "refill": refill_offer(wallet),
        "cashier": cashier_offer(page_player, wallet),
        "changesToken": "" if page_player.is_visitor else changes_token(page_player.player),
    }


def table_state(page_player: PagePlayer, game: GameSpec) -> dict[str, Any]:
    """Return the data of the game's table and its state; amounts as plain text. `isOff`: bets are switched off."""
    player = page_player.player
    off = switches_off(partner_id=player.partner_id, currency_code=page_player.currency_code)
    visit = TableVisit(
        player=player,
        currency_code=page_player.currency_code,
        results_since=timezone.now() - timedelta(seconds=RESULT_SHOWN_S),
    )
    return (
        player_state(page_player)
        | {"token": page_player.token, "isVisitor": page_player.is_visitor}
        | {"isOff": off.stops(player_id=player.pk, game_id=game.id)}
        | game.page.table(visit)
    )


def table_page(page_player: PagePlayer, game: GameSpec, sockets: str) -> dict[str, Any]:
    """Return the data that the page of the game's table starts with; `sockets` is the origin of the sockets."""
    table = table_state(page_player, game) | {
        "seedUrl": reverse("seed-propose") if seed_is_unchosen(page_player.player) else ""
    }
    if game.page.socket_path:
        table["socketUrl"] = f"{sockets}{game.page.socket_path}"
    return table
