"""The pages of the list of rounds when it is filtered by bets or cards, which no index has.

PostgreSQL would read any number of rounds in one statement to find a rare bet, and to count it, up to the limit of a
statement. So the rounds are searched newest first, in stretches of their start times, until enough are found or the
time is over. The bets themselves pay for no index.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, tzinfo
from time import monotonic
from typing import Any, Final, TypeGuard, cast

from django.contrib.admin.views.main import PAGE_VAR
from django.core.paginator import Page
from django.db.models import QuerySet
from django.db.models.expressions import Col
from django.db.models.lookups import GreaterThanOrEqual, LessThan, Lookup
from django.http import QueryDict
from django.utils.functional import cached_property

from apps.core.admin import MAX_LISTED_ROWS, BoundedPaginator
from apps.core.csv_export import rows_in_order
from apps.core.errors import BadRequest
from apps.rounds.models import Round

STRETCH_ROUNDS: Final = 50_000
"""A stretch is read in a fraction of a second, also on a busy machine."""
SEARCH_S: Final = 8.0
_ORDER: Final = "-started_at"


class BetSearchPaginator(BoundedPaginator):
    """Finds the newest rows, at most MAX_LISTED_ROWS, and those of a page by their keys."""

    reads_pages_alone = True
    searched_since: datetime | None = None
    """The rounds before it have not been searched, because the time was over; None if all have been."""

    def __init__(
        self,
        rows: "QuerySet[Round]",
        per_page: int,
        *,
        asked: QueryDict,
        zone: tzinfo = UTC,
        search_s: float = SEARCH_S,
        stretch_rounds: int = STRETCH_ROUNDS,
    ) -> None:
        super().__init__(rows, per_page)
        self._asked, self._zone, self._search_s, self._stretch_rounds = asked, zone, search_s, stretch_rounds

    @cached_property
    def count(self) -> int:
        return len(self._found)

    def page(self, number: int | str) -> "Page[Round]":
        number = self.validate_number(number)
        rows = cast("QuerySet[Round]", self.object_list)
        first, end = (number - 1) * self.per_page, number * self.per_page
        if rows.query.order_by[:1] == (_ORDER,):
            return Page(rows.filter(pk__in=self._found[first:end]), number, self)
        return Page(rows.filter(pk__in=self._found)[first:end], number, self)

    @property
    def older_query(self) -> str:
        """The query of the list that begins where this search stopped: with the day of that moment."""
        assert self.searched_since is not None
        query = self._asked.copy()
        query.pop(PAGE_VAR, None)
        query["started_at_to"] = self.searched_since.astimezone(self._zone).date().isoformat()
        return query.urlencode()

    @cached_property
    def _found(self) -> list[Any]:
        """The keys of the rows, newest first."""
        rows = cast("QuerySet[Round]", self.object_list)
        rows = rows.order_by(_ORDER, "-pk")
        found: list[Any] = []
        began = monotonic()
        for since, part in _stretches(rows, self._stretch_rounds):
            found += part.values_list("pk", flat=True)[: MAX_LISTED_ROWS - len(found)]
            if len(found) == MAX_LISTED_ROWS:
                break
            if since is not None and monotonic() - began > self._search_s:
                self.searched_since = since
                break
        return found


def rows_by_bets(rows: "QuerySet[Round]", order: Sequence[str]) -> Iterator[Round]:
    """Yield all rows, the newest first, in that order, with a statement for each stretch at least."""
    for _, part in _stretches(rows, STRETCH_ROUNDS):
        yield from rows_in_order(part, order)


def count_by_bets(rows: "QuerySet[Round]", most: int) -> int:
    """Return the number of rows, counting up to `most` and one more. Raises BadRequest after SEARCH_S."""
    count, began = 0, monotonic()
    for since, part in _stretches(rows, STRETCH_ROUNDS):
        count += part.order_by()[: most + 1 - count].count()
        if count > most:
            break
        if since is not None and monotonic() - began > SEARCH_S:
            raise BadRequest(
                "the search by bets or cards takes too long for this form: filter by days too, or export the list as"
                " CSV or JSON lines"
            )
    return count


def _stretches(rows: "QuerySet[Round]", length: int) -> "Iterator[tuple[datetime | None, QuerySet[Round]]]":
    """Yield the rows in spans of start times of so many rounds, the newest first, with the beginning of each; the last
    one has none."""
    first, until = _start_bounds(rows)
    all_rounds = Round.objects.order_by(_ORDER).values_list("started_at", flat=True)
    while True:
        newest = all_rounds if until is None else all_rounds.filter(started_at__lt=until)
        part = rows if until is None else rows.filter(started_at__lt=until)
        since = next(iter(newest[length : length + 1]), None)
        if since is None or (first is not None and since <= first):
            yield None, part
            return
        yield since, part.filter(started_at__gte=since)
        until = since


def _start_bounds(rows: "QuerySet[Round]") -> tuple[datetime | None, datetime | None]:
    """Return the first moment of the start times that the filters allow, and the one after the last."""
    firsts, ends = (
        [condition.rhs for condition in rows.query.where.children if _is_of_start(condition, kind)]
        for kind in (GreaterThanOrEqual, LessThan)
    )
    return max(firsts, default=None), min(ends, default=None)


def _is_of_start(condition: Any, kind: type) -> "TypeGuard[Lookup[Any]]":
    column = getattr(condition, "lhs", None)
    return isinstance(condition, kind) and isinstance(column, Col) and column.target.name == "started_at"
