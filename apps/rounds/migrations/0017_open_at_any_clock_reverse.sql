DROP INDEX CONCURRENTLY game_round_open_at;
