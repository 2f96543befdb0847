-- The history takes the new columns in: of the code and the cashier's address it has a hash alone.
CREATE OR REPLACE TRIGGER game_session_history AFTER INSERT OR DELETE OR UPDATE OF
    id, token_hash, player_id, partner_id, game, currency_id, return_url, expires_at, ended_at, ctime,
    cashier_url, language, code_hash, code_expires_at, code_spent_at
ON game_session FOR EACH ROW
EXECUTE FUNCTION row_change_record('id', 'connection', 'token_hash,return_url,cashier_url,code_hash');

-- A spent code stays spent.
CREATE FUNCTION game_session_code_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.code_spent_at IS NOT NULL
       AND (NEW.code_hash, NEW.code_expires_at, NEW.code_spent_at)
           IS DISTINCT FROM (OLD.code_hash, OLD.code_expires_at, OLD.code_spent_at) THEN
        RAISE EXCEPTION 'the code of session % is spent', OLD.id USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER game_session_code_guard BEFORE UPDATE OF code_hash, code_expires_at, code_spent_at ON game_session
FOR EACH ROW EXECUTE FUNCTION game_session_code_guard();
