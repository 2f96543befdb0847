"""A baccarat player over HTTP, and client seeds that deal the cards a test needs."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from itertools import count
from typing import Any

from django.utils import timezone

from apps.accounts.actors import Actor
from apps.accounts.models import Player
from apps.baccarat.apps import GAME_ID as BACCARAT
from apps.baccarat.engine import Deal, GameType, deal
from apps.baccarat.models import BaccaratConfig
from apps.baccarat.one_deal_game import BACCARAT as RULES
from apps.core import json
from apps.fairness.engine import commitment, fair_shoe
from apps.fairness.models import SeedPair, SeedStatus
from apps.fairness.seed_encryption import seed_encrypt
from apps.fairness.services import server_seed_open
from apps.one_deal.configuration import OddsChange
from apps.partners.models import Partner
from apps.rounds.game_sessions import game_session_open
from tests.support.asgi import AsgiAnswer, ask
from tests.support.baccarat_use_cases import baccarat_config_set, baccarat_odds_set
from tests.support.factories import player_make

BET_PATH = RULES.bet_path
TESTER = Actor("test")


class Seat:
    """A player with a game session, who bets with its token as a partner's page does."""

    def __init__(self, player: Player, *, currency: str = "FUN", game: str = BACCARAT) -> None:
        self.player = player
        self.session, self.token = game_session_open(player=player, game=game, currency_code=currency)

    def bet(self, body: object, *, key: str | None = None) -> AsgiAnswer:
        """Send `body` as JSON; bytes go as they are."""
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        if key is not None:
            headers["Idempotency-Key"] = key
        data = body if isinstance(body, bytes) else json.encode(body)
        return ask("POST", BET_PATH, data, headers)

    def expire(self) -> None:
        """Let the session expire."""
        self.session.expires_at = timezone.now() - timedelta(seconds=1)
        self.session.save()

    def end(self) -> None:
        """End the session as its partner would."""
        self.session.ended_at = timezone.now()
        self.session.save()

    @property
    def balance(self) -> Decimal:
        return self.player.wallets.get(currency=self.session.currency).balance


def seat_make(balance: str = "1000", *, currency: str = "FUN", bet_max: str = "1000") -> Seat:
    """Return a new player of a new partner that offers player, banker and tie at the standard odds."""
    player = player_make(balance=Decimal(balance), currency=currency)
    offer_make(player.partner, currency=currency, bet_max=bet_max)
    return Seat(player, currency=currency)


def offer_make(
    partner: Partner, *, currency: str = "FUN", bet_max: str = "1000", decks: int | None = None
) -> BaccaratConfig:
    """Let the partner offer baccarat with bets from 1."""
    return baccarat_config_set(
        partner=partner,
        actor=TESTER,
        bet_min=Decimal(1),
        bet_max=Decimal(bet_max),
        currency_code=currency,
        decks=decks,
    )


def odds_set(config: BaccaratConfig, game_type: GameType, odds: str) -> None:
    """Let a bet pay `odds` to 1."""
    change = OddsChange(config.pk, game_type, Decimal(odds))
    baccarat_odds_set(partner=config.partner, actor=TESTER, changes=[change])


def seeds_set(player: Player, server_seed: str, client_seed: str) -> SeedPair:
    """Let the player's next round be dealt from these seeds; the pair before is revealed as in a rotation."""
    pair = SeedPair.objects.get(player=player, status=SeedStatus.ACTIVE)
    pair.server_seed = server_seed_open(pair)
    pair.status, pair.revealed_at = SeedStatus.REVEALED, timezone.now()
    pair.save()
    committed = commitment(server_seed)
    return SeedPair.objects.create(
        player=player,
        status=SeedStatus.ACTIVE,
        commitment=committed,
        sealed_seed=seed_encrypt(server_seed, commitment=committed),
        client_seed=client_seed,
    )


def seeds_choose(player: Player, wanted: Callable[[Deal], bool], *, rounds: int = 1, decks: int = 8) -> SeedPair:
    """Give the player's unused active pair a client seed that deals each first round as wanted."""
    pair = SeedPair.objects.get(player=player, status=SeedStatus.ACTIVE, next_nonce=0)
    server_seed = server_seed_open(pair)
    for number in count():
        client_seed = f"wanted-{number}"
        if all(wanted(deal(fair_shoe(server_seed, client_seed, nonce, decks=decks))) for nonce in range(rounds)):
            pair.client_seed = client_seed
            pair.save(update_fields=["client_seed"])
            return pair
    raise AssertionError("unreachable: count() has no end")


def refusal(answer: AsgiAnswer, status: int, code: str) -> dict[str, Any]:
    """Check that the answer is this refusal in the form of `/api/game`, and return its body."""
    assert (answer.status, answer.body.get("code")) == (status, code), answer.bytes
    assert set(answer.body) == {"code", "message"}
    assert answer.body["message"]
    assert answer.headers["Content-Type"] == "application/json"
    body: dict[str, Any] = answer.body
    return body
