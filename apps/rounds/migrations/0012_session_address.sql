-- The history takes the new column in: of a player's address it has a hash alone.
CREATE OR REPLACE TRIGGER game_session_history AFTER INSERT OR DELETE OR UPDATE OF
    id, token_hash, player_id, partner_id, game, currency_id, return_url, expires_at, ended_at, ctime,
    cashier_url, language, code_hash, code_expires_at, code_spent_at, device, address
ON game_session FOR EACH ROW
EXECUTE FUNCTION row_change_record('id', 'connection', 'token_hash,return_url,cashier_url,code_hash,address');
