"""A dragon tiger player over HTTP, and client seeds that deal the cards a test needs."""

from collections.abc import Callable
from decimal import Decimal
from functools import partial
from itertools import count
from typing import Any, Final

from apps.accounts.actors import Actor
from apps.accounts.models import Player
from apps.core import json
from apps.dragon_tiger.engine import Deal, deal
from apps.dragon_tiger.one_deal_game import DRAGON_TIGER
from apps.fairness.engine import fair_shoe
from apps.fairness.models import SeedPair, SeedStatus
from apps.fairness.services import server_seed_open
from apps.one_deal import configuration, services
from apps.rounds.game_sessions import game_session_open
from tests.support.asgi import AsgiAnswer, ask
from tests.support.factories import player_make

TESTER = Actor("test")

dragon_tiger_bet_place: Final = partial(services.bet_place, DRAGON_TIGER)
dragon_tiger_config_set: Final = partial(configuration.config_set, DRAGON_TIGER)
dragon_tiger_odds_set: Final = partial(configuration.odds_set, DRAGON_TIGER)


def is_tie(outcome: Deal) -> bool:
    return outcome.dragon.rank == outcome.tiger.rank and outcome.dragon is not outcome.tiger


def player_new(balance: str = "1000", *, currency: str = "FUN") -> Player:
    """Return a new player of a new partner that offers all four bets, from 1 to 1000."""
    player = player_make(balance=Decimal(balance), currency=currency)
    dragon_tiger_config_set(
        partner=player.partner, actor=TESTER, bet_min=Decimal(1), bet_max=Decimal(1000), currency_code=currency
    )
    return player


def bet(player: Player, body: Any, *, key: str | None = None) -> AsgiAnswer:
    """Place bets in a new game session, as a partner's page does."""
    currency = player.wallets.get().currency_id
    _, token = game_session_open(player=player, game=DRAGON_TIGER.id, currency_code=currency)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    if key is not None:
        headers["Idempotency-Key"] = key
    return ask("POST", DRAGON_TIGER.bet_path, json.encode(body), headers)


def seeds_choose(player: Player, wanted: Callable[[Deal], bool]) -> None:
    """Give the player's unused active pair a client seed that deals the first round as wanted."""
    pair = SeedPair.objects.get(player=player, status=SeedStatus.ACTIVE, next_nonce=0)
    server_seed = server_seed_open(pair)
    pair.client_seed = next(
        seed for seed in map("wanted-{}".format, count()) if wanted(deal(fair_shoe(server_seed, seed, 0, decks=8)))
    )
    pair.save(update_fields=["client_seed"])
