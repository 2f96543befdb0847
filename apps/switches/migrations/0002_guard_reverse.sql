DROP TRIGGER switch_stays ON switch;
DROP TRIGGER round_switch ON game_round;
DROP FUNCTION round_switch();
