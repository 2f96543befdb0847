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
    """Make one partner that offers both games, and so many players with a session at each."""
    from apps.baccarat.services import Actor, baccarat_config_set
    from apps.blackjack.configuration import (
        STANDARD_PERFECT_PAIRS,
        STANDARD_POKER,
        Editor,
        blackjack_limits_set,
        blackjack_terms_save,
    )
    from apps.blackjack.engine.rules import SOLO_RULES
    from apps.core.models import Currency
    from apps.office.demo import BLACKJACK_LIMITS
    from apps.partners.models import Partner
    from apps.rounds.games import BACCARAT, BLACKJACK
    from apps.rounds.models import GameSession
    from apps.rounds.services import player_open
    from apps.wallet.services import wallet_deposit

    partner = Partner.objects.create(slug="bench", name="Bench")
    baccarat_config_set(
        partner=partner, actor=Actor("bench"), bet_min=Decimal(1), bet_max=Decimal(1000), currency_code="FUN"
    )
    config = blackjack_limits_set(
        partner=partner, currency=Currency.objects.get(code="FUN"), limits=BLACKJACK_LIMITS, editor=Editor("bench")
    )
    blackjack_terms_save(
        config=config, rules=SOLO_RULES, perfect_pairs_odds=STANDARD_PERFECT_PAIRS, poker_odds=STANDARD_POKER,
        editor=Editor("bench"),
    )  # fmt: skip
    tokens: dict[str, list[str]] = {BACCARAT: [], BLACKJACK: []}
    sessions = []
    with transaction.atomic():
        for number in range(players):
            player = player_open(partner=partner, reference=f"bench-{number}", currency_code="FUN")
            wallet_deposit(
                player=player, currency_code="FUN", amount=BALANCE, transaction_id=f"bench-{number}", partner=partner
            )
            for game, of_game in tokens.items():
                token = str(uuid4())
                of_game.append(token)
                sessions.append(
                    GameSession(
                        token_hash=sha256(token.encode()).hexdigest(), player=player, partner=partner, game=game,
                        currency_id="FUN", expires_at=timezone.now() + timedelta(hours=12),
                    )
                )  # fmt: skip
    GameSession.objects.bulk_create(sessions)
    return Cast(tokens[BACCARAT], tokens[BLACKJACK])
