"""What was answered under a key is found by the key, however much the player was answered before."""

import re

import psycopg
import pytest

from apps.baccarat.bracket import _OPEN_BY_TOKEN, _OPEN_BY_USER
from apps.blackjack.play import _READ_FOR_BET, _READ_FOR_MOVE
from apps.core.statement import Batch

BOTH_COLUMNS = r"Index Cond: .*scope.* AND \(\(key\)::text = asked\.key\)"


@pytest.mark.parametrize(
    ("statement", "who"),
    [(_OPEN_BY_TOKEN, "text"), (_OPEN_BY_USER, "bigint"), (_READ_FOR_BET, "bigint"), (_READ_FOR_MOVE, "bigint")],
)
def test_the_index_is_asked_for_scope_and_key(
    superuser: psycopg.Connection, committed: None, statement: Batch, who: str
) -> None:
    superuser.execute("SET plan_cache_mode = force_generic_plan")
    superuser.execute("SET enable_seqscan = off")  # whatever the tables hold, the plan is that of a large one
    superuser.execute(f"PREPARE asked ({who}[], text[], text[]) AS {statement.sql.decode()}")  # type: ignore[arg-type]
    plan = "\n".join(line for (line,) in superuser.execute("EXPLAIN EXECUTE asked ('{1}', '{FUN}', '{k}')"))
    assert re.search(BOTH_COLUMNS, plan), plan
