"""The players of the benchmark: created directly in its database, with sessions at baccarat and blackjack."""

from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from hashlib import sha256
from typing import TYPE_CHECKING
from uuid import uuid4

import django
from django.db import transaction
from django.utils import timezone

from casino.bench.bench_environment import BenchDatabase

if TYPE_CHECKING:
    from apps.accounts.models import Player
    from apps.partners.models import Partner

BALANCE = Decimal(1_000_000)
LOGGED_IN = 1000
"""The number of players with a browser. With fewer, two would often bet at once from one wallet, which costs more."""
MADE_AT_ONCE = 100
"""The number of players in one transaction: its commit checks all rows, and must end before the statement timeout."""


@dataclass(frozen=True, slots=True)
class BenchPlayers:
    """Session tokens, one for each player, in the same order for both games."""

    baccarat: list[str]
    blackjack: list[str]
    cookies: list[str]
    """The headers of the browsers of some players."""


def django_enter(bench: BenchDatabase) -> None:
    """Set up Django in this process, on the benchmark's database."""
    import os

    os.environ.update(bench.environment)
    django.setup()


def bench_players_make(players: int, *, browsers: int = LOGGED_IN) -> BenchPlayers:
    """Create a partner that offers every game, and this number of players with sessions at baccarat and blackjack."""
    from apps.baccarat.apps import GAME_ID as BACCARAT
    from apps.blackjack.apps import GAME_ID as BLACKJACK
    from apps.partners.models import Partner
    from apps.rounds.game_spec import DemoOffer
    from apps.rounds.models import GameSession
    from apps.rounds.registry import games

    partner = Partner.objects.create(slug="bench", name="Bench")
    offer = DemoOffer(partner=partner, currency_code="FUN", bet_min=Decimal(1), bet_max=Decimal(1000), actor="bench")
    for game in games():
        game.demo_offer(offer)
    tokens: dict[str, list[str]] = {BACCARAT: [], BLACKJACK: []}
    cookies: list[str] = []
    for first in range(0, players, MADE_AT_ONCE):
        sessions = []
        made = _players_make(partner, range(first, min(players, first + MADE_AT_ONCE)))
        for player in made:
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
        cookies += [_cookies_make(player) for player in made[: max(0, browsers - first)]]
    return BenchPlayers(tokens[BACCARAT], tokens[BLACKJACK], cookies)


@transaction.atomic
def _players_make(partner: "Partner", numbers: range) -> "list[Player]":
    """Create players with money, in one transaction."""
    from apps.rounds.services import player_open
    from apps.wallet.services import wallet_deposit

    made = []
    for number in numbers:
        player = player_open(partner=partner, reference=f"bench-{number}", currency_code="FUN")
        wallet_deposit(
            player=player, currency_code="FUN", amount=BALANCE, transaction_id=f"bench-{number}", partner=partner
        )
        made.append(player)
    return made


def _cookies_make(player: "Player") -> str:
    """Log the player in, and return the headers that its browser then sends."""
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.cached_db import SessionStore

    from apps.accounts.models import User

    user = User.objects.create(username=player.reference, email=f"{player.reference}@bench.example")
    player.user = user
    player.save()
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    csrf = "a" * 32
    return f"Cookie: sessionid={session.session_key}; csrftoken={csrf}\r\nX-CSRFToken: {csrf}"
