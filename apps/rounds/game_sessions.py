"""Game sessions: opened, found by their token, held by one socket, and ended.

A session is over `PUNTO_GAME_SESSION_S` seconds after it was opened, or when a page ends it (`game_session_end`).
Sessions at live tables are a different kind (apps/tables/session_store.py). Statements that move money check the
session again.
"""

from datetime import timedelta
from functools import partial
from hashlib import sha256
from typing import Final
from uuid import uuid4

from asgiref.sync import async_to_sync
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from apps.accounts.models import Player, PlayerStatus
from apps.core.errors import (
    AuthenticationFailed,
    BadRequest,
    InvalidCurrency,
    InvalidGame,
    PlayerBlocked,
    SessionTakenOver,
)
from apps.core.pubsub import announce
from apps.fairness.services import client_seed_propose
from apps.partners.models import Partner
from apps.rounds.launch_codes import launch_code_create
from apps.rounds.launch_options import Launch, launch_check
from apps.rounds.models import GameSession, Round, RoundEnd
from apps.rounds.registry import game_ids
from apps.wallet.models import Wallet

DEFAULT_LAUNCH: Final = Launch()


@transaction.atomic
def game_session_open(
    *, player: Player, game: str, currency_code: str, launch: Launch = DEFAULT_LAUNCH, client_seed: str | None = None
) -> tuple[GameSession, str]:
    """Start a session; return its row and its token, a bearer credential that is not stored.

    `game` may be empty: a session for the tables of all games. It lasts `PUNTO_GAME_SESSION_S` seconds. A blocked
    player gets a session to finish an open round of the game, at a live table too. `client_seed` is the player's
    proposal (`client_seed_propose`): if it cannot be set, no session is opened. `launch` has the partner's options;
    with `embed` the second value is the one-time code of the table. Locks: with a client seed the active seed pair.
    Raises InvalidGame, InvalidCurrency, PlayerBlocked, BadRequest, BadParams, ChangeSeedFailed.
    """
    if game and game not in game_ids():
        raise InvalidGame(f"game_id: there is no game {game!r}; there is {', '.join(game_ids())}", field="game_id")
    if not _may_enter(player, player.partner, game):
        raise PlayerBlocked("this player may not play")
    if not Wallet.objects.filter(player=player, currency=currency_code).exists():
        raise InvalidCurrency(f"currency: the player has no wallet in {currency_code!r}", field="currency")
    launch_check(partner=player.partner, game=game, launch=launch)
    if client_seed is not None:
        client_seed_propose(player=player, client_seed=client_seed)
    token = str(uuid4())
    session = GameSession.objects.create(
        token_hash=token_hash(token),
        player=player,
        partner_id=player.partner_id,
        game=game,
        currency_id=currency_code,
        return_url=launch.return_url,
        cashier_url=launch.cashier_url,
        language=launch.language,
        device=launch.device,
        address=launch.address,
        expires_at=timezone.now() + timedelta(seconds=settings.PUNTO_GAME_SESSION_S),
    )
    return session, launch_code_create(session=session) if launch.embed else token


def game_session_find(*, token: str, game: str | None = None) -> GameSession:
    """Return the token's session, with its player, partner and currency.

    Raises AuthenticationFailed if it is unknown, expired, of another game, or its player or partner is blocked and no
    round of the game is open.
    """
    session = (
        GameSession.objects.select_related("player", "partner", "currency")
        .filter(token_hash=token_hash(token), expires_at__gt=timezone.now(), ended_at__isnull=True)
        .first()
    )
    if session is None or (game is not None and session.game != game):
        wanted = "game session" if game is None else f"session of {game}"
        raise AuthenticationFailed(f"no such {wanted}, or it is over")
    if not _may_enter(session.player, session.partner, session.game):
        raise AuthenticationFailed("this player may not play")
    return session


def game_session_use(*, token: str, address: str, game: str | None = None) -> GameSession:
    """Return the token's session for a request from `address`, which is kept if it is the session's first.

    Raises AuthenticationFailed as `game_session_find` does.
    """
    session = game_session_find(token=token, game=game)
    if not session.address:
        game_session_address_note(session_id=session.pk, address=address)
    return session


def game_session_address_note(*, session_id: int, address: str) -> None:
    """Store the address that a session is first used from."""
    if address:
        GameSession.objects.filter(pk=session_id, address="").update(address=address)


@transaction.atomic(durable=True)
def game_session_hold(*, session_id: int, connection: str, client_seed: str | None = None, address: str = "") -> None:
    """Assign the session to a socket, and set the client seed that the player's client proposes: both or neither.

    The previous socket is refused from now on. Locks: with a client seed the active seed pair. Raises
    AuthenticationFailed if the session is over, BadParams, ChangeSeedFailed.
    """
    if client_seed is not None:
        session = GameSession.objects.select_related("player").get(pk=session_id)
        client_seed_propose(player=session.player, client_seed=client_seed)
    held = GameSession.objects.filter(pk=session_id, expires_at__gt=timezone.now(), ended_at__isnull=True)
    if not held.update(connection=connection):
        raise AuthenticationFailed("no such game session, or it is over")
    game_session_address_note(session_id=session_id, address=address)


def game_session_socket_check(*, session_id: int, connection: str) -> None:
    """Raise AuthenticationFailed if the session is over, SessionTakenOver if another socket holds it now."""
    session = GameSession.objects.filter(pk=session_id).values_list("connection", "expires_at", "ended_at").first()
    if session is None or session[1] <= timezone.now() or session[2] is not None:
        raise AuthenticationFailed("the game session is over")
    if session[0] != connection:
        raise SessionTakenOver("taken over: the session is open on another connection")


@transaction.atomic(durable=True)
def game_session_language_set(*, session: GameSession, language: str) -> str:
    """Set the language of an embedded session, and return a new code, which opens its table in that language.

    Raises BadRequest.
    """
    if language not in dict(settings.LANGUAGES):
        raise BadRequest(f"language: one of {', '.join(dict(settings.LANGUAGES))}", field="language")
    if not session.is_embedded:
        raise BadRequest("only an embedded table has a language of its own")
    session.language = language
    session.save(update_fields=["language"])
    return launch_code_create(session=session)


def session_topic(session_id: int) -> str:
    """Return the topic of a session's announcements: another socket takes it over, or it is due to end."""
    return f"session.{session_id}"


def game_session_end(*, session: GameSession) -> None:
    """End the session: its token is refused and its socket is closed from now on. An open round stays open."""
    GameSession.objects.filter(pk=session.pk, ended_at__isnull=True).update(ended_at=timezone.now())
    transaction.on_commit(partial(async_to_sync(announce), [session_topic(session.pk)], {"type": "session.due"}))


def token_hash(token: str) -> str:
    """Return the stored hash of a session's token."""
    return sha256(token.encode("utf-8", "replace")).hexdigest()


def _may_enter(player: Player, partner: Partner, game: str) -> bool:
    """Return whether the player may start a session, if only to finish an open round, alone or at a live table.

    The game refuses actions that would raise a blocked player's stake.
    """
    if player.status == PlayerStatus.ACTIVE and partner.active:
        return True
    opened = Round.objects.filter(player=player, how_ended=RoundEnd.OPEN)
    return (opened.filter(game=game) if game else opened.filter(table_round__isnull=False)).exists()
