"""The results that a bet can have, with their probabilities, and the figures that follow from them. Pure.

Odds are checked and saved in each game's configuration.py, with apps/one_deal/odds_guard.py for games of one deal.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from hashlib import sha256
from typing import Any, Final, NamedTuple

from apps.core import json
from apps.core.edge_rounding import fraction_rounded, standard_deviation

FIGURE_DECIMALS: Final = 12
"""Decimals of a pay table's theoretical figures."""
MAX_RESULTS: Final = 8
"""The most results of a bet. The statistics count each of them (`hits`)."""


class PaytableRow(NamedTuple):
    """One result of a bet."""

    result: str
    """Its name in the game's records."""
    chance: Fraction
    payout: Fraction
    """The payout for a stake of 1, stake included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BetFigures:
    """The theoretical figures of one kind of bet, for each unit staked."""

    kind: str
    """The bet's name on the wire."""
    lines: Sequence[PaytableRow]
    """Every result; empty if the results depend on the player's decisions."""
    rtp: Decimal
    """The theoretical return to player, as a fraction of the stake."""
    deviation: Decimal | None
    """The standard deviation of the payout for a stake of 1; None if it is not known."""
    method: str
    """How the figures were computed."""
    law: str
    """SHA-256 of the probabilities and payouts: bets with the same hash have the same distribution of payouts."""


def bet_figures(kind: str, lines: Sequence[PaytableRow]) -> BetFigures:
    """Return the exact figures of a bet with these results. Raises ValueError if their chances do not sum to 1."""
    if sum(line.chance for line in lines) != 1 or min(min(line.chance, line.payout) for line in lines) < 0:
        raise ValueError(f"{kind}: the chances of all results are 0 or more and sum to 1, and no payout is below 0")
    rtp = sum((line.chance * line.payout for line in lines), Fraction(0))
    return BetFigures(
        kind=kind,
        lines=tuple(lines),
        rtp=fraction_rounded(rtp, FIGURE_DECIMALS),
        deviation=standard_deviation([(line.payout, line.chance) for line in lines], decimals=FIGURE_DECIMALS),
        method="exact",
        law=law_hash([[str(line.chance), str(line.payout)] for line in lines if line.chance]),
    )


def law_hash(content: object) -> str:
    """Return the hexadecimal SHA-256 of the canonical JSON."""
    return sha256(json.canonical(content)).hexdigest()


def lines_to_json(lines: Sequence[PaytableRow]) -> list[dict[str, str]]:
    """Return the stored form: fractions are exact texts."""
    return [{"result": line.result, "chance": str(line.chance), "payout": str(line.payout)} for line in lines]


def lines_from_json(stored: Sequence[dict[str, Any]]) -> tuple[PaytableRow, ...]:
    """Return the lines that `lines_to_json` wrote."""
    return tuple(PaytableRow(line["result"], Fraction(line["chance"]), Fraction(line["payout"])) for line in stored)
