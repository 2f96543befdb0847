-- The rounds that were open when a quarter of an hour ended. Every day of every time zone ends so, and hardly any round
-- is open then. `apps/rounds/open_at.py` has the same condition. The clock may be set back during a round, so that it
-- ends before its start; PostgreSQL refuses to make a range of these two, and would refuse the report.
CREATE INDEX CONCURRENTLY game_round_open_at ON game_round
    USING gist (tstzrange(least(started_at, ended_at), ended_at, '(]'))
    WHERE date_bin('15 min', ended_at, 'epoch') > date_bin('15 min', started_at, 'epoch');
