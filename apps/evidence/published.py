"""The public RTPs: offered, published and observed, by law."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Final

from django.core.cache import cache

from apps.core.edge_rounding import fraction_rounded
from apps.core.money import plain
from apps.evidence.models import EvidenceAlarm, Measure, Slice
from apps.evidence.observed import Sums, log_evidence, luck_sum, one_in, rtp_adjusted, sums_total
from apps.evidence.selectors import (
    TABLE_CHANNEL,
    LawKey,
    LawTerms,
    MoneyKey,
    StatSlice,
    alarms_open,
    first_days,
    law_sums,
    law_terms,
    laws_offered,
    publishing_partners,
)
from apps.paytables.paytable_rows import PaytableRow
from apps.rounds.registry import games

MIN_ROUNDS: Final = 10_000
"""With fewer rounds only their number is published."""
CACHED_S: Final = 60
PUBLISHED_ODDS_DECIMALS: Final = 4

_CACHE_KEY: Final = "evidence:published"


def published_rtp() -> list[dict[str, Any]]:
    """Return the games with their laws, ready for JSON; at most CACHED_S seconds old."""
    found = cache.get(_CACHE_KEY)
    if found is None:
        found = published_read()
        cache.set(_CACHE_KEY, found, CACHED_S)
    return list(found)


def published_read() -> list[dict[str, Any]]:
    """Return the same, not older than this call."""
    partners = publishing_partners()
    months = law_sums(StatSlice(partners=partners), split=["month"])
    keys = laws_offered(partners)
    offered, terms, since, red = keys, law_terms(), first_days(partners), _alarmed(partners)
    red_games = set(alarms_open().filter(measure=Measure.CARDS).values_list("game", flat=True))
    rows = [
        _row(
            key,
            terms[key.law],
            months.get(key, {}),
            since.get(key.law),
            key in offered,
            key in red or key.law.game in red_games,
        )
        for key in sorted(keys | set(months), key=lambda key: (key.is_play, key.law))
    ]
    return [
        {
            "game": game.id,
            "title": game.title,
            "bets": [_labelled(row, game.bet_labels) for row in rows if row["game"] == game.id],
        }
        for game in games()
    ]


def _row(
    key: MoneyKey,
    terms: LawTerms,
    months: Mapping[tuple[Any, ...], Mapping[str, Sums]],
    since: date | None,
    is_offered: bool,
    is_red: bool,
) -> dict[str, Any]:
    law = key.law
    totals: dict[str, Sums] = {}
    for by_currency in months.values():
        for currency, sums in by_currency.items():
            totals[currency] = totals.get(currency, Sums()) + sums
    n = sum(sums.n for sums in totals.values())
    row = {
        "game": law.game,
        "bet": law.kind,
        "law": law.law,
        "playMoney": key.is_play,
        "offered": is_offered,
        "pays": _odds_paid(terms.lines),
        "publishedRtp": plain(terms.rtp),
        "method": terms.method,
        "rounds": n,
        "since": None if since is None else since.isoformat(),
        "alarm": is_red,
        "observed": None,
        "adjusted": None,
        "evidence": None,
        "months": [],
    }
    if n >= MIN_ROUNDS:
        row |= {
            "observed": _observed(totals, terms),
            "adjusted": _adjusted(totals, terms),
            "evidence": _evidence(totals, terms),
            "months": [
                {"month": f"{month:%Y-%m}", "rounds": sum(sums.n for sums in by_currency.values())}
                | {"observed": _observed(by_currency, terms)}
                for (month,), by_currency in sorted(months.items())
            ],
        }
    return row


def _observed(by_currency: Mapping[str, Sums], terms: LawTerms) -> dict[str, float] | None:
    found = terms.observed(by_currency)
    if found is None:
        return None
    if terms.deviation is None:
        return {"rtp": round(found.rtp, 6)}  # no error bars before it is known
    ends = {"rtp": round(found.rtp, 6), "low": round(found.low, 6), "high": round(found.high, 6)}
    # An exact interval is not symmetrical, so it has both ends alone.
    return ends if found.is_exact else ends | {"halfWidth": round(found.half_width, 6)}


def _evidence(by_currency: Mapping[str, Sums], terms: LawTerms) -> dict[str, int | None] | None:
    found = log_evidence(terms.lines, sums_total(by_currency))
    return None if found is None else {"oneIn": one_in(found)}


def _adjusted(by_currency: Mapping[str, Sums], terms: LawTerms) -> dict[str, float] | None:
    """Return the RTP adjusted for the players' decisions; None if the bet's results depend on none."""
    found = rtp_adjusted(luck_sum(by_currency.values()), terms.rtp)
    if found is None:
        return None
    return {
        "rtp": round(found.rtp, 6),
        "halfWidth": round(found.half_width, 6),
        "givenAway": round(found.given_away, 6),
    }


def _odds_paid(lines: Sequence[PaytableRow]) -> list[str]:
    """Return the odds of the results that win, X to 1, the lowest first."""
    odds = {line.payout - 1 for line in lines if line.chance and line.payout > 1}
    return [plain(fraction_rounded(each, PUBLISHED_ODDS_DECIMALS)) for each in sorted(odds)]


def _labelled(row: dict[str, Any], labels: Mapping[str, str]) -> dict[str, Any]:
    return {"label": labels.get(row["bet"], row["bet"])} | row


def _alarmed(partners: Sequence[int]) -> set[MoneyKey]:
    """Return the laws with an open alarm, except those of partners that do not publish, and of rounds at tables."""
    shown = {str(pk) for pk in partners}
    return {
        MoneyKey(LawKey(alarm.game, alarm.kind, alarm.law), alarm.is_play)
        for alarm in alarms_open()
        if _is_public(alarm, shown)
    }


def _is_public(alarm: EvidenceAlarm, shown: set[str]) -> bool:
    match alarm.part:
        case Slice.PARTNER:
            return alarm.value in shown
        case Slice.CHANNEL:
            return alarm.value != TABLE_CHANNEL
        case _:
            return True
