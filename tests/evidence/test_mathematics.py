"""Error bars, e-values and tails, against published figures, exact sums and simulation."""

from fractions import Fraction
from itertools import product
from math import comb, exp, fsum, inf, lgamma, log, prod

import numpy as np
import pytest
from numpy.typing import NDArray

from apps.baccarat.edge import paytable_rows
from apps.baccarat.engine import STANDARD_ODDS, GameType
from apps.evidence.mathematics import (
    Z_99,
    bets_grid,
    binomial_tail,
    chi_square,
    chi_square_tail,
    deviations,
    effective_n,
    hits_interval,
    log_evidence,
    log_faces_evidence,
    log_products,
    log_restarted_evidence,
    poisson_interval,
    restarted,
    rtp_half_width,
)
from apps.paytables.paytable_rows import PaytableRow
from tests.support.long_form import IS_LONG

RUNS = 2_000 if IS_LONG else 200
STEP = 10_000
"""Rounds between two looks in a simulation."""
FOUR_BETS = (GameType.PLAYER, GameType.BANKER, GameType.TIE, GameType.PLAYER_PAIR)
COIN = (PaytableRow("won", Fraction(1, 2), Fraction(2)), PaytableRow("lost", Fraction(1, 2), Fraction(0)))

Floats = NDArray[np.float64]


def standard(kind: GameType) -> tuple[PaytableRow, ...]:
    return tuple(line for line in paytable_rows(kind, STANDARD_ODDS[kind], 8) if line.chance)


def off_by(lines: tuple[PaytableRow, ...], points: float) -> list[float]:
    """Return the chances of a bet whose RTP is higher by this many percentage points: wins replace losses."""
    chances = [float(line.chance) for line in lines]
    moved = points / 100 / float(lines[0].payout)
    return [chances[0] + moved, chances[1] - moved, *chances[2:]]


def simulated_logs(
    lines: tuple[PaytableRow, ...], chances: list[float], *, rounds: int, shape: tuple[int, ...], seed: int
) -> Floats:
    """Return the logarithms of the products of `rounds` rounds, for each L in the last axis."""
    hits = np.random.default_rng(seed).multinomial(rounds, chances, size=shape)
    steps = np.log1p(np.outer(deviations(lines), bets_grid(lines)))
    return np.asarray(hits @ steps)


def log_means(values: Floats) -> Floats:
    highest = values.max(axis=-1)
    return np.asarray(highest + np.log(np.exp(values - highest[..., None]).mean(axis=-1)))


def test_the_half_width_of_a_thousand_equal_bets_is_that_of_the_textbook() -> None:
    assert rtp_half_width(stake=1000, variance=1000, z=Z_99) == pytest.approx(2.5758293 / 1000**0.5)
    assert rtp_half_width(stake=0, variance=0) == inf


def test_unequal_stakes_count_as_fewer_bets() -> None:
    assert effective_n(stake=10 * 1, stake_squared=10 * 1) == 10
    assert effective_n(stake=10 + 100, stake_squared=10 + 100**2) == pytest.approx(1.2088, abs=1e-4)
    assert effective_n(stake=0, stake_squared=0) == 0


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"), [(0, 10, 0.0, 0.308497), (5, 10, 0.187086, 0.812914), (3, 1000, 0.000619, 0.008743)]
)
def test_the_exact_interval_has_the_published_bounds(hits: int, n: int, low: float, high: float) -> None:
    assert hits_interval(hits, n) == (pytest.approx(low, abs=1e-6), pytest.approx(high, abs=1e-6))


@pytest.mark.parametrize(
    ("hits", "low", "high"),
    [(0, 0.0, 3.688879), (1, 0.025318, 5.571643), (5, 1.623486, 11.668332), (10, 4.795389, 18.390356)],
)
def test_the_interval_of_a_sum_of_chances_has_the_published_bounds(hits: int, low: float, high: float) -> None:
    assert poisson_interval(hits) == (pytest.approx(low, abs=1e-6), pytest.approx(high, abs=1e-6))


