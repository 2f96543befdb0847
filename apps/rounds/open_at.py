"""The condition for rounds that were open at a moment and have ended since."""

from typing import Final

OPEN_AT: Final = """date_bin('15 min', ended_at, 'epoch') > date_bin('15 min', started_at, 'epoch')
            AND tstzrange(least(started_at, ended_at), ended_at, '(]') @> {at}::timestamptz"""
"""The condition, with the moment in place of `at`: one that ends a quarter of an hour, as every day's end does.

Such rounds have an index of their own (migrations/0017_open_at_any_clock.sql). If the clock was set back during a
round, its end is before its start: it was open at no moment, and no range of these two exists.
"""
