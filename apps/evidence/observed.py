"""Observed results of a bet beside its pay table: RTP, error bars, evidence. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from math import exp, inf, sqrt
from typing import Final

from apps.evidence import mathematics
from apps.evidence.mathematics import Z_95, Z_99
from apps.paytables.paytable_rows import PaytableRow

_LOG_UNIT: Final = 1e-9
FEW_HITS: Final = 100
"""With fewer expected hits of equal stakes the interval is the exact binomial one."""
LARGE: Final = 10**9
"""From this number on N of "evidence 1 : N" is shown with a power of ten: tens of digits would not fit."""
_RAISED: Final = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True, slots=True)
class LuckSums:
    """Sums of the luck of rounds whose results depend on decisions, in first stakes."""

    n: int = 0
    luck: Decimal = Decimal(0)
    squared: Decimal = Decimal(0)
    given_away: Decimal = Decimal(0)
    logs: tuple[int, ...] = ()
    """For each L, in units of 1e-9."""

    def __add__(self, other: "LuckSums") -> "LuckSums":
        return LuckSums(
            n=self.n + other.n,
            luck=self.luck + other.luck,
            squared=self.squared + other.squared,
            given_away=self.given_away + other.given_away,
            logs=hits_sum([self.logs, other.logs]),
        )


@dataclass(frozen=True, slots=True)
class Adjusted:
    """The RTP that the players would have had with best play and these cards, as fractions of the first stake."""

    n: int
    rtp: float
    half_width: float
    """At 95 %."""
    given_away: float
    """The average loss in a round by decisions that were not the best."""


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums over rounds with a kind of bet in one currency."""

    n: int = 0
    bets: int = 0
    stake: Decimal = Decimal(0)
    payout: Decimal = Decimal(0)
    stake_squared: Decimal = Decimal(0)
    expected: Decimal = Decimal(0)
    variance: Decimal = Decimal(0)
    mismatched: int = 0
    hits: tuple[int, ...] = ()
    luck: LuckSums = field(default_factory=LuckSums)

    def __add__(self, other: "Sums") -> "Sums":
        return Sums(
            n=self.n + other.n,
            bets=self.bets + other.bets,
            stake=self.stake + other.stake,
            payout=self.payout + other.payout,
            stake_squared=self.stake_squared + other.stake_squared,
            expected=self.expected + other.expected,
            variance=self.variance + other.variance,
            mismatched=self.mismatched + other.mismatched,
            hits=hits_sum([self.hits, other.hits]),
            luck=self.luck + other.luck,
        )


@dataclass(frozen=True, slots=True)
class Observed:
    """Observed RTP of a bet, as fractions of the stakes."""

    n: int
    rtp: float
    low: float
    high: float
    """The ends of the interval at 95 %."""
    low_99: float
    high_99: float
    effective_n: float
    deviation: float
    """The theoretical standard deviation of such an RTP."""
    is_exact: bool
    """Whether the interval is the exact one for few hits, which is not symmetrical."""

    @property
    def half_width(self) -> float:
        """At 95 %; of an exact interval half of its length."""
        return (self.high - self.low) / 2


@dataclass(frozen=True, slots=True)
class LineHits:
    """A result of a bet with its observed and its expected count."""

    result: str
    chance: float
    payout: float
    hits: int
    expected: float
    low: float
    high: float
    """The ends of the interval around the expected number at 95 %, by the exact interval of the chance."""

    @property
    def chance_pct(self) -> float:
        return 100 * self.chance

    @property
    def is_outside(self) -> bool:
        return not self.low <= self.expected <= self.high


def hits_sum(rows: Iterable[Sequence[int]]) -> tuple[int, ...]:
    """Return the sums by place; missing places are 0."""
    total: list[int] = []
    for row in rows:
        total += [0] * (len(row) - len(total))
        for place, count in enumerate(row):
            total[place] += count
    return tuple(total)


def rtp_observed(
    by_currency: Mapping[str, Sums],
    lines: Sequence[PaytableRow] = (),
    deviation: Decimal | None = None,
    *,
    is_mixed: bool = False,
) -> Observed | None:
    """Return the RTP over all currencies, each with the weight of its effective number of rounds.

    Amounts of two currencies are never added: the RTPs of the currencies are. With one currency it is its payouts over
    its stakes. None without a stake.

    `deviation` is that of a bet without `lines`, per unit staked. It may have become known after some of the rounds, so
    their summed variance has nothing of it.

    `is_mixed` is for rounds of which each had chances of its own: those at tables, by the cards left.
    """
    known = [sums for sums in by_currency.values() if sums.stake > 0]
    if not known:
        return None
    weights = [
        mathematics.effective_n(stake=float(sums.stake), stake_squared=float(sums.stake_squared)) for sums in known
    ]
    total = sum(weights)
    rtp = sum(weight * float(sums.payout / sums.stake) for weight, sums in zip(weights, known, strict=True)) / total
    variance = sum(
        (weight / total) ** 2 * float(_variance(sums, deviation) / sums.stake**2)
        for weight, sums in zip(weights, known, strict=True)
    )
    spread = sqrt(variance)
    half, half_99 = Z_95 * spread, Z_99 * spread
    interval, interval_99 = (rtp - half, rtp + half), (rtp - half_99, rtp + half_99)
    exact = _few_hits_intervals(lines, known, is_mixed=is_mixed)
    if exact is not None:
        interval, interval_99 = exact
    n = sum(sums.n for sums in known)
    return Observed(n, rtp, *interval, *interval_99, total, spread, is_exact=exact is not None)


