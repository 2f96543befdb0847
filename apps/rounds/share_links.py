"""Links by which a player shows a round to others, made and withdrawn by the player alone."""

import secrets
from typing import Final
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from apps.accounts.models import Player
from apps.core.database_errors import database_errors
from apps.core.errors import NotFound, Refused
from apps.rounds.models import Round, RoundEnd, RoundShare
from apps.rounds.selectors import round_explain

CODE_BYTES: Final = 16


@transaction.atomic(durable=True)
def round_share_create(*, player: Player, round_id: UUID) -> RoundShare:
    """Return the round's link, the existing one if there is one. Locks the round.

    Raises NotFound (also for another player's round), Refused until the round has ended and its seed is revealed.
    """
    held = _round_lock(player, round_id)
    existing = held.shares.filter(withdrawn_at__isnull=True).first()
    if existing is not None:
        return existing
    if not is_shareable(held):
        raise Refused("a round is shown to others once it has ended and its server seed is revealed")
    return RoundShare.objects.create(round=held, code=secrets.token_urlsafe(CODE_BYTES))


@transaction.atomic(durable=True)
def round_share_withdraw(*, player: Player, round_id: UUID) -> None:
    """End the round's link; without one nothing happens. Locks the round. Raises NotFound."""
    held = _round_lock(player, round_id)
    held.shares.filter(withdrawn_at__isnull=True).update(withdrawn_at=timezone.now())


def round_share_find(code: str) -> Round:
    """Return the round that the link shows, with what its explanation reads. Raises NotFound."""
    share = (
        RoundShare.objects.filter(code=code, withdrawn_at__isnull=True)
        .select_related("round__currency", "round__seed_pair", "round__void")
        .first()
    )
    if share is None:
        raise NotFound("nothing is shown at this address")
    return share.round


def is_shareable(played: Round) -> bool:
    """Return whether the round has ended and anybody may know its seed."""
    return played.how_ended != RoundEnd.OPEN and bool(round_explain(played).source.server_seed)


def _round_lock(player: Player, round_id: UUID) -> Round:
    with database_errors():
        rounds = Round.objects.select_for_update(of=("self",)).select_related("currency", "seed_pair")
        held = rounds.filter(player=player, pk=round_id).first()
    if held is None:
        raise NotFound("you have no such round")
    return held
