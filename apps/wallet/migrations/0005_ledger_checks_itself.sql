-- The guard of an update has nothing to say where the ledger itself moves a wallet: then it is not called.
DROP TRIGGER wallet_guard ON wallet;
CREATE TRIGGER wallet_guard_insert BEFORE INSERT ON wallet FOR EACH ROW EXECUTE FUNCTION wallet_guard();
CREATE TRIGGER wallet_guard_update BEFORE UPDATE ON wallet FOR EACH ROW
    WHEN (pg_trigger_depth() < 1 OR NEW.player_id <> OLD.player_id OR NEW.currency_id <> OLD.currency_id
        OR NEW.house_account_id <> OLD.house_account_id)
    EXECUTE FUNCTION wallet_guard();
