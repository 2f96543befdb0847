DROP TRIGGER open_round_keeps_seed ON seed_pair;
DROP FUNCTION open_round_keeps_seed();
DROP TRIGGER round_stays ON game_round;
DROP TRIGGER round_keeps_terms ON game_round;
DROP TRIGGER round_guard ON game_round;
DROP FUNCTION round_guard();
