"""The one-time code of an embedded table.

An embedded table has no cookie (docs/embedding.md). Its page gets a code, spends it once by POST, and receives the
session's token, which it keeps in memory. Only hashes of both are stored.
"""

import secrets
from datetime import timedelta
from hashlib import sha256
from typing import Final
from uuid import uuid4

from django.conf import settings
from django.db import transaction
from django.db.models import Case, F, Value, When
from django.utils import timezone

from apps.core.errors import AuthenticationFailed
from apps.partners.models import Partner
from apps.rounds.models import GameSession

CODE_BYTES: Final = 32


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
