"""The odds of the offered bets, from the pay table in use: edge, return, frequency of each result. Reads only."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from apps.core.edge_rounding import edge_pct
from apps.paytables.paytable_rows import PaytableRow, lines_from_json
from apps.paytables.services import paytable_in_use
from apps.portal.authentication import PagePlayer
from apps.rounds.game_spec import GameSpec
from apps.rounds.table_game import TableGame, TableTerms
from apps.tables.table_creation import room_edges

_LOST: Final = Fraction(0)
_PUSH: Final = Fraction(1)


@dataclass(frozen=True, slots=True)
class ResultOdds:
    """One result of a bet with a payout."""

    label: str
    pays: Decimal
    """X to 1; below 0 if only a part of the stake comes back."""
    is_push: bool
    """Only the stake comes back."""
    chance_pct: Decimal
    """The chance in percent, with six decimals."""
    one_in: Decimal
    """The mean number of bets for one such result, with one decimal."""


@dataclass(frozen=True, slots=True)
class BetOdds:
    """One bet, with figures in percent of the stake, six decimals."""

    label: str
    edge_pct: Decimal | None
    """None for an unknown edge."""
    rtp_pct: Decimal | None
    results: Sequence[ResultOdds]
    """Empty if the results depend on the player's decisions."""


def bet_odds(page_player: PagePlayer, game: GameSpec) -> list[BetOdds]:
    """Return every bet of the pay table that the player's partner has in use in the currency."""
    partner_id, currency_code = page_player.player.partner_id, page_player.currency_code
    use = paytable_in_use(partner_id=partner_id, currency_code=currency_code, game_id=game.id)
    if use is None:
        return []
    return [
        BetOdds(
            label=game.bet_labels.get(row.kind, row.kind),
            edge_pct=edge_pct(1 - row.rtp),
            rtp_pct=edge_pct(row.rtp),
            results=_results(lines_from_json(row.lines), game.result_labels),
        )
        for row in use.paytable.lines.order_by("pk")
    ]


def live_odds(game: TableGame[Any], terms: TableTerms, labels: Mapping[str, str]) -> list[BetOdds]:
    """Return every bet of a live table; a figure that is still being computed is missing."""
    return [
        BetOdds(
            label=edge.label,
            edge_pct=edge.edge_pct,
            rtp_pct=None if edge.edge_pct is None else 100 - edge.edge_pct,
            results=_results(edge.lines, labels),
        )
        for edge in room_edges(game, terms)
    ]


def _results(lines: Sequence[PaytableRow], labels: Mapping[str, str]) -> list[ResultOdds]:
    """Return the results with a payout, the highest first."""
    ordered = sorted(lines, key=lambda line: line.payout, reverse=True)
    return [_result(line, labels) for line in ordered if line.payout != _LOST and line.chance]


def _result(line: PaytableRow, labels: Mapping[str, str]) -> ResultOdds:
    pays = line.payout - 1
    return ResultOdds(
        label=labels.get(line.result, line.result),
        pays=Decimal(pays.numerator) / pays.denominator,
        is_push=line.payout == _PUSH,
        chance_pct=edge_pct(line.chance),
        one_in=round(Decimal(line.chance.denominator) / line.chance.numerator, 1),
    )
