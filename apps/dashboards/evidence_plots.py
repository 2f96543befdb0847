"""The evidence against the published RTPs on the first page of auditors: of each law, and the worst one's funnel."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from math import log10
from typing import Any, Final
from urllib.parse import urlencode

from django.urls import reverse

from apps.core.staff_scope import AUDITOR, Viewer, sees_all_partners
from apps.dashboards.bars import bars
from apps.evidence.figures import LN_10, days_figures, law_title, laws_figures, percent
from apps.evidence.rtp_watch import AMBER_EVIDENCE, laws_kept
from apps.evidence.selectors import MoneyKey, StatSlice, law_terms

LAW_DAYS: Final = 30
FUNNEL_DAYS: Final = 14
ALARM_REACH: Final = 4
"""Where the axis of e ends at least: 10,000, below which there is no alarm."""


@dataclass(frozen=True, slots=True)
class LawEvidence:
    """The evidence against a law, as decimal logarithms of e and R; R is known of all partners' rounds alone."""

    key: MoneyKey
    n: int
    evidence: float
    restarted: float | None = None


@dataclass(frozen=True, slots=True)
class Funnel:
    """The RTP of a law over the number of rounds, within its band."""

    title: str
    days: list[dict[str, Any]]


def laws_evidence(viewer: Viewer, today: date) -> list[LawEvidence]:
    """Return the laws that were played in the last days, the one with the most evidence first; for auditors.

    For viewers of all partners it is the watch after the last closed day, for others that of their partner's rounds of
    these days.
    """
    if viewer.role != AUDITOR:
        return []
    since = today - timedelta(days=LAW_DAYS - 1)
    if sees_all_partners(viewer):
        found = [
            LawEvidence(MoneyKey(each.key.law_key, each.key.is_play), each.n, each.evidence, each.restarted)
            for each in laws_kept(since=since)
        ]
    else:
        found = [
            LawEvidence(each.key, each.n, each.evidence / LN_10)
            for each in laws_figures(_slice(viewer, since, today))
            if each.evidence is not None
        ]
    return sorted(found, key=lambda each: -each.evidence)


def evidence_rows(laws: Sequence[LawEvidence]) -> list[dict[str, Any]]:
    """Return the rows of the table, each with a bar of its evidence; of little there is none."""
    drawn = bars([max(each.evidence, 0) for each in laws], reach=ALARM_REACH)
    return [
        {
            "title": law_title(each.key),
            "is_play": each.key.is_play,
            "url": _law_url(each.key),
            "n": each.n,
            "evidence": each.evidence,
            "restarted": each.restarted,
            "is_amber": each.evidence >= log10(AMBER_EVIDENCE),
            "bar": bar,
        }
        for each, bar in zip(laws, drawn, strict=True)
    ]


def worst_funnel(viewer: Viewer, laws: Sequence[LawEvidence], today: date) -> Funnel | None:
    """Return the funnel of the law with the most evidence, of those that have a band."""
    terms = law_terms() if laws else {}
    with_band = (each for each in laws if each.key.law in terms and terms[each.key.law].deviation is not None)
    worst = next(with_band, None)
    if worst is None:
        return None
    wanted = _slice(viewer, today - timedelta(days=FUNNEL_DAYS - 1), today)
    days = days_figures(worst.key, terms[worst.key.law], wanted)
    names = ("rtp", "low_95", "high_95", "low_99", "high_99")
    return Funnel(
        law_title(worst.key),
        [
            {
                "day": day.day,
                "n": day.n,
                "url": _law_url(worst.key, since=day.day, until=day.day),
                **{name: percent(getattr(day, name)) for name in names},
            }
            for day in days
        ],
    )


def _slice(viewer: Viewer, since: date, until: date) -> StatSlice:
    partners = None if sees_all_partners(viewer) else [viewer.partner_id or 0]
    return StatSlice(partners=partners, since=since, until=until)


def _law_url(key: MoneyKey, **days: date) -> str:
    asked = {"game": key.law.game, "kind": key.law.kind, "law": key.law.law, "money": "play" if key.is_play else "real"}
    return f"{reverse('admin:evidence_law')}?{urlencode(asked | days)}"