def rtp_adjusted(sums: LuckSums, rtp: Decimal) -> Adjusted | None:
    """Return the published RTP of best play plus the luck of the rounds; None without a round."""
    if not sums.n:
        return None
    return Adjusted(
        n=sums.n,
        rtp=float(rtp + sums.luck / sums.n),
        half_width=Z_95 * sqrt(float(sums.squared)) / sums.n,
        given_away=float(sums.given_away / sums.n),
    )


def luck_sum(rows: Iterable["Sums"]) -> LuckSums:
    """Return the luck of all rows together. It is in first stakes, so that currencies can be added."""
    return sum((sums.luck for sums in rows), LuckSums())


def lines_compared(lines: Sequence[PaytableRow], total: Sums, *, is_mixed: bool = False) -> list[LineHits]:
    """Return each result of the bet with its expected and observed hits."""
    n = sum(total.hits)
    compared = []
    for place, line in enumerate(lines):
        count = _hits_at(total, place)
        expected = _hits_expected(lines, place, total, n) if is_mixed else n * float(line.chance)
        if is_mixed and expected < FEW_HITS:
            low, high = mathematics.poisson_interval(count)
        else:
            low, high = (n * end for end in mathematics.hits_interval(count, n)) if n else (0.0, 1.0)
        compared.append(LineHits(line.result, float(line.chance), float(line.payout), count, expected, low, high))
    return compared


def log_products(lines: Sequence[PaytableRow], sums: Sums) -> tuple[float, ...]:
    """Return the logarithms of the products for each L: from the results, or from luck if `lines` is empty.

    Impossible results are left out: they raise an alarm of their own.
    """
    if not lines:
        return tuple(value * _LOG_UNIT for value in sums.luck.logs) or (0.0,) * (2 * mathematics.STEPS_A_SIDE)
    possible = [count if line.chance else 0 for line, count in zip(lines, sums.hits, strict=False)]
    return mathematics.log_products(lines, possible)


def log_evidence(lines: Sequence[PaytableRow], sums: Sums) -> float | None:
    """Return the natural logarithm of e; None without known results and without luck.

    It is infinite if an impossible result occurred.
    """
    if not lines and not sums.luck.n:
        return None
    if any(count and not line.chance for line, count in zip(lines, sums.hits, strict=False)):
        return inf
    return mathematics.log_evidence(log_products(lines, sums))


def sums_total(by_currency: Mapping[str, Sums]) -> Sums:
    """Return the counts of all currencies together. Do not use its amounts: they add up different currencies."""
    return sum(by_currency.values(), Sums())


def one_in(log_value: float) -> int | None:
    """Return N of "evidence 1 : N", at least 1, with two significant digits; None if it is infinite or too large."""
    if log_value > 690:  # larger than any float
        return None
    value = max(1.0, exp(log_value))
    return int(Decimal(f"{value:.2g}"))  # a float's digits beyond its precision would follow the two


def power_text(number: int) -> str:
    """Return a number of two significant digits as their product with a power of ten; "" if it is below 10^9."""
    digits = str(number)
    return f"{digits[:2]} · 10{str(len(digits) - 2).translate(_RAISED)}" if number >= LARGE else ""


def _variance(sums: Sums, deviation: Decimal | None) -> Decimal:
    return sums.variance if deviation is None else deviation * deviation * sums.stake_squared


def _hits_at(total: Sums, place: int) -> int:
    return total.hits[place] if place < len(total.hits) else 0


def _hits_expected(lines: Sequence[PaytableRow], place: int, total: Sums, n: int) -> float:
    """Return the sum of the rounds' chances of a result, where they differ from round to round.

    Luck has it, if the bet has one paying result: luck is what that result paid less what it was expected to. Else, or
    if the luck of some rounds is unknown, it is that of the pay table's chance.
    """
    possible = [each for each, line in enumerate(lines) if line.chance]
    paying = [each for each in possible if lines[each].payout]
    if place in possible and len(possible) == 2 and len(paying) == 1 and total.luck.n == n:
        paid = _hits_at(total, paying[0]) - float(total.luck.luck) / float(lines[paying[0]].payout)
        return paid if place == paying[0] else n - paid
    return n * float(lines[place].chance)


def _few_hits_intervals(
    lines: Sequence[PaytableRow], known: Sequence[Sums], *, is_mixed: bool
) -> tuple[tuple[float, float], tuple[float, float]] | None:
    """Return the exact intervals of an RTP with one paying result that is expected fewer than FEW_HITS times.

    They are those of the share of hits, so they are the RTP's only if all stakes of a currency are equal: else one hit
    weighs more than another. Binomial, and Poisson over mixed chances.
    """
    paying = [(place, line) for place, line in enumerate(lines) if line.payout and line.chance]
    if len(paying) != 1 or any(sums.stake**2 != sums.n * sums.stake_squared for sums in known):
        return None
    place, line = paying[0]
    total = sum(known, Sums())
    n = total.n
    expected = _hits_expected(lines, place, total, n) if is_mixed else n * line.chance
    if expected >= FEW_HITS or place >= len(total.hits):
        return None
    paid, hits = float(line.payout), total.hits[place]
    shares = [
        [end / n for end in mathematics.poisson_interval(hits, level=level)]
        if is_mixed
        else mathematics.hits_interval(hits, n, level=level)
        for level in (0.95, 0.99)
    ]
    (low, high), (low_99, high_99) = shares
    return (low * paid, high * paid), (low_99 * paid, high_99 * paid)
