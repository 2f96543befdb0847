DROP TRIGGER seed_pair_stays ON seed_pair;
DROP TRIGGER seed_pair_counts_up ON seed_pair;
DROP TRIGGER seed_pair_guard ON seed_pair;
DROP FUNCTION seed_pair_counts_up();
DROP FUNCTION seed_pair_guard();
ALTER TABLE seed_pair RESET (fillfactor);
