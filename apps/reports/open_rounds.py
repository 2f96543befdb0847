"""The rounds that were open at the end of a period, or are open now if it is not over."""

from typing import Final

# `held` is what was staked until then. A round that has ended since lasted beyond the end of a quarter of an hour, as
# every day's end is one: such rounds have an index of their own (apps/rounds/migrations/0016_open_over_quarter.sql).
OPEN_ROUNDS: Final = """(
    SELECT listed.*, (
        SELECT coalesce(-sum(change), 0) FROM wallet_transaction WHERE round_id = listed.id AND ctime < %(until)s
    ) AS held
    FROM (
        SELECT * FROM game_round WHERE how_ended = '' AND started_at < %(until)s
        UNION ALL
        SELECT * FROM game_round
        WHERE date_bin('15 min', ended_at, 'epoch') > date_bin('15 min', started_at, 'epoch')
            AND tstzrange(started_at, ended_at, '(]') @> %(until)s::timestamptz
    ) AS listed
)"""
"""A table for the statements of reports, with the columns of rounds."""
