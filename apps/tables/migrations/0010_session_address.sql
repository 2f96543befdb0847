-- The history takes the new column in: of a player's address it has a hash alone.
CREATE OR REPLACE TRIGGER table_session_history AFTER INSERT OR DELETE OR UPDATE OF
    id, session_id, token_hash, player_id, partner_id, currency_id, game_session_id, allowed_games, max_stake,
    expires_at, ended_at, ctime, address
ON table_session FOR EACH ROW
EXECUTE FUNCTION row_change_record('id', 'active_at,socket,server_id,dropped_at,sequence,changes', 'token_hash,address');
