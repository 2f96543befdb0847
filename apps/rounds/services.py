"""Use cases that all games share: open players and sessions, rotate seeds between rounds, void rounds.

Lock order: wallet, seed pair, round (docs/money.md). A table's round is voided by apps/tables/staff.py, with all its
seats.
"""

import re
from datetime import timedelta
from decimal import Decimal
from hashlib import sha256
from typing import Final
from uuid import uuid4

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from apps.accounts.actors import operator_require
from apps.accounts.models import Player, PlayerStatus, User
from apps.approvals.models import Approval
from apps.approvals.services import SecondPersonNeeded, approval_act, approval_require
from apps.audit.services import audit_record
from apps.core.database import database_errors, transaction_require
from apps.core.errors import (
    AuthenticationFailed,
    BadRequest,
    ChangeSeedFailed,
    Conflict,
    InsufficientFunds,
    InvalidCurrency,
    InvalidGame,
    PlayerBlocked,
    SessionTakenOver,
)
from apps.core.money import amount_text, plain
from apps.core.player_changes import player_changed
from apps.fairness.services import (
    Rotation,
    client_seed_check,
    client_seed_propose,
    seed_pair_lock,
    seed_pair_rotate,
    seed_pairs_create,
)
from apps.partners.models import Partner
from apps.rounds.launch import Launch, launch_check, launch_code_create
from apps.rounds.models import GameSession, Round, RoundEnd, RoundVoid
from apps.rounds.registry import game_ids
from apps.wallet.models import Kind, Wallet
from apps.wallet.services import moved_today, second_person_reason_for, wallet_move, wallet_open

WELCOME_CURRENCY: Final = "FUN"
DEFAULT_LAUNCH: Final = Launch()
VOIDS: Final = ("round.void", "table.round.void")
"""Names in the audit of acts that void rounds; an entry with an amount and a currency counts."""

_REFERENCE: Final = re.compile(r"[\x21-\x7e]{1,64}")


def player_open(*, partner: Partner, reference: str, currency_code: str, user: User | None = None) -> Player:
    """Return the partner's player with the reference; a new one gets a wallet and the first two seed pairs.

    For an existing player with another currency it opens another wallet. A new player of the house partner gets the
    play grant of 1,000.00 FUN. Raises BadRequest (the reference), InvalidCurrency.
    """
    return player_find_or_open(partner=partner, reference=reference, currency_code=currency_code, user=user)[0]


@transaction.atomic
def player_find_or_open(
    *, partner: Partner, reference: str, currency_code: str, user: User | None = None
) -> tuple[Player, bool]:
    """Do the same as `player_open`; the second value is whether the player is new."""
    if not _REFERENCE.fullmatch(reference):
        raise BadRequest("reference: 1 to 64 characters of ASCII without spaces", field="reference")
    player, is_new = Player.objects.get_or_create(
        partner=partner, reference=reference, defaults={"currency_id": currency_code, "user": user}
    )
    wallet_open(player=player, currency_code=currency_code)
    if is_new:
        seed_pairs_create(player=player)
        if partner.is_house:
            _welcome(player)
    return player, is_new


@transaction.atomic
def game_session_open(
    *, player: Player, game: str, currency_code: str, launch: Launch = DEFAULT_LAUNCH, client_seed: str | None = None
) -> tuple[GameSession, str]:
    """Start a session; return its row and its token, a bearer credential that is not stored.

    `game` may be empty: a session for the tables of all games. It lasts `PUNTO_SESSION_S` seconds. A blocked player
    gets one to finish an open round of the game. `client_seed` is what the player proposes (`client_seed_propose`):
    if it cannot be set, no session is opened. `launch` has the partner's options; with `embed` the second value is the
    one-time code of the table. Locks: with a client seed the active seed pair. Raises InvalidGame, InvalidCurrency,
    PlayerBlocked, BadRequest, BadParams, ChangeSeedFailed.
    """
    if game and game not in game_ids():
        raise InvalidGame(f"no game {game!r}: there is {' and '.join(game_ids())}")
    if not _may_enter(player, player.partner, game):
        raise PlayerBlocked("this player may not play")
    if not Wallet.objects.filter(player=player, currency=currency_code).exists():
        raise InvalidCurrency(f"the player has no wallet in {currency_code!r}")
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
        expires_at=timezone.now() + timedelta(seconds=settings.PUNTO_SESSION_S),
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
        raise AuthenticationFailed("no such game session, or it is over")
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
    """Remember where a session is used from, if it is used for the first time."""
    if address:
        GameSession.objects.filter(pk=session_id, address="").update(address=address)


