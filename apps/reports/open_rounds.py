"""The rounds that were open at the end of a period, or are open now if it is not over."""

from typing import Final

from apps.rounds.open_at import OPEN_AT

OPEN_ROUNDS: Final = f"""(
    SELECT listed.*, (
        SELECT coalesce(-sum(change), 0) FROM wallet_transaction WHERE round_id = listed.id AND ctime < %(until)s
    ) AS held
    FROM (
        SELECT * FROM game_round WHERE how_ended = '' AND started_at < %(until)s
        UNION ALL
        SELECT * FROM game_round WHERE {OPEN_AT.format(at="%(until)s")}
    ) AS listed
)"""  # noqa: S608 - only constant text
"""A table for the statements of reports, with the columns of rounds. `held` is the stakes until then."""
