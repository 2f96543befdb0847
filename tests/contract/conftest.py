"""A table of each registered game: a partner that offers it, a player with a log-in, and a session of the game."""

from dataclasses import dataclass
from decimal import Decimal
from random import Random

import pytest
from django.test import Client

from apps.accounts.models import Player
from apps.partners.models import Partner
from apps.rounds.game_sessions import game_session_open
from apps.rounds.game_spec import DemoOffer, GameSpec
from apps.rounds.models import Round
from apps.rounds.registry import games
from tests.contract.players import GamePlayer, player_of
from tests.support.factories import partner_make, player_make, user_make

BALANCE = Decimal(1000)
ROUNDS = 12


@dataclass(frozen=True, slots=True)
class Table:
    """One player at one game."""

    game: GameSpec
    plays: GamePlayer
    player: Player
    token: str

    @property
    def partner(self) -> Partner:
        return self.player.partner

    def play(self, rounds: int = ROUNDS) -> list[Round]:
        """Play this number of rounds with the same decisions on every run; return all the player's rounds, newest
        first."""
        chance = Random(11)
        for _ in range(rounds):
            self.plays.play(self.token, chance)
        return list(Round.objects.filter(player=self.player).select_related("currency", "seed_pair"))

    def browser(self) -> Client:
        """Return a browser with the player's log-in."""
        browser = Client()
        assert self.player.user is not None
        browser.force_login(self.player.user)
        return browser

    def another(self) -> "Table":
        """Return the same game with another player of the partner."""
        return table_of(self.game, self.partner)


def table_of(game: GameSpec, partner: Partner) -> Table:
    player = player_make(balance=BALANCE, partner=partner, user=user_make())
    token = game_session_open(player=player, game=game.id, currency_code="FUN")[1]
    return Table(game, player_of(game), player, token)


@pytest.fixture(params=games(), ids=lambda game: game.slug)
def table(request: pytest.FixtureRequest, committed: None) -> Table:
    game: GameSpec = request.param
    partner = partner_make(is_house=True)
    game.demo_offer(
        DemoOffer(partner=partner, currency_code="FUN", bet_min=Decimal(1), bet_max=Decimal(100), actor="test")
    )
    return table_of(game, partner)
