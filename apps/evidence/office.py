"""The back office's pages of RTP evidence: all laws in a slice, and one law in detail."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import urlencode

from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.safestring import SafeString

from apps.core.admin import viewer_of
from apps.core.models import Currency
from apps.core.money import amount_text
from apps.core.office_html import raw_html
from apps.core.query_parameters import checks_query, query_check
from apps.core.staff_scope import sees_all_partners
from apps.evidence.faces import FacesAtPlace, faces_at_places, rank_heads
from apps.evidence.figures import (
    LN_10,
    WHISKER_SPLITS,
    DayFigures,
    LawFigures,
    Whisker,
    asked_key,
    days_figures,
    law_title,
    laws_figures,
    paytable_rows,
    percent,
    whisker_ends,
    whiskers,
)
from apps.evidence.forms import SliceForm, slice_defaults
from apps.evidence.models import EvidenceAlarm, Measure, Slice
from apps.evidence.observed import LineHits, Observed, one_in, power_text
from apps.evidence.rtp_watch import SliceKey, Watched, watched_now
from apps.evidence.selectors import (
    LawKey,
    LawTerms,
    MoneyKey,
    StatSlice,
    alarms_open,
    law_terms,
    part_title,
    partner_names,
    slice_of,
)
from apps.evidence.whisker_svg import whisker_svg
from apps.rounds.filters import NO_TABLE, PARTNER_FILTER
from apps.rounds.registry import result_labels

LAW_PARAMETERS: Final = ("kind", "law", "money")
"""The query parameters of the page of one law, besides those of the slice."""
_PART_FILTERS: Final = {
    "partner_id": PARTNER_FILTER, "door": "channel", "device": "device", "band": "digits",
}  # fmt: skip
"""The filters of the list of rounds, by the parts of a slice."""
_PARTS: Final = {Slice.PARTNER: "partner", Slice.CHANNEL: "channel"}
"""The parts of a bet's rounds that are watched by themselves, by their query parameters."""


@checks_query
def evidence(request: HttpRequest) -> HttpResponse:
    """Every bet's published and observed RTP in a slice; below it the watch over all rounds."""
    form = _form(request)
    rows = laws_figures(form.wanted()) if form.is_valid() else []
    ends = {id(row): _ends(row) for row in rows}
    context = {
        **admin.site.each_context(request),
        "title": "RTP evidence",
        "form": form,
        "rows": [_law_row(row, *ends[id(row)], request) | _links(row.key, form) for row in rows],
        "faces": _faces(request, form),
        "ranks": rank_heads(),
        "watched": _watched_rows(request),
        "alarms": alarms_open() if sees_all_partners(viewer_of(request)) else [],
    }
    return TemplateResponse(request, "office/evidence.html", context, status=200 if form.is_valid() else 400)


@checks_query
def evidence_law(request: HttpRequest) -> HttpResponse:
    """One law in a slice: its results, its parts, and its days."""
    form = _form(request, LAW_PARAMETERS)
    key = asked_key(request.GET.dict())
    if key is None:
        raise Http404
    context: dict[str, Any] = {**admin.site.each_context(request), "title": law_title(key), "form": form}
    if form.is_valid():
        context |= _law_context(request, form, key)
    context["kept"] = [(name, request.GET.get(name, "")) for name in LAW_PARAMETERS]
    return TemplateResponse(request, "office/evidence_law.html", context, status=200 if form.is_valid() else 400)


def urls() -> list[URLPattern]:
    """Return the pages' URLs within the admin site."""
    return [
        path("evidence/", admin.site.admin_view(evidence), name="evidence"),
        path("evidence/law/", admin.site.admin_view(evidence_law), name="evidence_law"),
    ]


def _form(request: HttpRequest, more: tuple[str, ...] = ()) -> SliceForm:
    given = {name: value for name, value in request.GET.items() if value}
    filled = {**slice_defaults(datetime.now(UTC).date()), **given}
    form = SliceForm(filled, viewer=viewer_of(request))
    query_check(request.GET, [*form.fields, *more])
    return form


def _law_context(request: HttpRequest, form: SliceForm, key: MoneyKey) -> dict[str, Any]:
    terms, wanted = law_terms()[key.law], form.wanted()
    figures = next((row for row in laws_figures(wanted) if row.key == key), None)
    parts = whiskers(key, terms, wanted)
    low, high = whisker_ends(parts, float(terms.rtp))
    days = days_figures(key, terms, wanted)
    return {
        "law": None if figures is None else _law_row(figures, *_ends(figures), request),
        "terms": terms,
        "rtp_pct": percent(float(terms.rtp)),
        "lines": [] if figures is None else _lines(key, paytable_rows(terms, figures.by_currency, wanted), form),
        "amounts": [] if figures is None else _amounts(figures, form),
        "parts": [
            _part_row(part, key, terms, form, whisker_svg(part.observed, rtp=float(terms.rtp), low=low, high=high))
            for part in parts
        ],
        "days": [_day_row(day, key, form) for day in days],
        "has_evidence": any(day.evidence is not None for day in days),
        **_links(key, form),
    }


