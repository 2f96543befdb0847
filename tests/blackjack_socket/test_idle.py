"""Rounds that nobody touches are played out, once, by the rules."""

from collections.abc import Callable
from datetime import timedelta

from django.utils import timezone

from apps.accounts.models import Player
from apps.blackjack.services import idle_round_complete
from apps.blackjack.tasks import idle_rounds_complete
from apps.rounds.models import Round
from apps.wallet.models import Wallet
from tests.blackjack_socket.conftest import offered_player
from tests.support.blackjack import SocketPlayer, seeds_choose, values_are

Sit = Callable[[Player], SocketPlayer]


def age(game_round: Round, **by: int) -> None:
    Round.objects.filter(pk=game_round.pk).update(acted_at=timezone.now() - timedelta(**by))


def test_a_round_untouched_for_a_day_is_stood_and_settled(sit: Sit) -> None:
    player = offered_player()
    # An ace up: the platform declines insurance, stands on twenty, and the dealer's 19 loses to it.
    seeds_choose(player, values_are(10, 1, 10, 8), cards=4)
    seat = sit(player)
    seat.act("Bet", {"betAmount": 10})
    game_round = Round.objects.get(player=player)
    age(game_round, hours=23)
    idle_rounds_complete()
    game_round.refresh_from_db()
    assert game_round.how_ended == ""
    age(game_round, hours=25)
    idle_rounds_complete()
    idle_rounds_complete()
    game_round.refresh_from_db()
    assert (game_round.how_ended, game_round.payout) == ("auto_completed", 20)
    assert Wallet.objects.get(player=player).balance == 110
    taken = list(game_round.actions.values_list("acted_by", "action__wire"))
    assert taken == [("player", "Bet"), ("platform", "Peek"), ("platform", "Stand"), ("platform", "Hit")]
    assert seat.act("Stand")["code"] == "GAME_ROUND_NOT_FOUND"


def test_a_round_that_its_player_takes_up_meanwhile_is_left_alone(sit: Sit) -> None:
    player = offered_player()
    seeds_choose(player, values_are(10, 6, 2, 10), cards=4)
    seat = sit(player)
    seat.act("Bet", {"betAmount": 10})
    game_round = Round.objects.get(player=player)
    assert not idle_round_complete(round_id=game_round.pk, idle_before=timezone.now() - timedelta(hours=24))
    assert game_round.actions.count() == 1
