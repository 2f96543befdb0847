"""The luck of bets at tables: their payouts less the expectation given the cards that were left in the shoe.

A table's shoe lasts for many rounds, so a round's chances differ from those of the pay table, which are for a fresh
shoe.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from apps.paytables.models import PayTableLine
from apps.paytables.paytable_rows import PaytableRow, lines_from_json
from apps.rounds.registry import games

_SHOE, _RESULT, _KEY, _GAME, _PAYTABLE, _KIND = 0, 1, 2, 6, 7, 8
"""Places in a row of `table_results_sql`."""

Chances = Mapping[str, Mapping[str, float]]


def table_lucks(rows: Sequence[tuple[Any, ...]], *, most: float) -> Iterator[tuple[tuple[Any, ...], float]]:
    """Yield for each row of `table_results_sql` its key in `luck_stat` and its luck, for a stake of 1.

    Bets that can pay more than `most` to 1 are left out, as are rounds in which the shoe may have been filled up. Both
    are known before the cards are dealt.
    """
    laws = _laws({(row[_PAYTABLE], row[_KIND]) for row in rows})
    known = {
        game.id: game.table_pay.chances_left
        for game in games()
        if game.table_pay is not None and game.table_pay.chances_left is not None
    }
    for (game, shoe), together in groupby(rows, key=itemgetter(_GAME, _SHOE)):
        chances = None if shoe is None else known[game](shoe)
        if shoe is None or chances is not None:
            yield from _of_shoe(together, chances, laws, most)


def _of_shoe(
    rows: Iterable[tuple[Any, ...]],
    chances: Chances | None,
    laws: Mapping[tuple[int, str], Mapping[str, PaytableRow]],
    most: float,
) -> Iterator[tuple[tuple[Any, ...], float]]:
    """Yield the luck of bets with the same cards left. `chances` of None stands for infinite decks, with the pay
    table's chances."""
    for row in rows:
        lines = laws.get((row[_PAYTABLE], row[_KIND]), {})
        if row[_RESULT] not in lines or max(line.payout for line in lines.values()) > most + 1:
            continue
        of_results = chances[row[_KIND]] if chances else {name: float(line.chance) for name, line in lines.items()}
        expected = sum(of_results.get(name, 0.0) * float(line.payout) for name, line in lines.items())
        yield row[_KEY:], float(lines[row[_RESULT]].payout) - expected


def _laws(wanted: set[tuple[int, str]]) -> dict[tuple[int, str], dict[str, PaytableRow]]:
    """Return the results of bets with known results, by pay table and kind."""
    rows = PayTableLine.objects.filter(paytable__in={paytable for paytable, _ in wanted})
    return {
        (row.paytable_id, row.kind): {line.result: line for line in lines_from_json(row.lines)}
        for row in rows
        if (row.paytable_id, row.kind) in wanted and row.lines
    }
