"""Which process fires a due deadline, and when a table that fails is tried again."""

import time
from collections import OrderedDict
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.conf import LazySettings
from django.utils import timezone

from apps.tables import deadlines
from apps.tables.chain_seeds import chain_seeds
from apps.tables.deadlines import FAILED_PAUSE_S, SeenHere, deadlines_fire
from apps.tables.models import GameTable
from tests.support.loop import run_alone
from tests.support.tables import players_make, session_make, sit, table_make


@pytest.fixture
def table(committed: None) -> GameTable:
    """A table whose column says that a deadline is due, and whose state has none.

    To fire it changes nothing, so that no server of another test ends it.
    """
    partner, (player,) = players_make(1)
    made = table_make(partner)
    sit(session_make(player)[0], made)
    return made


def fired(table: GameTable, late_s: float, is_seen_here: SeenHere | None) -> int:
    """Let a deadline be due for so many seconds, and return how many this process fires."""
    GameTable.objects.filter(pk=table.pk).update(deadline=timezone.now() - timedelta(seconds=late_s))
    return run_alone(deadlines_fire(is_seen_here))


@pytest.mark.parametrize(("late_s", "expected"), [(0.01, [0, 0, 1]), (2, [1, 1, 1])])
def test_a_deadline_is_fired_where_its_table_is_followed_and_elsewhere_once_it_is_overdue(
    table: GameTable, late_s: float, expected: list[int]
) -> None:
    assert [fired(table, late_s, seen) for seen in (lambda _: False, None, lambda _: True)] == expected


def test_a_table_that_fails_is_left_alone_for_half_a_minute(
    table: GameTable, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.PUNTO_SEED_KEY = "another key " * 4
    monkeypatch.setattr(chain_seeds, "_kept", OrderedDict())  # it has to decrypt the seed, and cannot
    found = []
    for ahead_s in (0, 0, FAILED_PAUSE_S - 5, FAILED_PAUSE_S + 1):
        clock = SimpleNamespace(monotonic=lambda ahead_s=ahead_s: time.monotonic() + ahead_s)
        monkeypatch.setattr(deadlines, "time", clock)
        found.append(fired(table, 2, None))
    assert found == [1, 0, 0, 1]
