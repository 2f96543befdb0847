DROP FUNCTION tables_save(jsonb);
DROP FUNCTION table_wallets_hold(jsonb);
DROP FUNCTION table_stakes_save(jsonb, uuid, bigint);
DROP FUNCTION tables_load(json);
ALTER TABLE table_event ALTER COLUMN events SET STORAGE EXTENDED;
ALTER TABLE game_table ALTER COLUMN state SET STORAGE EXTENDED;

-- Reads what a change of a table is worked out from, all of one moment. An item has the table's id, and of what the
-- server knows already the version of the state and that of the configuration; for a message also the ids of session,
-- socket and message. VOLATILE, for the clock and the snapshot are those of the moment.
CREATE FUNCTION tables_load(items json) RETURNS TABLE (
    place bigint, now_ms bigint, version bigint, state text, config_version bigint, config json, seats json,
    is_live boolean, is_held boolean, is_used boolean
)
LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT item.place, (extract(epoch FROM clock_timestamp()) * 1000)::bigint,
           game_table.version, CASE WHEN game_table.version <> item.version THEN game_table.state::text END,
           game_table.config_version,
           CASE WHEN game_table.config_version <> item.config_version THEN json_build_object(
               'partner_id', game_table.partner_id, 'game_type', game_table.game_type,
               'currency', game_table.currency_id, 'decimals', currency.decimals,
               'is_play', coalesce(currency.is_play, true), 'name', game_table.name, 'seats', game_table.seats,
               'rules', game_table.rules, 'limits', game_table.limits, 'odds', game_table.odds,
               'cut_card', game_table.cut_card, 'window_ms', game_table.window_ms, 'turn_ms', game_table.turn_ms,
               'pause_ms', game_table.pause_ms) END,
           (SELECT json_agg(json_build_object(
               'seat', seat.seat, 'player', seat.player_id, 'session', seat.session_id, 'wallet', seat.wallet_id,
               'balance', wallet.balance::text, 'max_stake', session.max_stake::text,
               'has_socket', session.socket <> '',
               'may_stake', player.status = 'active' AND partner.active AND coalesce(wallet.status = 'active', true)))
              FROM table_seat AS seat
              JOIN player ON player.id = seat.player_id
              JOIN partner ON partner.id = player.partner_id
              JOIN table_session AS session ON session.id = seat.session_id
              LEFT JOIN wallet ON wallet.id = seat.wallet_id
             WHERE seat.table_id = game_table.id),
           caller.ended_at IS NULL AND caller.expires_at > clock_timestamp(), caller.socket = item.socket,
           EXISTS (SELECT FROM table_message
                    WHERE table_message.session_id = item.session AND table_message.message_id = item.message)
      FROM (SELECT * FROM ROWS FROM (json_to_recordset(items) AS (
                "table" uuid, version bigint, config_version bigint, session bigint, socket text, message uuid))
            WITH ORDINALITY AS item ("table", version, config_version, session, socket, message, place)
            LIMIT 8) AS item
      JOIN game_table ON game_table.id = item."table"
      LEFT JOIN currency ON currency.code = game_table.currency_id
      LEFT JOIN table_session AS caller ON caller.id = item.session;
END $$;

