-- What apps/tables/session_store.py reads and writes; arrays and places are as in 0002_store.sql.

-- Gives a session to a socket that has sent its token; the socket that held it before is refused from then on. An item
-- has the token's hash, of a reconnection the session's id, the message's id, the ids of socket and server process, how
-- many sequence numbers it wants, and after how many milliseconds without a socket or a message a session is over. The
-- outcome is `held`, `invalid`, `expired`, or `used`, where the session has used the message's id.
CREATE FUNCTION table_sessions_hold(items json) RETURNS TABLE (
    place bigint, outcome text, id bigint, player_id bigint, session_id uuid, public_id uuid, partner_id bigint,
    currency varchar, decimals smallint, allowed_games varchar[], max_stake numeric, expires_ms bigint, now_ms bigint,
    sequence bigint, changes bigint, was_dropped boolean
)
LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
    item record;
    held record;
    moment timestamptz := clock_timestamp();
BEGIN
    FOR item IN
        SELECT * FROM ROWS FROM (json_to_recordset(items) AS (
                token_hash text, session uuid, message uuid, socket text, server uuid, block bigint, drop_ms bigint,
                idle_ms bigint))
            WITH ORDINALITY AS item (token_hash, session, message, socket, server, block, drop_ms, idle_ms, place)
    LOOP
        place := item.place;
        SELECT table_session.*, game_session.ended_at AS revoked_at INTO held
          FROM table_session LEFT JOIN game_session ON game_session.id = table_session.game_session_id
         WHERE table_session.token_hash = item.token_hash FOR NO KEY UPDATE OF table_session;
        IF NOT FOUND OR held.session_id <> item.session THEN
            outcome := 'invalid';
        ELSIF held.ended_at IS NOT NULL OR held.revoked_at IS NOT NULL OR held.expires_at <= moment
              OR held.dropped_at <= moment - item.drop_ms * interval '1 millisecond'
              OR held.socket <> '' AND held.active_at <= moment - item.idle_ms * interval '1 millisecond' THEN
            outcome := 'expired';
        ELSE
            INSERT INTO table_message (session_id, message_id) VALUES (held.id, item.message) ON CONFLICT DO NOTHING;
            outcome := CASE WHEN FOUND THEN 'held' ELSE 'used' END;
        END IF;
        IF outcome = 'held' THEN
            -- Whoever looks for processes that are gone finds this one, even if it goes before it has said that it lives.
            INSERT INTO table_server (id, seen_at) VALUES (item.server, moment) ON CONFLICT DO NOTHING;
            UPDATE table_session
               SET socket = item.socket, server_id = item.server, dropped_at = NULL, active_at = moment,
                   sequence = table_session.sequence + item.block
             WHERE table_session.id = held.id;
        END IF;
        RETURN QUERY
        SELECT item.place, outcome, held.id, held.player_id, held.session_id, who.public_id, held.partner_id,
               held.currency_id, currency.decimals, held.allowed_games, held.max_stake,
               (extract(epoch FROM held.expires_at) * 1000)::bigint, (extract(epoch FROM moment) * 1000)::bigint,
               held.sequence, held.changes, held.dropped_at IS NOT NULL
          FROM (SELECT) AS one
          LEFT JOIN table_player AS who ON who.player_id = held.player_id
          LEFT JOIN currency ON currency.code = held.currency_id;
    END LOOP;
END $$;

-- Notes the ids of messages that sessions have used. An item has the ids of session, socket and message.
CREATE FUNCTION table_messages_take(items json) RETURNS TABLE (
    place bigint, is_live boolean, is_held boolean, is_new boolean
)
LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
    item record;
BEGIN
    FOR item IN
        SELECT * FROM ROWS FROM (json_to_recordset(items) AS (session bigint, socket text, message uuid))
            WITH ORDINALITY AS item (session, socket, message, place)
    LOOP
        place := item.place;
        SELECT ended_at IS NULL AND expires_at > clock_timestamp(), table_session.socket = item.socket
          INTO is_live, is_held FROM table_session WHERE id = item.session;
        INSERT INTO table_message (session_id, message_id) VALUES (item.session, item.message) ON CONFLICT DO NOTHING;
        is_new := FOUND;
        RETURN NEXT;
    END LOOP;
END $$;

-- Reads what sessions' players hold, and what of it lies in open rounds. An item has the id of a session.
CREATE FUNCTION table_balances_load(items json) RETURNS TABLE (place bigint, available numeric, locked numeric)
LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT item.place, coalesce(wallet.balance, 0),
           (SELECT coalesce(sum(stake), 0) FROM game_round
             WHERE player_id = session.player_id AND how_ended = '' AND currency_id = session.currency_id)
      FROM (SELECT * FROM ROWS FROM (json_to_recordset(items) AS (session bigint))
            WITH ORDINALITY AS item (session, place) LIMIT 8) AS item
      JOIN table_session AS session ON session.id = item.session
      LEFT JOIN wallet ON wallet.player_id = session.player_id AND wallet.currency_id = session.currency_id;
END $$;