def game_session_hold(*, session_id: int, connection: str, address: str = "") -> None:
    """Assign the session to a socket; the previous socket is refused from now on.

    Raises AuthenticationFailed if the session is over.
    """
    held = GameSession.objects.filter(pk=session_id, expires_at__gt=timezone.now(), ended_at__isnull=True)
    if not held.update(connection=connection):
        raise AuthenticationFailed("no such game session, or it is over")
    game_session_address_note(session_id=session_id, address=address)


@transaction.atomic(durable=True)
def game_session_hold_with_seed(*, session_id: int, connection: str, client_seed: str, address: str = "") -> None:
    """Do the same as `game_session_hold` and set the client seed that the player's client proposes: both or neither.

    Locks the active seed pair. Raises AuthenticationFailed, BadParams, ChangeSeedFailed.
    """
    with database_errors():
        session = GameSession.objects.select_related("player").get(pk=session_id)
        client_seed_propose(player=session.player, client_seed=client_seed)
        game_session_hold(session_id=session_id, connection=connection, address=address)


def game_session_check(*, session_id: int, connection: str) -> None:
    """Raise AuthenticationFailed if the session is over, SessionTakenOver if another socket holds it now."""
    session = GameSession.objects.filter(pk=session_id).values_list("connection", "expires_at", "ended_at").first()
    if session is None or session[1] <= timezone.now() or session[2] is not None:
        raise AuthenticationFailed("the game session is over")
    if session[0] != connection:
        raise SessionTakenOver("taken over: the session is open on another connection")


def token_hash(token: str) -> str:
    """Return the stored hash of a session's token."""
    return sha256(token.encode("utf-8", "replace")).hexdigest()


@transaction.atomic(durable=True)
def seeds_rotate(*, player: Player, client_seed: str) -> Rotation:
    """Reveal the player's server seed; later rounds use the next one with `client_seed`.

    Locks: the active seed pair, so that no round begins under it meanwhile. Raises BadParams,
    ChangeSeedFailed while a solo round of the player is open.
    """
    client_seed_check(client_seed)
    with database_errors():
        active = seed_pair_lock(player_id=player.pk)
    if Round.objects.filter(player=player, how_ended=RoundEnd.OPEN, table_round__isnull=True).exists():
        raise ChangeSeedFailed("a round is open: finish it, then change the seed")
    return seed_pair_rotate(active=active, client_seed=client_seed)


@transaction.atomic
def round_void(*, operator: User, round: Round, reason: str, approval: Approval | None = None) -> RoundVoid:  # noqa: A002
    """Void a round: refund its stakes and take its payouts back by an adjustment.

    An open round ends with it. Locks: wallet, round. Raises Refused (not an operator), BadRequest (no
    reason), Conflict (voided before; at a table, where all seats are voided together), InsufficientFunds (the winnings
    are spent: adjust the wallet first), SecondPersonNeeded (above `PUNTO_SINGLE_OPERATOR_LIMIT`, without `approval`).
    """
    reason = operator_require(operator, "voids a round", reason=reason)
    if round.table_round is not None:
        raise Conflict("a table's round is voided with all its seats, on the page of the table's round")
    today = moved_today(operator, VOIDS, round.currency)
    wallet, held = _void_lock(round)
    if why := second_person_reason_for(held.currency, today, max(held.stake, held.payout)):
        needed = SecondPersonNeeded(
            why,
            act="round.void",
            subject=f"round {held.pk}",
            # These may change while the round is open, so the approval is of the shown values.
            payload={"round": str(held.pk), "stake": plain(held.stake), "payout": plain(held.payout)},
            reason=reason,
            partner_id=held.partner_id,
        )
        approval_require(approval, needed)
    return _void_do(operator, wallet, held, reason)


