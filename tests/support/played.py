"""Rounds played through the services, for tests of pages, reports and checks."""

from decimal import Decimal
from itertools import count
from typing import Any

from apps.accounts.actors import Actor
from apps.accounts.models import Player
from apps.blackjack.engine.rules import SOLO_RULES, BlackjackRules
from apps.blackjack.engine.state import Pace
from apps.blackjack.messages import inbound_read
from apps.blackjack.services import SeatedSession, round_action_take
from apps.core import json
from apps.one_deal.messages import Bet, Slip
from apps.rounds.bettor_identity import Bettor
from apps.rounds.game_sessions import game_session_open, token_hash
from apps.rounds.models import GameSession
from apps.rounds.services import seeds_rotate
from tests.support.baccarat_use_cases import baccarat_bet_place, baccarat_config_set
from tests.support.blackjack import blackjack_offer, seeds_choose, values_are
from tests.support.factories import player_make
from tests.support.loop import run

_event_ids = count(1)


def baccarat_session(*, bets: int = 1, decks: int = 8) -> tuple[Player, str]:
    """Return a player who has placed some bets, and its session's token. The balance covers them all."""
    player = player_make(balance=Decimal(max(100, 6 * bets)))
    baccarat_config_set(
        partner=player.partner, actor=Actor("test"), bet_min=Decimal(1), bet_max=Decimal(10), decks=decks
    )
    token = game_session_open(player=player, game="og-baccarat", currency_code="FUN")[1]
    slip = Slip((Bet(1, Decimal(5)), Bet(3, Decimal(1))), is_list=True)
    for _ in range(bets):
        run(baccarat_bet_place(bettor=Bettor(token_hash=token_hash(token)), slip=slip))
    return player, token


def blackjack_session(
    *, values: tuple[int | None, ...] = (10, 6, 9, 10), rules: BlackjackRules = SOLO_RULES
) -> tuple[Player, str]:
    """Return a player whose next deal has these values (player, upcard, player, hole), and its session's token."""
    player = player_make(balance=Decimal(100))
    blackjack_offer(player.partner, rules=rules)
    seeds_choose(player, values_are(*values), cards=4, decks=rules.decks)
    return player, game_session_open(player=player, game="og-blackjack", currency_code="FUN")[1]


def act(token: str, action: str, *, pace: Pace = Pace.SOLO, **data: object) -> dict[str, Any]:
    session = GameSession.objects.get(token_hash=token_hash(token))
    message = {
        "eventType": "RoundAction",
        "eventId": f"verify-{next(_event_ids)}",
        "gameId": "og-blackjack",
        "action": action,
        "data": data,
    }
    seated = SeatedSession(session.pk, session.connection, pace)
    answer = run(round_action_take(seated=seated, message=inbound_read(json.encode(message).decode())))
    update = json.decode(answer)
    assert isinstance(update, dict)
    return update


def played_out(token: str, *actions: str) -> None:
    """Bet ten and one on each side, take `actions`, and hit for the dealer until the round has ended."""
    data = act(token, "Bet", betAmount=10, perfecPairsBetAmount=1, pokerBetAmount=1)["data"]
    for action in actions:
        data = act(token, action)["data"]
    while not data.get("roundEnded"):
        data = act(token, "Hit")["data"]


def revealed_body(player: Player) -> dict[str, Any]:
    """Rotate the seeds, and return the body that verifies the first round."""
    pair = seeds_rotate(player=player, client_seed="next").revealed
    return {"serverSeed": pair.server_seed, "clientSeed": pair.client_seed, "nonce": 0}
