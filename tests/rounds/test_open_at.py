"""The condition for rounds that were open at a moment."""

import pytest
from django.db import connection

from apps.rounds.open_at import OPEN_AT

MIDNIGHT = "2026-03-02 00:00+00"
ROUNDS = [
    ("2026-03-01 23:59:59+00", "2026-03-02 00:00:01+00", True),
    ("2026-03-01 23:59:59+00", "2026-03-02 00:00:00+00", True),
    ("2026-03-02 00:00:00+00", "2026-03-02 00:20:00+00", False),
    ("2026-03-01 23:00:00+00", "2026-03-01 23:59:59+00", False),
    ("2026-03-02 00:30:00+00", "2026-03-01 23:30:00+00", False),  # the clock was set back by an hour
    ("2026-03-02 00:00:01+00", "2026-03-02 00:00:00+00", False),  # and by a second
]


@pytest.mark.django_db
def test_a_round_is_open_after_its_start_until_its_end() -> None:
    condition = OPEN_AT.format(at="%s")
    rounds = "unnest(%s::timestamptz[], %s::timestamptz[]) WITH ORDINALITY AS round (started_at, ended_at, number)"
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT number FROM {rounds} WHERE {condition}",
            [[started for started, _, _ in ROUNDS], [ended for _, ended, _ in ROUNDS], MIDNIGHT],
        )
        assert [number for (number,) in cursor] == [at for at, (_, _, is_open) in enumerate(ROUNDS, 1) if is_open]
