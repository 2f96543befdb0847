DROP TRIGGER round_stays ON game_round;
DROP TRIGGER round_guard ON game_round;
DROP FUNCTION round_guard();
