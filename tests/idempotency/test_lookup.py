"""An index finds a stored answer, however many answers the player has."""

import re

import psycopg
import pytest
from django.db import connections

BOTH_COLUMNS = r"Index Cond: .*scope.* AND \(\(key\)::text = item\.key\)"


@pytest.mark.parametrize(
    "function", ["baccarat_bet_contexts_load", "blackjack_bet_contexts_load", "blackjack_move_contexts_load"]
)
def test_every_reading_function_finds_stored_answers_by_index(
    superuser: psycopg.Connection, committed: None, function: str
) -> None:
    for name, value in connections["default"].settings_dict["ASYNCPG"]["server_settings"].items():
        superuser.execute("SELECT set_config(%s, %s, false)", [name, value])
    superuser.execute("RESET ROLE")
    row = superuser.execute("SELECT prosrc FROM pg_proc WHERE proname = %s", [function]).fetchone()
    assert row is not None
    body = re.search(r"RETURN QUERY\s(.*?);\s*END", row[0], re.DOTALL)
    assert body is not None
    superuser.execute(f"PREPARE asked (json) AS {body[1].replace('(items)', '($1)')}".encode())
    plan = "\n".join(line for (line,) in superuser.execute("EXPLAIN EXECUTE asked ('[]')"))
    assert re.search(BOTH_COLUMNS, plan), plan
    assert "Seq Scan" not in plan
    assert not re.search("(Hash|Merge) .*Join", plan), plan
