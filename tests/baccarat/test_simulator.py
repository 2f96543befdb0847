"""A million rounds by a second implementation of the rules, against the exact edges."""

from math import sqrt

import pytest

from apps.baccarat.edge import house_edge, probabilities
from apps.baccarat.engine import STANDARD_ODDS, GameType
from apps.baccarat.simulator import Tally, simulate
from apps.cards.shoe import INFINITE_DECKS

ROUNDS = 1_000_000


@pytest.mark.parametrize("decks", [1, 8, INFINITE_DECKS])
def test_every_bet_earns_its_exact_edge(decks: int) -> None:
    for game_type, tally in simulate(decks=decks, rounds=ROUNDS, seed=3).items():
        odds = STANDARD_ODDS[game_type]
        assert tally.rounds == ROUNDS
        assert abs(tally.mean(odds) + float(house_edge(game_type, odds, decks))) <= 3 * tally.standard_error(odds)
        for seen, chance in zip((tally.won, tally.lost), probabilities(game_type, decks), strict=True):
            spread = sqrt(ROUNDS * float(chance * (1 - chance)))
            assert abs(seen - ROUNDS * float(chance)) <= 3 * spread, game_type


@pytest.mark.parametrize("game_type", [GameType.PLAYER, GameType.BANKER])
def test_an_edge_that_is_wrong_by_half_a_percent_is_noticed(game_type: GameType) -> None:
    odds = STANDARD_ODDS[game_type]
    tally = simulate(decks=8, rounds=ROUNDS, seed=4)[game_type]
    edge = float(house_edge(game_type, odds, 8))
    for wrong in (edge - 0.005, edge + 0.005):
        assert abs(tally.mean(odds) + wrong) > 3 * tally.standard_error(odds)


def test_the_same_seed_deals_the_same_rounds() -> None:
    one, same, other = (simulate(decks=6, rounds=20_000, seed=seed) for seed in (5, 5, 6))
    assert one == same
    assert one != other


def test_a_tally_of_pushes_alone_earns_nothing() -> None:
    assert Tally(rounds=10, won=0, lost=0).mean(STANDARD_ODDS[GameType.PLAYER]) == 0.0
    with pytest.raises(ValueError, match="decks is 0"):
        simulate(decks=0, rounds=1, seed=1)
