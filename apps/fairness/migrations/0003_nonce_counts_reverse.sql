DROP TRIGGER seed_pair_guard ON seed_pair;
CREATE TRIGGER seed_pair_guard BEFORE UPDATE ON seed_pair FOR EACH ROW EXECUTE FUNCTION seed_pair_guard();
