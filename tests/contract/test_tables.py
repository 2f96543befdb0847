"""The contract of live tables: these tests run for every game that has a `table.py`."""

import pytest

from apps.office.proof import proof_run
from apps.rounds.models import Round
from apps.rounds.registry import game_of
from apps.rounds.selectors import round_explain
from apps.tables.registry import table_games
from apps.wallet.models import Wallet
from tests.support.table_play import PlayedTable
from tests.support.tables import players_make, table_make

pytestmark = pytest.mark.usefixtures("committed")


@pytest.mark.parametrize("game_type", list(table_games()))
def test_a_table_s_rounds_are_of_a_registered_game_conserve_money_and_are_proven(game_type: str) -> None:
    partner, players = players_make(3)
    table = PlayedTable(table_make(partner, game_type=game_type, currency="FUN", window_s=30, turn_s=60), players)
    played = [table.round_play(amount=10 * number) for number in (1, 2)]
    for player in players:
        rounds = list(Round.objects.filter(player=player).select_related("currency"))
        assert {seat.table_round for seat in rounds} == {each.pk for each in played}
        assert {game_of(seat.game).id for seat in rounds} == {table_games()[game_type].game_id}
        net = sum(seat.payout - seat.stake for seat in rounds)
        assert Wallet.objects.get(player=player).balance == 1000 + net
        for seat in rounds:
            explained = round_explain(seat)
            assert sum(bet.stake for bet in explained.bets) == seat.stake
            # These texts are in the catalogues. A text that is made from a name on the wire would stay English.
            assert {bet.result_label for bet in explained.bets} <= set(table_games()[game_type].result_labels.values())
            assert sum(action.stake - action.payout for action in explained.actions) == seat.stake
            assert all(card for hand in explained.hands for card in hand.cards)
    proof = proof_run()
    assert (proof.findings, proof.table_round_count) == ([], len(played))
