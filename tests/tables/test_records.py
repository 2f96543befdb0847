"""The record of a round at a table: explained, verified and proven as a solo round is."""

from decimal import Decimal

import pytest

from apps.office.proof import proof_run
from apps.office.verification.rounds import round_check
from apps.rounds.models import Round, RoundEnd
from apps.rounds.selectors import round_explain
from apps.tables.models import TableRound
from apps.tables.registry import table_games
from tests.support.table_play import PlayedTable
from tests.support.tables import players_make, table_make

pytestmark = pytest.mark.usefixtures("committed")

GAMES = list(table_games())


def table_of(game_type: str, *, seats: int = 2, currency: str | None = "FUN", **wish: object) -> PlayedTable:
    partner, players = players_make(seats)
    return PlayedTable(table_make(partner, game_type=game_type, currency=currency, **wish), players)


@pytest.mark.parametrize("game_type", GAMES)
def test_a_seats_round_is_explained_with_its_bets_actions_and_cards(game_type: str) -> None:
    played = table_of(game_type).round_play(amount=10)
    for seat in Round.objects.filter(table_round=played.pk).select_related("currency"):
        explained = round_explain(seat)
        assert sum(bet.stake for bet in explained.bets) == seat.stake >= 10
        assert sum(bet.payout for bet in explained.bets) == seat.payout
        assert explained.actions[0].action == "place_bet"
        assert explained.actions[0].stake == Decimal(10)
        assert explained.hands
        assert explained.steps[-1].text.startswith("The end")
        assert explained.source.server_seed == played.seed
        assert explained.dealt.cards
        assert round_check(seat).faults == []


@pytest.mark.parametrize("game_type", GAMES)
@pytest.mark.parametrize("currency", ["FUN", None])
def test_rounds_one_after_the_other_give_no_finding(game_type: str, currency: str | None) -> None:
    table = table_of(game_type, currency=currency)
    for action in ("hit", "double_down", "split"):
        table.round_play(action=action)
    table.next_window()
    table.window_end()  # nobody has staked
    table.next_window()
    table.stake(0)
    assert table.act(0, "clear_bets") is None
    table.stake(1)
    table.window_end()
    table.play_out()
    table.next_window()
    table.stake(0)  # and it goes on
    proof = proof_run()
    assert proof.findings == []
    assert proof.table_round_count == TableRound.objects.count() == 6
    if currency:
        ends = Round.objects.filter(table_round__isnull=False).values_list("how_ended", flat=True)
        assert sorted(ends) == sorted([RoundEnd.PLAYED] * 7 + [RoundEnd.WITHDRAWN, RoundEnd.OPEN])
