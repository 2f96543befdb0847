"""Rounds played over the real socket: cards, money and stored answers."""

from decimal import Decimal

import pytest

from apps.rounds.models import Round, RoundAction
from apps.wallet.models import Wallet, WalletTransaction
from tests.support.blackjack import blackjack_offer, seeds_choose, session_token, socket_player, values_are
from tests.support.factories import player_make
from tests.support.server import server_run

pytestmark = pytest.mark.usefixtures("committed")


def test_a_round_is_bet_stood_and_paid() -> None:
    player = player_make(balance=Decimal(100))
    blackjack_offer(player.partner)
    seeds_choose(player, values_are(10, 6, 10, 10, 10), cards=5)
    with server_run() as server, socket_player(server, session_token(player)) as seat:
        bet = seat.act("Bet", {"betAmount": 10})
        assert bet["data"]["handOwner"] == "Player"
        assert len(bet["data"]["dealerHand"]["cards"]) == 1
        stood = seat.act("Stand")
        assert stood["data"] == {"nextActions": ["Hit"], "handIndex": 0, "handOwner": "Dealer"}
        shown = seat.act("Hit")
        assert shown["data"]["nextActions"] == ["Hit"]
        ended = seat.act("Hit")
        assert ended["data"]["roundEnded"] is True
        assert ended["data"]["payout"] == "20"
        assert ended["data"]["balance"] == "110"
        assert ended["data"]["playerHands"] == [{"status": "Win", "payout": "20"}]
        assert seat.send("RoundState")["code"] == "GAME_ROUND_NOT_FOUND"
        assert seat.send("GetBalance", data={"currency": "FUN"})["data"] == {"balance": "110", "currency": "FUN"}
    game_round = Round.objects.get()
    assert (game_round.stake, game_round.payout, game_round.how_ended) == (10, 20, "played")
    assert Wallet.objects.get().balance == 110
    assert RoundAction.objects.count() == 4
    assert [row.change for row in WalletTransaction.objects.order_by("number")] == [100, -10, 20]
