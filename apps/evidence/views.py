"""The public page of observed RTPs, and the same as JSON."""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from apps.core import json
from apps.core.number_texts import number_text
from apps.evidence.observed import power_text
from apps.evidence.published import CACHED_S, MIN_ROUNDS, published_rtp

FEW_ODDS: Final = 3
"""A bet with more winning results than this shows the lowest and the highest odds."""


@require_GET
def rtp(request: HttpRequest) -> HttpResponse:
    """Show each bet's published RTP beside the observed one."""
    games = [game | {"groups": _groups(game["bets"])} for game in published_rtp() if game["bets"]]
    context = {"games": games, "least_rounds": MIN_ROUNDS, "alarm": any(_alarmed(game) for game in games)}
    return render(request, "evidence/rtp.html", context)


@require_GET
def rtp_json(_request: HttpRequest) -> HttpResponse:
    """Return the same as JSON: RTPs are fractions of the stakes."""
    response = HttpResponse(
        json.encode({"leastRounds": MIN_ROUNDS, "games": published_rtp()}), content_type="application/json"
    )
    response["Cache-Control"] = f"public, max-age={CACHED_S}"
    response["Access-Control-Allow-Origin"] = "*"
    return response


def _groups(bets: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the bets for real money, then those for play money."""
    groups = [
        {"is_play": is_play, "bets": [_shown(bet) for bet in bets if bet["playMoney"] is is_play]}
        for is_play in (False, True)
    ]
    return [group for group in groups if group["bets"]]


def _shown(bet: dict[str, Any]) -> dict[str, Any]:
    """Add the figures in percent, the first day as a date, and large evidence as a text."""
    odds = [number_text(Decimal(one)) for one in bet["pays"]]
    return bet | {
        "since_day": None if bet["since"] is None else date.fromisoformat(bet["since"]),
        "published_pct": 100 * float(bet["publishedRtp"]),
        "odds": odds if len(odds) <= FEW_ODDS else [odds[0], "…", odds[-1]],
        "observed_pct": _pct(bet["observed"]),
        "adjusted_pct": _pct(bet["adjusted"]),
        "large_evidence": power_text((bet["evidence"] or {}).get("oneIn") or 0),
        "months": [
            month | {"pct": _pct(month["observed"]), "seconds": _seconds(month["month"])} for month in bet["months"]
        ],
    }


def _seconds(month: str) -> int:
    """Return the beginning of a month as seconds since 1970, for the plot."""
    return int(datetime.fromisoformat(f"{month}-01").replace(tzinfo=UTC).timestamp())


def _pct(observed: dict[str, float] | None) -> dict[str, float] | None:
    return None if observed is None else {name: 100 * value for name, value in observed.items()}


def _alarmed(game: dict[str, Any]) -> bool:
    return any(bet["alarm"] for bet in game["bets"])
