"""A wallet that may not hold a payout is refused the bet before the cards are known, and nobody else's round waits."""

from decimal import Decimal
from typing import Any

import pytest

from apps.accounts.actors import Actor
from apps.core.errors import AmountTooLarge
from apps.core.money import MAX_AMOUNT
from apps.fairness.models import SeedPair
from apps.one_deal.messages import Bet, Slip
from apps.rounds.bettor_identity import Bettor
from apps.rounds.game_sessions import game_session_open, token_hash
from apps.rounds.models import Round
from apps.tables.registry import table_games
from tests.support.baccarat_use_cases import baccarat_bet_place, baccarat_config_set
from tests.support.blackjack import blackjack_offer
from tests.support.factories import player_make
from tests.support.loop import run
from tests.support.played import act
from tests.support.table_play import PlayedTable
from tests.support.tables import players_make, table_make

pytestmark = pytest.mark.usefixtures("committed")

FULL = MAX_AMOUNT - 1
"""A balance with room for no payout of a bet of ten."""
ROOM = MAX_AMOUNT - 10_000


@pytest.mark.parametrize("game_type", list(table_games()))
def test_at_a_live_table_a_full_wallet_is_refused_and_the_round_of_the_others_is_paid(game_type: str) -> None:
    partner, [anna] = players_make(1)
    rich = player_make(balance=FULL, partner=partner)
    table = PlayedTable(table_make(partner, game_type=game_type, currency="FUN"), [anna, rich])
    table.stake(0)
    assert table.act(1, "place_bet", **table.bet(10)) == "INVALID_AMOUNT"
    table.window_end()
    table.play_out()
    table.play_out()
    assert Round.objects.get().player_id == anna.pk


def test_a_refusal_of_a_full_wallet_says_nothing_about_the_cards() -> None:
    def place(balance: Decimal, bet: int) -> Any:
        player = player_make(balance=balance)
        baccarat_config_set(partner=player.partner, actor=Actor("test"), bet_min=Decimal(1), bet_max=Decimal(10))
        _, token = game_session_open(player=player, game="og-baccarat", currency_code="FUN")
        slip = Slip((Bet(bet, Decimal(10)),), is_list=True)
        return run(baccarat_bet_place(bettor=Bettor(token_hash=token_hash(token)), slip=slip))

    for bet in (1, 2, 3):  # two of them lose, and would fit
        with pytest.raises(AmountTooLarge, match="the payout of this bet might not fit"):
            place(FULL, bet)
        place(ROOM, bet)
    assert set(SeedPair.objects.filter(status="active").values_list("next_nonce", flat=True)) == {0, 1}


def test_a_round_of_blackjack_is_not_begun_with_a_full_wallet() -> None:
    for balance in (FULL, ROOM):
        player = player_make(balance=balance)
        blackjack_offer(player.partner)
        _, token = game_session_open(player=player, game="og-blackjack", currency_code="FUN")
        if balance == FULL:
            with pytest.raises(AmountTooLarge):
                act(token, "Bet", betAmount=10)
        else:
            act(token, "Bet", betAmount=10)
    assert Round.objects.get().player_id == player.pk