def _lines(key: MoneyKey, lines: Sequence[LineHits], form: SliceForm) -> list[tuple[SafeString, LineHits, str]]:
    """Return the results of a bet with their names for people, and the list of the rounds that had each."""
    labels = result_labels(key.law.game)
    return [
        (raw_html(labels.get(line.result, line.result), line.result), line, _rounds_url(key, form, result=line.result))
        for line in lines
    ]


def _part_row(part: Whisker, key: MoneyKey, terms: LawTerms, form: SliceForm, svg: SafeString | str) -> dict[str, Any]:
    filtered = _PART_FILTERS.get(part.split)
    if filtered == PARTNER_FILTER and "partner" not in form.fields:
        filtered = None
    return {
        "split": WHISKER_SPLITS[part.split],
        "label": part.label,
        "url": _rounds_url(key, form, **{filtered: part.value}) if filtered else "",
        "n": part.n,
        "rtp": percent(part.observed.rtp) if part.observed else None,
        "interval": _interval(part.observed, terms),
        "svg": svg,
        "evidence": _one_in(part.evidence),
    }


def _law_row(row: LawFigures, low: float, high: float, request: HttpRequest) -> dict[str, Any]:
    asked = {name: value for name, value in request.GET.items() if name not in LAW_PARAMETERS}
    rtp = float(row.terms.rtp)
    return {
        "title": row.title,
        "is_play": row.key.is_play,
        "n": row.n,
        "rtp": percent(rtp),
        "method": row.terms.method,
        "observed": percent(row.observed.rtp) if row.observed else None,
        "interval": _interval(row.observed, row.terms),
        "interval_99": _interval(row.observed, row.terms, is_99=True),
        "sigmas": row.deviation_sigmas,
        "effective_n": row.observed.effective_n if row.observed else None,
        "evidence": _one_in(row.evidence),
        "mismatched": row.mismatched,
        "adjusted": _adjusted(row),
        "svg": whisker_svg(row.observed, rtp=rtp, low=low, high=high) if row.terms.deviation is not None else "",
        "url": f"{reverse('admin:evidence_law')}?{urlencode(asked | _law_query(row.key))}",
    }


def _interval(observed: Observed | None, terms: LawTerms, *, is_99: bool = False) -> str:
    """Return an interval around the observed RTP in percent: its half-width, or both ends of one for few hits."""
    if observed is None or terms.deviation is None:
        return ""
    low, high = (observed.low_99, observed.high_99) if is_99 else (observed.low, observed.high)
    return f"{100 * low:.3f} to {100 * high:.3f}" if observed.is_exact else f"± {50 * (high - low):.3f}"


def _adjusted(row: LawFigures) -> dict[str, Any] | None:
    """Return the RTP adjusted for decisions, in percent."""
    found = row.adjusted
    if found is None:
        return None
    return {
        "n": found.n,
        "rtp": percent(found.rtp),
        "half": percent(found.half_width),
        "given_away": percent(found.given_away),
    }


def _ends(row: LawFigures) -> tuple[float, float]:
    rtp = float(row.terms.rtp)
    if row.observed is None:
        return rtp, rtp
    reach = max(abs(row.observed.low_99 - rtp), abs(row.observed.high_99 - rtp)) * 1.1
    return rtp - reach, rtp + reach


def _amounts(row: LawFigures, form: SliceForm) -> list[dict[str, str]]:
    currencies = Currency.objects.in_bulk()
    return [
        {
            "currency": code,
            "url": _rounds_url(row.key, form, currency__code__exact=code),
            "n": str(sums.n),
            "stake": amount_text(sums.stake, currencies[code]),
            "payout": amount_text(sums.payout, currencies[code]),
            "expected": amount_text(sums.expected, currencies[code]),
        }
        for code, sums in sorted(row.by_currency.items())
    ]


def _day_row(day: DayFigures, key: MoneyKey, form: SliceForm) -> dict[str, Any]:
    return {
        "day": day.day,
        "seconds": day.seconds,
        "n": day.n,
        "rtp": percent(day.rtp),
        "low_95": percent(day.low_95),
        "high_95": percent(day.high_95),
        "low_99": percent(day.low_99),
        "high_99": percent(day.high_99),
        "evidence": day.evidence,
        "restarted": day.restarted,
        "url": _rounds_url(key, form, ended_at_from=day.day, ended_at_to=day.day),
    }


