"""Sessions at the tables: opened for a player or a partner's session, and found by their token.

Their statements on the event loop, which end them too: session_store.py. A socket's session: session_connection.py. The
messages after a reconnection: catch_up.py.
"""

import secrets
from datetime import timedelta
from decimal import Decimal
from hashlib import sha256
from typing import Final

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from apps.accounts.models import Player, PlayerStatus
from apps.core.errors import InvalidCurrency, PlayerBlocked
from apps.rounds.game_sessions import game_session_address_note
from apps.rounds.models import GameSession, Round, RoundEnd
from apps.tables.errors import AuthExpired, AuthInvalid
from apps.tables.models import TableMessage, TablePlayer, TableSession
from apps.tables.registry import table_games
from apps.wallet.models import Wallet


def session_token_hash(token: str) -> str:
    """Return the hash of a session's token, as the database stores it."""
    return sha256(token.encode("utf-8", "replace")).hexdigest()


@transaction.atomic
def table_session_open(
    *,
    player: Player,
    currency_code: str,
    games: list[str] | None = None,
    game_session: GameSession | None = None,
    max_stake: Decimal | None = None,
    address: str = "",
) -> tuple[TableSession, str]:
    """Open a session. Return its row and its token, a bearer credential that is not stored.

    Without `games` it is for all games. Raises InvalidCurrency for a player without a wallet in the currency.
    """
    if not Wallet.objects.filter(player=player, currency=currency_code).exists():
        raise InvalidCurrency(f"currency: the player has no wallet in {currency_code!r}")
    table_player_of(player)
    token = secrets.token_urlsafe(32)
    session = TableSession.objects.create(
        token_hash=session_token_hash(token),
        player=player,
        partner_id=player.partner_id,
        currency_id=currency_code,
        game_session=game_session,
        allowed_games=list(table_games()) if games is None else games,
        max_stake=max_stake,
        address=address,
        expires_at=timezone.now() + timedelta(seconds=settings.PUNTO_TABLE_SESSION_S),
    )
    return session, token


def table_session_begin(
    *, caller: Player | GameSession, currency_code: str | None, address: str = ""
) -> tuple[TableSession, str]:
    """Open a session for a player, or from a partner's session with its currency and its game alone.

    The currency defaults to the player's own. A blocked player gets a session to finish an open round at a table.
    Raises PlayerBlocked, InvalidCurrency (there is no wallet in it, or the partner's session has another one).
    """
    game_session = caller if isinstance(caller, GameSession) else None
    player = caller if isinstance(caller, Player) else caller.player
    may_stake = player.status == PlayerStatus.ACTIVE and player.partner.active
    at_tables = Round.objects.filter(player=player, how_ended=RoundEnd.OPEN, table_round__isnull=False)
    if not may_stake and not at_tables.exists():
        raise PlayerBlocked("this player may not play")
    if game_session is None:
        return table_session_open(player=player, currency_code=currency_code or player.currency_id, address=address)
    if currency_code not in {None, game_session.currency_id}:
        raise InvalidCurrency(f"currency: this session is for {game_session.currency_id}")
    games = [name for name, game in table_games().items() if game_session.game in {"", game.game_id}]
    game_session_address_note(session_id=game_session.pk, address=address)
    return table_session_open(
        player=player,
        currency_code=game_session.currency_id,
        games=games,
        game_session=game_session,
        address=address,
    )


def table_session_find(*, token: str) -> TableSession:
    """Return the session that the token opens, with its player and partner read. Raises AuthInvalid, AuthExpired."""
    session = (
        TableSession.objects.select_related("player", "partner", "currency", "game_session")
        .filter(token_hash=session_token_hash(token))
        .first()
    )
    if session is None:
        raise AuthInvalid("no session has this token")
    now = timezone.now()
    is_ended_at_origin = session.game_session is not None and session.game_session.ended_at is not None
    is_lapsed = session.dropped_at is not None and session.dropped_at <= now - timedelta(
        seconds=settings.PUNTO_TABLE_DROP_S
    )
    if session.ended_at is not None or session.expires_at <= now or is_ended_at_origin or is_lapsed:
        raise AuthExpired("the session is over")
    return session


def table_player_of(player: Player, *, is_bot: bool = False) -> TablePlayer:
    """Return the player's row at tables. The first call creates it with a random id and a display name."""
    found, _ = TablePlayer.objects.get_or_create(player=player, defaults={"display_name": "", "is_bot": is_bot})
    if not found.display_name:
        # A partner's reference may be a person's name or address, so the other players do not see it.
        user = player.user
        found.display_name = f"Player {found.public_id.hex[:4].upper()}" if user is None else user.get_username()[:64]
        found.save(update_fields=["display_name"])
    return found


def used_messages_delete() -> int:
    """Delete the message ids of finished sessions, a few thousand in each statement; return the number."""
    deleted = 0
    over = TableMessage.objects.filter(session__ended_at__isnull=False)
    while batch := list(over.values_list("session_id", "message_id")[:_DELETED_AT_ONCE]):
        sessions = {session_id for session_id, _ in batch}
        deleted += TableMessage.objects.filter(
            session_id__in=sessions, message_id__in=[message_id for _, message_id in batch]
        ).delete()[0]
    return deleted


_DELETED_AT_ONCE: Final = 5_000