@pytest.mark.parametrize("level", [0.95, 0.99])
def test_the_ends_of_that_interval_have_the_exact_tails(level: float) -> None:
    for hits in (1, 2, 17, 99, 140):
        low, high = poisson_interval(hits, level=level)
        for mean, last, expected in ((low, hits - 1, (1 + level) / 2), (high, hits, (1 - level) / 2)):
            below = fsum(exp(k * log(mean) - mean - lgamma(k + 1)) for k in range(last + 1))
            assert below == pytest.approx(expected, abs=1e-9)


def test_that_interval_holds_the_sum_of_mixed_chances_as_often_as_it_says() -> None:
    chances = [0.06 + 0.07 * (number % 13) / 12 for number in range(80)]
    at_most = [1.0]  # the distribution of the number of hits, round by round
    for chance in chances:
        at_most = [
            (1 - chance) * same + chance * one_less
            for same, one_less in zip([*at_most, 0.0], [0.0, *at_most], strict=True)
        ]
    covered = fsum(
        likelihood
        for hits, likelihood in enumerate(at_most)
        if poisson_interval(hits)[0] <= sum(chances) <= poisson_interval(hits)[1]
    )
    assert 0.95 <= covered < 0.98


@pytest.mark.parametrize("chance", [0.03, 0.5, 0.97])
def test_the_binomial_tail_is_the_exact_sum(chance: float) -> None:
    n = 40
    for hits in range(n + 2):
        exact = sum(comb(n, k) * Fraction(chance) ** k * (1 - Fraction(chance)) ** (n - k) for k in range(hits, n + 1))
        assert binomial_tail(hits, n, chance) == pytest.approx(float(exact), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    ("statistic", "degrees", "tail"),
    [(3.841458820694124, 1, 0.05), (77.38596, 51, 0.01), (68.66929, 51, 0.05), (10.0, 2, exp(-5)), (0.0, 4, 1.0)],
)
def test_the_chi_square_tail_is_that_of_the_tables(statistic: float, degrees: int, tail: float) -> None:
    assert chi_square_tail(statistic, degrees) == pytest.approx(tail, rel=1e-5)


def test_the_expectation_of_e_is_one_over_all_sequences_of_results() -> None:
    """This makes the e-value valid: its mean over all sequences, weighted by their probabilities, is 1."""
    lines = standard(GameType.BANKER)
    total = 0.0
    for sequence in product(range(len(lines)), repeat=6):
        hits = [sequence.count(place) for place in range(len(lines))]
        chance = float(prod(lines[place].chance for place in sequence))
        total += chance * exp(log_evidence(log_products(lines, hits)))
    assert total == pytest.approx(1, abs=1e-12)


def test_no_factor_of_any_law_reaches_zero() -> None:
    for kind in GameType:
        lines = standard(kind)
        assert len(bets_grid(lines)) == 16
        assert all(1 + value * step >= 0.5 - 1e-12 for value in bets_grid(lines) for step in deviations(lines))


def test_a_bet_with_one_possible_result_is_no_evidence() -> None:
    lines = (PaytableRow("won", Fraction(0), Fraction(51)), PaytableRow("lost", Fraction(1), Fraction(0)))
    assert log_evidence(log_products(lines, [0, 1000])) == 0


def test_a_result_that_cannot_come_is_refused() -> None:
    with pytest.raises(ValueError, match="its chance is 0"):
        log_products((*COIN, PaytableRow("edge", Fraction(0), Fraction(1))), [1, 1, 1])


def test_the_restarted_evidence_follows_its_definition() -> None:
    first = log_products(COIN, [6, 4])
    second = log_products(COIN, [7, 3])
    expected = [(1 + exp(one)) * exp(two) for one, two in zip(first, second, strict=True)]
    assert log_restarted_evidence(restarted(restarted((), first), second)) == pytest.approx(
        log(sum(expected) / len(expected))
    )


