"""Players with money at partners that offer blackjack."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from decimal import Decimal

import pytest

from apps.accounts.models import Player
from apps.blackjack.engine.rules import SOLO_RULES, BlackjackRules
from tests.support.blackjack import SocketPlayer, blackjack_offer, session_token, socket_player
from tests.support.factories import player_make
from tests.support.server import Server


@pytest.fixture
def player(committed: None) -> Player:
    """A player with 100 FUN, at a partner that offers blackjack by the solo rules."""
    return offered_player()


@pytest.fixture
def seat(player: Player, shared_server: Server) -> Iterator[SocketPlayer]:
    """The player, authenticated at the socket."""
    with socket_player(shared_server, session_token(player)) as seat:
        yield seat


@pytest.fixture
def sit(shared_server: Server, committed: None) -> Iterator[Callable[[Player], SocketPlayer]]:
    """Return a function that opens a session for a player and authenticates it at the socket."""
    with ExitStack() as stack:
        yield lambda player: stack.enter_context(socket_player(shared_server, session_token(player)))


def offered_player(*, balance: Decimal = Decimal(100), rules: BlackjackRules = SOLO_RULES) -> Player:
    """Return a new player at a new partner that offers blackjack by these rules."""
    player = player_make(balance=balance)
    blackjack_offer(player.partner, rules=rules)
    return player
