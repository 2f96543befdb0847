-- `blackjack_actions_save` (0004_store.sql) has taken its place.
DROP FUNCTION blackjack_play_save(uuid, integer, bigint, bigint, bigint, text, bigint, numeric, bigint, bigint, bigint,
    bigint, text, text, text, text, text, text, numeric, numeric, text, text, bytea, bytea);

-- Reads what sessions' players hold. An item has the ids of session and socket, and a currency's code.
-- VOLATILE, and not now(): a session may end while the statement waits for a lock.
CREATE FUNCTION blackjack_balances_load(items json)
RETURNS TABLE (place bigint, is_session_live boolean, is_taken_over boolean, balance numeric)
LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT item.place, session.ended_at IS NULL AND session.expires_at > clock_timestamp(),
           session.connection <> item.socket, wallet.balance
      FROM (SELECT * FROM ROWS FROM (json_to_recordset(items) AS (session_id bigint, socket text, currency text))
            WITH ORDINALITY AS item (session_id, socket, currency, place) LIMIT 8) AS item
      JOIN game_session AS session ON session.id = item.session_id
      LEFT JOIN wallet ON wallet.player_id = session.player_id AND wallet.currency_id = item.currency;
END $$;