def _links(key: MoneyKey, form: SliceForm) -> dict[str, str]:
    """Return the lists of a bet's rounds in the slice: of all, and of those with a wrong payout."""
    return {"rounds_url": _rounds_url(key, form), "wrong_url": _rounds_url(key, form, payout="wrong")}


def _rounds_url(key: MoneyKey, form: SliceForm, **part: object) -> str:
    """Return the list of the rounds behind a figure of the slice, or of a part of it."""
    wanted = form.wanted()
    asked: dict[str, object] = {
        "state": "counted",
        "game": key.law.game,
        "bet": key.law.kind,
        "law": key.law.law,
        "money": "play" if key.is_play else "real",
        "ended_at_from": wanted.since,
        "ended_at_to": wanted.until,
        PARTNER_FILTER: wanted.partners[0] if "partner" in form.fields and wanted.partners else None,
        "currency__code__exact": wanted.currency,
        "channel": wanted.channel or NO_TABLE,
        "device": wanted.device,
        "digits": wanted.band,
    }
    query = {name: value for name, value in (asked | part).items() if value is not None}
    return f"{reverse('admin:rounds_round_changelist')}?{urlencode(query)}"


def _faces(request: HttpRequest, form: SliceForm) -> list[dict[str, Any]]:
    """Return the faces of the requested days and game; they are counted for all partners together."""
    if not (form.is_valid() and sees_all_partners(viewer_of(request))):
        return []
    wanted = form.wanted()
    return [
        {
            "at": at,
            "evidence": _one_in(at.log_evidence),
            "tail_pct": 100 * at.tail,
            "url": _dealt_url(at, wanted),
            "suits": [
                (suit, [(face, _dealt_url(at, wanted, face.card)) for face in faces]) for suit, faces in at.suits
            ],
        }
        for at in faces_at_places(since=wanted.since, until=wanted.until, game=wanted.game)
    ]


def _dealt_url(at: FacesAtPlace, wanted: StatSlice, card: str | None = None) -> str:
    """Return the list of the rounds with this card at this place, or with any."""
    query = {
        "state": "counted",
        "game": at.game,
        "card": "-".join(map(str, filter(lambda part: part is not None, (at.decks, at.place, card)))),
        "ended_at_from": wanted.since,
        "ended_at_to": wanted.until,
    }
    return f"{reverse('admin:rounds_round_changelist')}?{urlencode(query)}"


def _watched_rows(request: HttpRequest) -> list[dict[str, Any]]:
    if not sees_all_partners(viewer_of(request)):
        return []
    partners = partner_names()
    return [_watched_row(row, partners) for row in watched_now()]


def alarm_url(alarm: EvidenceAlarm) -> str:
    """Return the page with the figures that an alarm is about."""
    if alarm.measure == Measure.CARDS:
        return f"{reverse('admin:evidence')}?{urlencode({'game': alarm.game})}#faces"
    return _watched_url(SliceKey(*slice_of(alarm)))


def _watched_url(key: SliceKey) -> str:
    part = {_PARTS[Slice(key.part)]: key.value} if key.part in _PARTS else {}
    law = _law_query(MoneyKey(LawKey(key.game, key.kind, key.law), key.is_play))
    return f"{reverse('admin:evidence_law')}?{urlencode(law | part)}"


def _watched_row(row: Watched, partners: Mapping[str, str]) -> dict[str, Any]:
    key = MoneyKey(LawKey(row.key.game, row.key.kind, row.key.law), row.key.is_play)
    return {
        "title": law_title(key),
        "is_play": key.is_play,
        "part": part_title(row.key.part, row.key.value, partners),
        "n": row.state.n,
        "evidence": row.evidence / LN_10,
        "restarted": None if row.restarted is None else row.restarted / LN_10,
        "evidence_alarm": row.evidence_alarm / LN_10,
        "restarted_alarm": row.restarted_alarm / LN_10,
        "is_amber": row.is_amber,
        "is_alarming": row.is_alarming,
        "url": _watched_url(row.key),
    }


def _law_query(key: MoneyKey) -> dict[str, str]:
    return {
        "game": key.law.game,
        "kind": key.law.kind,
        "law": key.law.law,
        "money": "play" if key.is_play else "real",
    }


def _one_in(value: float | None) -> str:
    if value is None:
        return "-"
    shown = one_in(value)
    return "1 : infinity" if shown is None else f"1 : {power_text(shown) or format(shown, ',')}"
