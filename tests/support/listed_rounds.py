"""Compares the rounds that the list finds by their bets with those that the statistics have counted."""

from typing import Any

from apps.paytables.paytable_rows import lines_from_json
from apps.rounds.bets_sql import has_bet, has_card
from apps.rounds.models import PLAYED_ENDS, Round
from apps.rounds.registry import game_of
from apps.statistics.models import CardStat, PlayStat


def listed_as_counted() -> int:
    """Require of each row of a day in UTC that its rounds are found, and those of each result; return the number of
    comparisons."""
    compared = 0
    for row in PlayStat.objects.filter(level="day", zone="UTC").exclude(paytable=None):
        assert row.paytable is not None
        pay, line = game_of(row.game).table_pay, row.paytable.lines.filter(kind=row.kind).first()
        lines = () if line is None else lines_from_json(line.lines)  # blackjack's insurance has no line of its own
        is_of_tables = row.door == "table"
        assert pay is not None
        is_shared = is_of_tables and (pay.is_shared_deal or not lines)
        rounds = Round.objects.filter(
            partner=row.partner_id, currency=row.currency_id, paytable=row.paytable_id, how_ended__in=PLAYED_ENDS,
            table_round__isnull=not is_of_tables,
        ).order_by()  # fmt: skip
        wanted: list[tuple[dict[str, Any], int]] = [
            ({"digits": row.band}, row.n),
            ({"digits": row.band, "is_wrong": True}, row.mismatched),
        ]
        results = {each.result: hits for each, hits in zip(lines, row.hits, strict=False)}
        wanted += [({"digits": row.band, "result": result}, hits) for result, hits in results.items()]
        for asked, n in wanted:
            found = rounds.filter(has_bet(kind=row.kind, **asked)).values("table_round" if is_shared else "pk")
            assert found.distinct().count() == n, (row.game, row.kind, asked)
            compared += 1
        other = row.band + 3
        assert not rounds.filter(has_bet(kind=row.kind, digits=other)).exists()
    return compared + _cards_compare()


def _cards_compare() -> int:
    """Require the same of each card; a round at a table counts once."""
    counted: dict[tuple[Any, ...], int] = {}
    for row in CardStat.objects.filter(zone="UTC"):
        for card in (row.card, None):
            key = row.game, row.decks, row.place, card
            counted[key] = counted.get(key, 0) + row.count
    for (game, decks, place, card), count in counted.items():
        rounds = Round.objects.filter(
            has_card(decks=decks, place=place, card=card), game=game, how_ended__in=PLAYED_ENDS
        )
        once = rounds.order_by().values("table_round").exclude(table_round=None).distinct()
        assert rounds.filter(table_round=None).count() + once.count() == count, (game, place, card)
    return len(counted)
