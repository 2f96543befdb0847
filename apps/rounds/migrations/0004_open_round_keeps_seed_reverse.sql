DROP TRIGGER open_round_keeps_seed ON seed_pair;
DROP FUNCTION open_round_keeps_seed();