@approval_act("round.void")
def round_void_approved(approval: Approval) -> None:
    """Carry out an approved void."""
    round_void(
        operator=approval.asked_by,
        round=Round.objects.get(pk=approval.payload["round"]),
        reason=approval.reason,
        approval=approval,
    )


def round_void_one(*, operator: User, played: Round, reason: str) -> RoundVoid:
    """Do what `round_void` says with one round, which may be of a seat at a table, in the caller's transaction."""
    return _void_do(operator, *_void_lock(played), reason)


def _void_lock(played: Round) -> tuple[Wallet, Round]:
    """Return the round and its wallet with both rows locked, as they are now."""
    transaction_require()
    with database_errors():
        # Not `wallet_lock`: a blocked player's stake goes back too.
        wallets = Wallet.objects.select_for_update(of=("self",)).select_related("currency")
        wallet = wallets.get(player=played.player_id, currency=played.currency_id)
        held = Round.objects.select_for_update(of=("self",)).select_related("currency").get(pk=played.pk)
    return wallet, held


def _void_do(operator: User, wallet: Wallet, held: Round, reason: str) -> RoundVoid:
    if RoundVoid.objects.filter(round=held).exists():
        raise Conflict("this round is voided already")
    if (missing := held.payout - held.stake - wallet.balance) > 0:
        raise InsufficientFunds(
            f"the player has {amount_text(wallet.balance, wallet.currency)} and would have to give back"
            f" {amount_text(held.payout - held.stake, wallet.currency)}: the winnings were withdrawn or played. Next:"
            f" adjust wallet {wallet.pk} by {amount_text(missing, wallet.currency)}, which the house bears, and"
            " void the round then."
        )
    before = held.get_how_ended_display()
    void = RoundVoid.objects.create(round=held, by=operator.get_username(), reason=reason)
    balance = _void_settle(wallet, held, reason)
    if held.how_ended == RoundEnd.OPEN:
        held.how_ended, held.ended_at, held.balance_after = RoundEnd.VOIDED, timezone.now(), balance
        held.save(update_fields=["how_ended", "ended_at", "balance_after"])
        player_changed(held.player_id)  # A round without a stake moves no money.
    audit_record(
        actor=operator.get_username(),
        actor_user_id=operator.pk,
        partner_id=held.partner_id,
        action="round.void",
        subject=f"round {held.pk}",
        data={
            "before": {"how_ended": before, "balance": wallet.balance},
            "after": {"how_ended": "voided", "balance": balance},
            "stake": held.stake,
            "payout": held.payout,
            "amount": max(held.stake, held.payout),
            "currency": held.currency_id,
        },
        reason=reason,
    )
    return void


def _may_enter(player: Player, partner: Partner, game: str) -> bool:
    """Return whether the player may start a session, if only to finish an open round.

    The game refuses actions that would raise a blocked player's stake.
    """
    if player.status == PlayerStatus.ACTIVE and partner.active:
        return True
    return Round.objects.filter(player=player, game=game, how_ended=RoundEnd.OPEN, table_round__isnull=True).exists()


def _welcome(player: Player) -> None:
    wallet = wallet_open(player=player, currency_code=WELCOME_CURRENCY)
    wallet_move(
        wallet_id=wallet.pk,
        kind=Kind.DEPOSIT,
        change=wallet.currency.play_grant,
        source_key=f"player:{player.pk}:welcome:deposit",
        reason="play money for a new player",
    )


def _void_settle(wallet: Wallet, held: Round, reason: str) -> Decimal:
    """Reverse the round's money and return the balance after. The refund comes first: it may cover the rest."""
    balance: Decimal = wallet.balance
    if held.stake:
        balance = wallet_move(
            wallet_id=wallet.pk,
            kind=Kind.REFUND,
            change=held.stake,
            source_key=f"{held.pk}:void:refund",
            round_id=held.pk,
            reason=reason,
        )
    if held.payout:
        balance = wallet_move(
            wallet_id=wallet.pk,
            kind=Kind.ADJUSTMENT,
            change=-held.payout,
            source_key=f"{held.pk}:void:adjustment",
            round_id=held.pk,
            reason=reason,
        )
    return balance
