"""A partner's launch of a game: its options, and the one-time code of an embedded table.

An embedded table has no cookie (docs/embedding.md). Its page gets a code, spends it once by POST, and receives the
session's token, which it keeps in memory. Only hashes of both are stored.
"""

import secrets
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Final
from uuid import uuid4

from django.conf import settings
from django.db import transaction
from django.db.models import Case, F, Value, When
from django.utils import timezone

from apps.core.errors import AuthenticationFailed, BadRequest
from apps.partners.frame_origins import origin_of
from apps.partners.models import Partner
from apps.rounds.models import GameSession

CODE_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class Launch:
    """The options of a session that a partner opens. An empty text stands for an option that was not given."""

    return_url: str = ""
    cashier_url: str = ""
    """Where the player gets money; within the partner's frame origins."""
    language: str = ""
    device: str = "unknown"
    """One of `Device`, for the statistics."""
    embed: bool = False
    """Whether the table is shown in a frame of the partner's page."""
    address: str = ""
    """The player's IP address, if the player's own browser opens the session."""


def launch_check(*, partner: Partner, game: str, launch: Launch) -> None:
    """Raise BadRequest that names the field if the partner cannot have this launch."""
    if launch.cashier_url and origin_of(launch.cashier_url) not in partner.frame_origins:
        raise BadRequest("cashier_url: https, and within the partner's frame origins", field="cashier_url")
    if launch.embed and not game:
        raise BadRequest("game_id: an embedded table needs its game", field="game_id")
    if launch.embed and not partner.frame_origins:
        raise BadRequest("embed: the partner has no frame origins", field="embed")


@transaction.atomic
def launch_code_create(*, session: GameSession) -> str:
    """Return a code that opens the session's table once, within `PUNTO_LAUNCH_CODE_S` seconds."""
    code = secrets.token_urlsafe(CODE_BYTES)
    session.code_hash = _code_hash(code)
    session.code_expires_at = timezone.now() + timedelta(seconds=settings.PUNTO_LAUNCH_CODE_S)
    session.code_spent_at = None
    session.save(update_fields=["code_hash", "code_expires_at", "code_spent_at"])
    return code


@transaction.atomic(durable=True)
def launch_code_spend(*, code: str, partner: Partner, game: str, address: str = "") -> str:
    """Return a new token of the code's session; the code and the session's former token are invalid from now on.

    `address` is the player's IP address; the session keeps its first one.

    Raises AuthenticationFailed, always with the same message: the code is unknown, spent or expired, or belongs to
    another partner or game. Such a try does not spend it.
    """
    now = timezone.now()
    token = str(uuid4())
    # One statement, so that of two requests with the same code only one changes the row.
    spent = GameSession.objects.filter(
        code_hash=_code_hash(code),
        code_expires_at__gt=now,
        code_spent_at__isnull=True,
        partner=partner,
        game=game,
        expires_at__gt=now,
        ended_at__isnull=True,
    ).update(
        code_spent_at=now,
        token_hash=sha256(token.encode()).hexdigest(),
        address=Case(When(address="", then=Value(address)), default=F("address")),
    )
    if not spent:
        raise AuthenticationFailed("the code is not valid, or it was used before")
    return token


def _code_hash(code: str) -> str:
    # The code is 256 random bits, so a slow hash would add cost but no security.
    return sha256(code.encode("utf-8", "replace")).hexdigest()
