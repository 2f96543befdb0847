"""The mathematics of observed results and published RTPs. Pure.

Error bars are for people. The e-values are for alarms, because they are valid at every look: with fair play their
expectation stays 1 whenever somebody looks, so that a value above N appears with a probability of at most 1 in N. This
module has the formulas; observed.py computes the observed RTP and its error bars, figures.py the figures of pages.

A law is the published distribution of a bet's results; L is the share of a gambler's fortune that the e-value stakes on
each bet against it (docs/statistics.md).
"""

from collections.abc import Callable, Sequence
from math import exp, inf, isfinite, lgamma, log, log1p, sqrt
from typing import Final

from apps.paytables.paytable_rows import PaytableRow

Z_95: Final = 1.959963984540054
Z_99: Final = 2.5758293035489004
STEPS_A_SIDE: Final = 8
"""Values of L on each side of 0."""
DIRICHLET_WEIGHTS: Final = (1e3, 1e4, 1e5, 1e6)
_SERIES_TERMS: Final = 10_000
_BISECTIONS: Final = 200


def rtp_half_width(*, stake: float, variance: float, z: float = Z_95) -> float:
    """Return the half-width of the interval around an observed RTP, as a fraction of the stakes.

    `variance` is that of the sum of all payouts. Returns infinity without a stake.
    """
    return z * sqrt(variance) / stake if stake else inf


def effective_n(*, stake: float, stake_squared: float) -> float:
    """Return the number of equal stakes that would give the same precision."""
    return stake * stake / stake_squared if stake_squared else 0.0


def hits_interval(hits: int, n: int, *, level: float = 0.95) -> tuple[float, float]:
    """Return the exact (Clopper-Pearson) interval of the chance of a result with `hits` hits in `n`."""
    tail = (1 - level) / 2
    low = 0.0 if hits == 0 else _root(lambda chance: binomial_tail(hits, n, chance) - tail)
    high = 1.0 if hits == n else _root(lambda chance: tail - (1 - binomial_tail(hits + 1, n, chance)))
    return low, high


def poisson_interval(hits: int, *, level: float = 0.95) -> tuple[float, float]:
    """Return the exact (Garwood) interval of the sum of all rounds' chances of a result with `hits` hits.

    It takes hits for Poisson distributed, as rare ones are whose chance differs from round to round.
    """
    tail = (1 - level) / 2
    most = hits + 20 * sqrt(hits + 1)
    low = 0.0 if hits == 0 else most * _root(lambda share: 1 - _upper_gamma(hits, share * most) - tail)
    return low, most * _root(lambda share: tail - _upper_gamma(hits + 1, share * most))


def binomial_tail(hits: int, n: int, chance: float) -> float:
    """Return the probability of `hits` or more of `n`."""
    if hits <= 0 or chance >= 1:
        return 1.0
    if hits > n or chance <= 0:
        return 0.0
    if hits <= n * chance:  # the shorter tail is the more exact one
        return 1 - _binomial_sum(n, 1 - chance, n - hits + 1)
    return _binomial_sum(n, chance, hits)


def bets_grid(lines: Sequence[PaytableRow]) -> tuple[float, ...]:
    """Return the values of L for a law: geometric on both sides, up to half of 1 / max |payout - RTP|.

    They are 0 for a bet with one possible result, such as a suited tie from one deck: it can be no evidence.
    """
    widest = max(abs(deviation) for deviation in deviations(lines))
    highest = 0.5 / widest if widest else 0.0
    side = [highest / 2**step for step in range(STEPS_A_SIDE)]
    return (*side, *(-value for value in side))


def deviations(lines: Sequence[PaytableRow]) -> tuple[float, ...]:
    """Return the payout less the RTP for each possible result."""
    rtp = sum(line.chance * line.payout for line in lines)
    return tuple(float(line.payout - rtp) for line in lines if line.chance)


def log_products(lines: Sequence[PaytableRow], hits: Sequence[int]) -> tuple[float, ...]:
    """Return for each L the logarithm of the product of (1 + L x) over all rounds, x = payout - RTP.

    `hits` are in the order of `lines`. Raises ValueError if an impossible result occurred.
    """
    counts = []
    for line, count in zip(lines, hits, strict=False):
        if line.chance:
            counts.append(count)
        elif count:
            raise ValueError(f"{line.result} came {count} times, and its chance is 0")
    steps = deviations(lines)
    return tuple(
        sum(count * log1p(value * step) for count, step in zip(counts, steps, strict=True))
        for value in bets_grid(lines)
    )


