"""The condition for rounds that were open at a moment and have ended since."""

from typing import Final

OPEN_AT: Final = """date_bin('15 min', ended_at, 'epoch') > date_bin('15 min', started_at, 'epoch')
            AND tstzrange(started_at, ended_at, '(]') @> {at}::timestamptz"""
"""The condition, with the moment in place of `at`: one that ends a quarter of an hour, as every day's end does.

Such rounds have an index of their own (migrations/0016_open_over_quarter.sql).
"""
