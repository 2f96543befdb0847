"""The players of the benchmark: made straight in the database of the stage, with sessions at both games."""

from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from hashlib import sha256
from uuid import uuid4

import django
from django.db import transaction
from django.utils import timezone

from casino.bench.stage import Stage

BALANCE = Decimal(1_000_000)


@dataclass(frozen=True, slots=True)
class Cast:
    """Tokens of sessions, one a player, in one order for both games."""

    baccarat: list[str]
    blackjack: list[str]


def django_enter(stage: Stage) -> None:
    """Let this process use Django on the database of the stage."""
    import os

    os.environ.update(stage.environment)
    django.setup()


def cast_make(players: int) -> Cast:
    """Make one partner that offers every game, and so many players with a session at two."""
    from apps.baccarat.apps import GAME_ID as BACCARAT
    from apps.blackjack.apps import GAME_ID as BLACKJACK
    from apps.partners.models import Partner
    from apps.rounds.game_spec import DemoOffer
    from apps.rounds.models import GameSession
    from apps.rounds.registry import games
    from apps.rounds.services import player_open
    from apps.wallet.services import wallet_deposit

    partner = Partner.objects.create(slug="bench", name="Bench")
    offer = DemoOffer(partner=partner, currency_code="FUN", bet_min=Decimal(1), bet_max=Decimal(1000), actor="bench")
    for game in games():
        game.demo_offer(offer)
    tokens: dict[str, list[str]] = {BACCARAT: [], BLACKJACK: []}
    sessions = []
    with transaction.atomic():
        for number in range(players):
            player = player_open(partner=partner, reference=f"bench-{number}", currency_code="FUN")
            wallet_deposit(
                player=player, currency_code="FUN", amount=BALANCE, transaction_id=f"bench-{number}", partner=partner
            )
            for game_id, of_game in tokens.items():
                token = str(uuid4())
                of_game.append(token)
                sessions.append(
                    GameSession(
                        token_hash=sha256(token.encode()).hexdigest(), player=player, partner=partner, game=game_id,
                        currency_id="FUN", expires_at=timezone.now() + timedelta(hours=12),
                    )
                )  # fmt: skip
    GameSession.objects.bulk_create(sessions)
    return Cast(tokens[BACCARAT], tokens[BLACKJACK])
