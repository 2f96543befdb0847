DROP FUNCTION {game}_rounds_settle(json);
DROP FUNCTION {game}_bet_contexts_load(json);
