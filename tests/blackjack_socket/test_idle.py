"""The platform plays each idle round out once, by the rules."""

from collections.abc import Callable
from datetime import timedelta

import psycopg
import pytest
from django.utils import timezone

from apps.accounts.models import Player
from apps.audit.models import AuditEntry
from apps.blackjack.services import idle_rounds_play_out
from apps.blackjack.tasks import idle_rounds_complete
from apps.rounds.models import Round
from apps.wallet.models import Wallet
from tests.blackjack_socket.conftest import offered_player
from tests.support.blackjack import SocketPlayer, seeds_choose, values_are
from tests.support.loop import run

Sit = Callable[[Player], SocketPlayer]


def age(superuser: psycopg.Connection, game_round: Round, *, hours: int) -> None:
    """Move the round's last action back in time, as only the superuser can."""
    superuser.execute("SET session_replication_role = replica")
    superuser.execute(
        "UPDATE blackjack_round SET acted_at = now() - make_interval(hours => %s) WHERE round_id = %s",
        [hours, game_round.pk],
    )


def test_a_round_idle_for_a_day_is_stood_and_settled(sit: Sit, superuser: psycopg.Connection) -> None:
    player = offered_player()
    # The upcard is an ace: the platform declines insurance and stands on twenty, which beats the dealer's 19.
    seeds_choose(player, values_are(10, 1, 10, 8), cards=4)
    seat = sit(player)
    seat.act("Bet", {"betAmount": 10})
    game_round = Round.objects.get(player=player)
    age(superuser, game_round, hours=23)
    idle_rounds_complete()
    game_round.refresh_from_db()
    assert game_round.how_ended == ""
    age(superuser, game_round, hours=25)
    idle_rounds_complete()
    idle_rounds_complete()
    game_round.refresh_from_db()
    assert (game_round.how_ended, game_round.payout) == ("auto_completed", 20)
    assert Wallet.objects.get(player=player).balance == 110
    taken = list(game_round.actions.values_list("acted_by", "action__wire"))
    assert taken == [("player", "Bet"), ("platform", "Peek"), ("platform", "Stand"), ("platform", "Hit")]
    assert seat.act("Stand")["code"] == "GAME_ROUND_NOT_FOUND"
    entry = AuditEntry.objects.get(action="round.auto_complete")
    assert (entry.actor, entry.subject, entry.partner_id) == ("platform", f"round {game_round.pk}", player.partner_id)
    assert entry.data == {"stake": "10", "payout": "20"}


def test_a_broken_round_does_not_stop_the_others(
    sit: Sit, superuser: psycopg.Connection, caplog: pytest.LogCaptureFixture
) -> None:
    players = [offered_player(), offered_player()]
    for player in players:
        seeds_choose(player, values_are(10, 6, 2, 10), cards=4)
        sit(player).act("Bet", {"betAmount": 10})
    broken, whole = [Round.objects.get(player=player) for player in players]
    superuser.execute("SET session_replication_role = replica")
    superuser.execute("UPDATE blackjack_round SET state = '{}' WHERE round_id = %s", [broken.pk])
    age(superuser, broken, hours=30)
    age(superuser, whole, hours=25)
    idle_rounds_complete()
    broken.refresh_from_db()
    whole.refresh_from_db()
    assert (broken.how_ended, whole.how_ended) == ("", "auto_completed")
    assert str(broken.pk) in caplog.text


def test_a_round_whose_player_acts_meanwhile_is_left_alone(sit: Sit) -> None:
    player = offered_player()
    seeds_choose(player, values_are(10, 6, 2, 10), cards=4)
    seat = sit(player)
    seat.act("Bet", {"betAmount": 10})
    game_round = Round.objects.get(player=player)
    yesterday = timezone.now() - timedelta(hours=24)
    assert run(idle_rounds_play_out(round_ids=[game_round.pk], idle_before=yesterday)) == 0
    assert game_round.actions.count() == 1
