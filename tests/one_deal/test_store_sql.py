"""The SQL template of a store's functions, as a game's migration fills it in."""

import re
from pathlib import Path

import pytest

from apps.baccarat.one_deal_game import BACCARAT
from apps.one_deal.store_sql import store_sql

ROOT = Path(__file__).parents[2]
MIGRATED = ROOT / "apps" / "baccarat" / "migrations" / "0005_store.sql"


def statements(sql: object) -> str:
    """Return SQL without its comments."""
    assert isinstance(sql, str)
    return re.sub(r"^ *--.*\n", "", sql, flags=re.MULTILINE)


def test_the_first_version_equals_baccarat_s_migration() -> None:
    made = store_sql(1, game=BACCARAT.name, game_id=BACCARAT.id, sides=BACCARAT.sides)
    assert statements(made.sql) == statements(MIGRATED.read_text())
    assert made.reverse_sql == MIGRATED.with_name("0005_store_reverse.sql").read_text()


def test_every_placeholder_of_a_template_is_filled_in() -> None:
    made = store_sql(1, game="some_game", game_id="og-some", sides=("left", "right"))
    for sql in (made.sql, made.reverse_sql):
        assert isinstance(sql, str)
        assert "some_game_rounds_settle" in sql
        assert re.findall(r"\{\w+\}", sql) == []


def test_an_unknown_version_is_an_error() -> None:
    with pytest.raises(FileNotFoundError):
        store_sql(0, game="some_game", game_id="og-some", sides=("left", "right"))