def test_the_expectation_of_the_faces_evidence_is_one() -> None:
    chances = [0.5, 0.3, 0.2]
    total = 0.0
    for sequence in product(range(3), repeat=7):
        counts = [sequence.count(face) for face in range(3)]
        total += prod(chances[face] for face in sequence) * exp(log_faces_evidence(counts, chances))
    assert total == pytest.approx(1, abs=1e-9)
    assert chi_square([50, 30, 20], chances) == pytest.approx(0)


def test_faces_that_come_too_often_are_found_and_fair_ones_are_not() -> None:
    random = np.random.default_rng(52)
    fair = [1 / 52] * 52
    biased = [*[1 / 52 * 1.05] * 26, *[1 / 52 * 0.95] * 26]
    rounds = 200_000
    found = log_faces_evidence([int(each) for each in random.multinomial(rounds, biased)], fair)
    clean = [log_faces_evidence([int(each) for each in random.multinomial(rounds, fair)], fair) for _ in range(100)]
    assert found > log(10_000)
    assert max(clean) < log(100)


@pytest.mark.parametrize("points", [0.5, -0.5])
def test_a_banker_half_a_point_off_is_found_within_a_million_rounds(points: float) -> None:
    lines = standard(GameType.BANKER)
    logs = simulated_logs(lines, off_by(lines, points), rounds=STEP, shape=(RUNS, 400), seed=15)
    found = log_means(logs.cumsum(axis=1)) >= log(10_000)
    assert found.any(axis=1).all()
    rounds = np.sort((found.argmax(axis=1) + 1) * STEP)
    assert rounds[RUNS // 2] <= 900_000
    assert rounds[RUNS * 9 // 10] <= 1_600_000


@pytest.mark.parametrize("kind", FOUR_BETS)
def test_clean_weeks_raise_no_alarm(kind: GameType) -> None:
    """In a thousand weeks of a million rounds, e reaches 100 in ten weeks at most at any look, and never 10,000."""
    lines = standard(kind)
    chances = [float(line.chance) for line in lines]
    highest = []
    for part in range(10):
        logs = simulated_logs(lines, chances, rounds=STEP, shape=(100, 100), seed=100 + part)
        highest += list(log_means(logs.cumsum(axis=1)).max(axis=1))
    assert sum(value >= log(100) for value in highest) <= 10
    assert max(highest) < log(10_000)


@pytest.mark.parametrize(("rounds", "days"), [(10_000, 70), (50_000, 16), (200_000, 7)])
def test_a_fault_after_a_clean_year_is_found_by_the_restarted_evidence(rounds: int, days: int) -> None:
    lines = standard(GameType.BANKER)
    chances = [float(line.chance) for line in lines]
    clean = simulated_logs(lines, chances, rounds=rounds, shape=(365, RUNS), seed=3)
    faulty = simulated_logs(lines, off_by(lines, 0.5), rounds=rounds, shape=(4 * days, RUNS), seed=4)
    values = clean[0]
    for day in clean[1:]:
        values = np.logaddexp(0, values) + day
    found = np.full(RUNS, 4 * days + 1)
    for number, day in enumerate(faulty, start=1):
        values = np.logaddexp(0, values) + day
        found[(log_means(values) >= log(10_000)) & (found > number)] = number
    assert np.median(found) <= days


def test_a_thousand_clean_weeks_on_end_raise_at_most_one_alarm() -> None:
    lines = standard(GameType.BANKER)
    chances = [float(line.chance) for line in lines]
    values = np.full(16, -inf)
    alarms = 0
    for day in simulated_logs(lines, chances, rounds=143_000, shape=(7_000,), seed=5):
        values = np.logaddexp(0, values) + day
        if log_means(values) >= log(10_000):
            alarms += 1
            values = np.full(16, -inf)
    assert alarms <= 1