-- Writes one seat's movements of money in a change, and its round: begun with its first stake.
CREATE FUNCTION table_stake_save(stake jsonb, change_table uuid, change_version bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    stake_round uuid := stake ->> 'round';
    move jsonb;
    balance numeric;
    change numeric;
    moved numeric := 0;
BEGIN
    FOR move IN SELECT * FROM jsonb_array_elements(stake -> 'moves') LOOP
        change := move ->> 'change';
        INSERT INTO wallet_transaction (wallet_id, kind, change, round_id, source_key, reason)
        VALUES ((stake ->> 'wallet')::bigint, move ->> 'kind', change, stake_round,
            stake_round || ':' || change_version || ':' || (move ->> 'kind'), coalesce(stake ->> 'reason', ''))
        RETURNING balance_after INTO balance;
        moved := moved + change;
    END LOOP;
    UPDATE game_round
       SET stake = game_round.stake + (table_stake_save.stake ->> 'stake')::numeric,
           payout = payout + (table_stake_save.stake ->> 'payout')::numeric, balance_after = balance
     WHERE id = stake_round;
    IF NOT FOUND THEN
        INSERT INTO game_round (id, partner_id, player_id, currency_id, game, how_ended, seed_pair_id, table_round, seat,
            nonce, config_version, terms, detail, stake, payout, balance_before, balance_after)
        SELECT stake_round, game_table.partner_id, (table_stake_save.stake ->> 'player')::bigint,
               game_table.currency_id, table_stake_save.stake ->> 'game', '', NULL, played.id,
               (table_stake_save.stake ->> 'seat')::smallint, played.nonce, played.config_version, played.terms, '{}',
               (table_stake_save.stake ->> 'stake')::numeric, (table_stake_save.stake ->> 'payout')::numeric,
               balance - moved, balance
          FROM game_table, table_round AS played
         WHERE game_table.id = change_table AND played.id = (table_stake_save.stake ->> 'table_round')::uuid;
    END IF;
END $$;

-- Writes changes of tables that were read and worked out before: each as a whole, or not at all. All of the array are
-- one transaction. The outcome of a change is `saved`, `used` (the session has used the message's id) or `stale` (the
-- table is not at the version that was read any more, or is being changed).
-- Locks, in the product's order: the tables, without waiting; the wallets of all items, by ascending id; the rounds.
-- It runs with the caller's rights.
CREATE FUNCTION tables_save(items jsonb) RETURNS TABLE (place integer, outcome text)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    act jsonb;
    act_table uuid;
    act_version bigint;
    stake jsonb;
    outcomes text[] := '{}';
BEGIN
    FOR act_place IN 1 .. jsonb_array_length(items) LOOP
        act := items -> act_place - 1;
        act_table := act ->> 'table';
        PERFORM FROM game_table WHERE id = act_table AND version = (act ->> 'version')::bigint - 1
            FOR NO KEY UPDATE SKIP LOCKED;
        IF NOT FOUND THEN
            outcomes := outcomes || 'stale'::text;
            CONTINUE;
        END IF;
        IF act ? 'message' THEN
            INSERT INTO table_message (session_id, message_id)
            VALUES ((act ->> 'session')::bigint, (act ->> 'message')::uuid) ON CONFLICT DO NOTHING;
            IF NOT FOUND THEN
                outcomes := outcomes || 'used'::text;
                CONTINUE;
            END IF;
        END IF;
        UPDATE game_table
           SET version = (act ->> 'version')::bigint, state = act -> 'state', is_open = (act ->> 'is_open')::boolean,
               deadline = to_timestamp((act ->> 'deadline')::numeric / 1000)
         WHERE id = act_table;
        outcomes := outcomes || 'saved'::text;
    END LOOP;

    PERFORM FROM wallet WHERE id IN (
        SELECT (taken ->> 'wallet')::bigint
          FROM jsonb_array_elements(items) WITH ORDINALITY AS item (act, place),
               jsonb_array_elements(item.act -> 'stakes') AS taken
         WHERE outcomes[item.place] = 'saved' AND item.act ? 'stakes'
    ) ORDER BY id FOR NO KEY UPDATE;

    FOR act_place IN 1 .. jsonb_array_length(items) LOOP
        place := act_place;
        outcome := outcomes[act_place];
        IF outcome = 'saved' THEN
            act := items -> act_place - 1;
            act_table := act ->> 'table';
            act_version := act ->> 'version';
            PERFORM table_records_save(act, act_table, act_version);
            IF act ? 'stakes' THEN
                FOR stake IN SELECT * FROM jsonb_array_elements(act -> 'stakes') LOOP
                    PERFORM table_stake_save(stake, act_table, act_version);
                END LOOP;
            END IF;
            IF act ? 'closed' THEN
                PERFORM table_rounds_end(act -> 'closed', act -> 'void');
            END IF;
        END IF;
        RETURN NEXT;
    END LOOP;
END $$;
