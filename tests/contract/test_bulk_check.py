"""A game's check of many rounds finds every round in which the full check of one round finds a fault."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import cycle, product
from uuid import UUID

import psycopg
import pytest

from apps.core.database_snapshot import one_moment
from apps.fairness.services import draw_again
from apps.office.redeal_check import UNREADABLE
from apps.office.verification.rounds import record_check
from apps.rounds.bulk_check import BulkCheck, RoundScope
from apps.rounds.models import Round
from apps.rounds.registry import games
from tests.contract.conftest import Table
from tests.contract.test_games import record_models
from tests.support.long_form import IS_LONG
from tests.support.tampering import constraints_dropped, put_back, tables_of

EVERY_ROUND = RoundScope()


@pytest.fixture
def bulk_check(table: Table) -> BulkCheck:
    if table.game.bulk_check is None:
        pytest.fail("only games that have a bulk check are asked")
    return table.game.bulk_check


@pytest.fixture
def intruder(superuser: psycopg.Connection) -> Iterator[psycopg.Connection]:
    superuser.execute("SET session_replication_role = replica")
    with constraints_dropped(superuser):
        yield superuser


with_bulk_check = pytest.mark.parametrize(
    "table", [game for game in games() if game.bulk_check], ids=lambda game: game.slug, indirect=True
)


def checked_in_bulk(bulk_check: BulkCheck, scope: RoundScope = EVERY_ROUND) -> tuple[int, set[UUID]]:
    with one_moment(read_only=True):
        batches = list(bulk_check(scope))
    return sum(batch.checked for batch in batches), {found for batch in batches for found in batch.doubted}


def found_closely(table: Table) -> set[UUID]:
    """Check the solo rounds one by one. `round_rows_check` names a round that claims to be a table's, since it has a
    seed pair."""
    rounds = Round.objects.filter(game=table.game.id, table_round__isnull=True).select_related("currency")
    return {played.pk for played in rounds if is_found(played)}


def is_found(played: Round) -> bool:
    try:
        return bool(record_check(played, draw_again(played.seed_pair, played.nonce)).differences)
    except UNREADABLE:
        return True


@with_bulk_check
def test_rounds_as_they_were_dealt_are_not_doubted(table: Table, bulk_check: BulkCheck) -> None:
    table.another().play()
    played = table.play()
    assert checked_in_bulk(bulk_check) == (2 * len(played), set())


@with_bulk_check
def test_the_scope_is_a_partner_and_a_time_of_end(table: Table, bulk_check: BulkCheck) -> None:
    played = table.play(3)
    now = datetime.now(UTC)
    assert checked_in_bulk(bulk_check, RoundScope(table.partner.pk)) == (len(played), set())
    assert checked_in_bulk(bulk_check, RoundScope(table.partner.pk + 1)) == (0, set())
    assert checked_in_bulk(bulk_check, RoundScope(since=now - timedelta(hours=1))) == (len(played), set())
    assert checked_in_bulk(bulk_check, RoundScope(since=now + timedelta(hours=1))) == (0, set())


@with_bulk_check
def test_every_alteration_that_a_closer_look_finds_is_doubted(
    table: Table, bulk_check: BulkCheck, intruder: psycopg.Connection
) -> None:
    """`make test` alters each column in one row, in which the rows of a table take turns; `make soak` in every row."""
    table.play(2)
    known = tables_of(intruder)
    found = 0
    for name in ["seed_pair", *(model._meta.db_table for model in record_models(table))]:
        rows, columns = known[name].rows(), known[name].columns
        for row, column in product(rows, columns) if IS_LONG else zip(cycle(rows), columns, strict=False):
            with put_back(known[name]):
                known[name].alter(row, column)
                closely = found_closely(table)
                assert closely <= checked_in_bulk(bulk_check)[1], f"{name}.{column}"
                found += bool(closely)
    assert found >= 20


@with_bulk_check
def test_a_round_without_records_and_one_that_is_open_are_doubted(
    table: Table, bulk_check: BulkCheck, intruder: psycopg.Connection
) -> None:
    emptied, opened = table.play(2)
    (records,) = (model._meta.db_table for model in record_models(table) if "record" in model._meta.db_table)
    intruder.execute(f"DELETE FROM {records} WHERE round_id = %s", [emptied.pk])  # type: ignore[arg-type]
    intruder.execute("UPDATE game_round SET how_ended = '', ended_at = NULL WHERE id = %s", [opened.pk])
    assert checked_in_bulk(bulk_check) == (2, {emptied.pk, opened.pk})
