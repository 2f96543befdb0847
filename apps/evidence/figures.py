"""The figures of the auditor's evidence pages, for any slice of the statistics.

Error bars are computed in observed.py, evidence in mathematics.py.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from math import sqrt
from typing import Any, Final

from apps.evidence import mathematics
from apps.evidence.mathematics import Z_95, Z_99
from apps.evidence.observed import (
    Adjusted,
    LineHits,
    Observed,
    Sums,
    lines_compared,
    log_evidence,
    log_products,
    luck_sum,
    rtp_adjusted,
    rtp_observed,
    sums_total,
)
from apps.evidence.selectors import LawTerms, MoneyKey, StatSlice, law_sums, law_terms, verdict_lines
from apps.partners.models import Partner
from apps.rounds.registry import bet_labels, game_title

LN_10: Final = 2.302585092994046
WHISKER_SPLITS: Final = {"partner_id": "partner", "door": "channel", "device": "device", "band": "digits of the stake"}


@dataclass(frozen=True, slots=True, kw_only=True)
class LawFigures:
    """One law in a slice."""

    key: MoneyKey
    title: str
    terms: LawTerms
    by_currency: Mapping[str, Sums]
    observed: Observed | None
    evidence: float | None
    """The natural logarithm of e; None if it cannot be computed: neither results nor luck are known."""

    @property
    def adjusted(self) -> Adjusted | None:
        """The RTP adjusted for decisions; None if the bet's results do not depend on decisions."""
        if self.terms.lines:
            return None
        return rtp_adjusted(luck_sum(self.by_currency.values()), self.terms.rtp)

    @property
    def n(self) -> int:
        return sum(sums.n for sums in self.by_currency.values())

    @property
    def mismatched(self) -> int:
        return sum(sums.mismatched for sums in self.by_currency.values())

    @property
    def deviation_sigmas(self) -> float | None:
        """The distance of the observed RTP from the theoretical one, in standard deviations.

        None if the theoretical one is best play's, from which players depart.
        """
        if self.observed is None or not self.terms.lines or not self.observed.deviation:
            return None
        return (self.observed.rtp - float(self.terms.rtp)) / self.observed.deviation


@dataclass(frozen=True, slots=True, kw_only=True)
class Whisker:
    """The observed RTP of a part of a slice."""

    split: str
    """One of `WHISKER_SPLITS`."""
    value: int | str
    label: str
    n: int
    observed: Observed | None
    evidence: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DayFigures:
    """The state after a day, counted from the first day of the range."""

    day: date
    n: int
    rtp: float | None
    low_95: float | None
    high_95: float | None
    low_99: float | None
    high_99: float | None
    """The band around the theoretical RTP at that number of rounds: the funnel."""
    evidence: float | None
    restarted: float | None
    """Decimal logarithms."""

    @property
    def seconds(self) -> int:
        return int(datetime.combine(self.day, time(), UTC).timestamp())


def law_title(key: MoneyKey) -> str:
    """Return the name of a law's bet for people."""
    return f"{game_title(key.law.game)}: {bet_labels(key.law.game).get(key.law.kind, key.law.kind)}"


def laws_figures(wanted: StatSlice) -> list[LawFigures]:
    """Return every law that was played in the slice, those for real money first."""
    terms = law_terms()
    found = law_sums(wanted)
    return [
        _law_figures(key, terms[key.law], found[key][()], wanted)
        for key in sorted(found, key=lambda key: (key.is_play, key.law))
    ]


def _law_figures(key: MoneyKey, terms: LawTerms, by_currency: Mapping[str, Sums], wanted: StatSlice) -> LawFigures:
    return LawFigures(
        key=key,
        title=law_title(key),
        terms=terms,
        by_currency=by_currency,
        observed=terms.observed(by_currency, is_mixed=wanted.is_of_tables),
        evidence=log_evidence(verdict_lines(terms, wanted), sums_total(by_currency)),
    )