def log_evidence(products: Sequence[float]) -> float:
    """Return the logarithm of e, the mean of the products."""
    return _log_mean(products)


def restarted(former: Sequence[float], day: Sequence[float]) -> tuple[float, ...]:
    """Return the logarithms of R <- (1 + R) x (the day's product) for each L; `former` is empty at first.

    Years of fair play do not weaken R. With fair play its mean passes a level N once in N days at most, on average.
    """
    if not former:
        return tuple(day)
    return tuple(_log_one_plus(value) + product for value, product in zip(former, day, strict=True))


def log_restarted_evidence(values: Sequence[float]) -> float:
    """Return the logarithm of R."""
    return _log_mean(values)


def log_faces_evidence(counts: Sequence[int], chances: Sequence[float]) -> float:
    """Return the logarithm of the e-value against `chances` of the faces, by mixtures of Dirichlet distributions.

    Raises ValueError if an impossible face occurred.
    """
    if any(count and not chance for count, chance in zip(counts, chances, strict=True)):
        raise ValueError("a face was dealt whose chance is 0")
    known = [(count, chance) for count, chance in zip(counts, chances, strict=True) if chance]
    total = sum(counts)
    expected = sum(count * log(chance) for count, chance in known)
    likelihoods = [
        lgamma(weight)
        - lgamma(weight + total)
        + sum(lgamma(weight * chance + count) - lgamma(weight * chance) for count, chance in known)
        - expected
        for weight in DIRICHLET_WEIGHTS
    ]
    return _log_mean(likelihoods)


def chi_square(counts: Sequence[int], chances: Sequence[float]) -> float:
    """Return the chi-square statistic of counts against chances."""
    total = sum(counts)
    return sum(
        (count - total * chance) ** 2 / (total * chance)
        for count, chance in zip(counts, chances, strict=True)
        if total * chance
    )


def chi_square_tail(statistic: float, degrees: int) -> float:
    """Return the probability of a chi-square variable of at least `statistic`."""
    return _upper_gamma(degrees / 2, statistic / 2)


def _upper_gamma(shape: float, x: float) -> float:
    """Return the regularised upper incomplete gamma function, by its series or its continued fraction."""
    if x <= 0:
        return 1.0
    scale = exp(shape * log(x) - x - lgamma(shape))
    if x < shape + 1:
        term = total = 1 / shape
        for number in range(1, _SERIES_TERMS):
            term *= x / (shape + number)
            total += term
            if term < total * 1e-17:
                break
        return 1 - scale * total
    # Lentz's method.
    tiny = 1e-300
    below = x + 1 - shape
    ratio, inverse = 1 / tiny, 1 / below
    fraction = inverse
    for number in range(1, _SERIES_TERMS):
        factor = -number * (number - shape)
        below += 2
        inverse = 1 / (factor * inverse + below or tiny)
        ratio = below + factor / ratio or tiny
        change = inverse * ratio
        fraction *= change
        if abs(change - 1) < 1e-16:
            break
    return scale * fraction


def _binomial_sum(n: int, chance: float, first: int) -> float:
    """Return the probability of `first` or more of `n`, which is above the mean: the terms fall."""
    if first > n:
        return 0.0
    term = exp(
        lgamma(n + 1) - lgamma(first + 1) - lgamma(n - first + 1) + first * log(chance) + (n - first) * log1p(-chance)
    )
    total = term
    for count in range(first, n):
        term *= (n - count) / (count + 1) * chance / (1 - chance)
        total += term
        if term < total * 1e-17:
            break
    return min(total, 1.0)


def _root(rising: Callable[[float], float]) -> float:
    """Return the point between 0 and 1 where a rising function crosses 0."""
    low, high = 0.0, 1.0
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if rising(middle) < 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _log_mean(values: Sequence[float]) -> float:
    highest = max(values)
    if not isfinite(highest):
        return highest
    return highest + log(sum(exp(value - highest) for value in values) / len(values))


def _log_one_plus(value: float) -> float:
    """Return log(1 + exp(value)) without an overflow."""
    return value + log1p(exp(-value)) if value > 0 else log1p(exp(value))
