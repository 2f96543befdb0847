DROP TRIGGER wallet_guard_update ON wallet;
DROP TRIGGER wallet_guard_insert ON wallet;
CREATE TRIGGER wallet_guard BEFORE INSERT OR UPDATE ON wallet FOR EACH ROW EXECUTE FUNCTION wallet_guard();