def whiskers(key: MoneyKey, terms: LawTerms, wanted: StatSlice) -> list[Whisker]:
    """Return the parts of the slice by partner, channel, device and stake band."""
    rows = []
    names = dict(Partner.objects.values_list("pk", "name"))
    for split in WHISKER_SPLITS:
        for (value,), by_currency in law_sums(_of_law(wanted, key), split=[split]).get(key, {}).items():
            rows.append(
                Whisker(
                    split=split,
                    value=value,
                    label=names.get(value, str(value)) if split == "partner_id" else str(value),
                    n=sum(sums.n for sums in by_currency.values()),
                    observed=terms.observed(by_currency, is_mixed=wanted.is_of_tables),
                    evidence=log_evidence(verdict_lines(terms, wanted), sums_total(by_currency)),
                )
            )
    return rows


def days_figures(key: MoneyKey, terms: LawTerms, wanted: StatSlice) -> list[DayFigures]:
    """Return the slice's days in order; each adds to those before it."""
    by_day = law_sums(_of_law(wanted, key), split=["period"], days_only=True).get(key, {})
    total: dict[str, Sums] = {}
    restarted: tuple[float, ...] = ()
    figures = []
    lines = verdict_lines(terms, wanted)
    for (day,), by_currency in sorted(by_day.items()):
        for currency, sums in by_currency.items():
            total[currency] = total.get(currency, Sums()) + sums
        evidence = r = None
        if lines or luck_sum(total.values()).n:
            restarted = mathematics.restarted(restarted, log_products(lines, sums_total(by_currency)))
            r = mathematics.log_restarted_evidence(restarted) / LN_10
            evidence = mathematics.log_evidence(log_products(lines, sums_total(total))) / LN_10
        figures.append(_day(day, terms, total, evidence, r))
    return figures


def _day(
    day: date, terms: LawTerms, total: Mapping[str, Sums], evidence: float | None, restarted: float | None
) -> DayFigures:
    observed = rtp_observed(total)
    band: dict[str, float | None] = dict.fromkeys(("low_95", "high_95", "low_99", "high_99"))
    if observed is not None and terms.deviation is not None:
        rtp, deviation = float(terms.rtp), float(terms.deviation) / sqrt(observed.effective_n)
        for name, z in (("95", Z_95), ("99", Z_99)):
            band |= {f"low_{name}": rtp - z * deviation, f"high_{name}": rtp + z * deviation}
    return DayFigures(
        day=day,
        n=sum(sums.n for sums in total.values()),
        rtp=None if observed is None else observed.rtp,
        evidence=evidence,
        restarted=restarted,
        **band,
    )


def paytable_rows(terms: LawTerms, by_currency: Mapping[str, Sums], wanted: StatSlice) -> list[LineHits]:
    """Return the observed and the expected count of each result of the law."""
    return lines_compared(terms.lines, sums_total(by_currency), is_mixed=wanted.is_of_tables)


def _of_law(wanted: StatSlice, key: MoneyKey) -> StatSlice:
    return replace(wanted, game=key.law.game, kind=key.law.kind, law=key.law.law)


def whisker_ends(rows: Sequence[Whisker], rtp: float) -> tuple[float, float]:
    """Return the ends of the axis that shows all intervals and the theoretical RTP."""
    shown: list[float] = [rtp]
    for row in rows:
        if row.observed is not None:
            shown += [row.observed.low_99, row.observed.high_99]
    low, high = min(shown), max(shown)
    margin = (high - low) * 0.05 or 0.01
    return low - margin, high + margin


def percent(value: float | None) -> float | None:
    """Return a fraction in percent."""
    return None if value is None else 100 * value


def asked_key(data: Mapping[str, Any]) -> MoneyKey | None:
    """Return the law that the query names, if it exists."""
    wanted = (data.get("game"), data.get("kind"), data.get("law"))
    found = next((key for key in law_terms() if tuple(key) == wanted), None)
    return None if found is None else MoneyKey(found, data.get("money") == "play")
