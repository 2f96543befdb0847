DROP FUNCTION baccarat_rounds_settle(json);
DROP FUNCTION baccarat_bet_contexts_load(json);
