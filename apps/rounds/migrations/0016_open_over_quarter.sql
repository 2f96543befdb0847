-- The rounds that were open when a quarter of an hour ended. Every day of every time zone ends so, and hardly any round
-- is open then. `apps/reports/open_rounds.py` has the same condition.
CREATE INDEX CONCURRENTLY game_round_over_quarter ON game_round USING gist (tstzrange(started_at, ended_at, '(]'))
    WHERE date_bin('15 min', ended_at, 'epoch') > date_bin('15 min', started_at, 'epoch');
