-- Several actions at one table are one change. A LIMIT by the length of an array omits nothing: it tells the planner that
-- there are few items. Without `force_generic_plan` PostgreSQL would plan these statements anew for every length, which
-- takes longer than to execute them. A change that
-- was worked out from memory is written if everything that the server remembered still holds. Otherwise as in
-- 0002_store.sql.

-- They are written with every change: in the row itself, and not as chunks in a second table.
ALTER TABLE game_table ALTER COLUMN state SET STORAGE MAIN;
ALTER TABLE table_event ALTER COLUMN events SET STORAGE MAIN;

DROP FUNCTION tables_load(json);

-- Reads the context of a change of a table, all of one moment. An item has the table's id, the versions of state and
-- configuration that the server knows, and for each message the ids of session, socket and message. `callers` has the
-- same order: whether the session is live, whether the socket holds it, whether the message's id was used. VOLATILE,
-- because clock and snapshot are those of the moment.
CREATE FUNCTION tables_load(items json) RETURNS TABLE (
    place bigint, now_ms bigint, version bigint, state text, config_version bigint, config json, seats json,
    callers json
)
LANGUAGE plpgsql VOLATILE SET plan_cache_mode = force_generic_plan AS $$
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
           (SELECT json_agg(json_build_array(
                       coalesce(session.ended_at IS NULL AND session.expires_at > clock_timestamp(), false),
                       coalesce(session.socket = caller.socket, false),
                       EXISTS (SELECT FROM table_message
                                WHERE table_message.session_id = caller.session
                                  AND table_message.message_id = caller.message)) ORDER BY caller.place)
              FROM (SELECT * FROM ROWS FROM (json_to_recordset(item.callers) AS (
                        session bigint, socket text, message uuid))
                    WITH ORDINALITY AS caller (session, socket, message, place) LIMIT 8) AS caller
              LEFT JOIN table_session AS session ON session.id = caller.session)
      FROM (SELECT * FROM ROWS FROM (json_to_recordset(items) AS (
                "table" uuid, version bigint, config_version bigint, callers json))
            WITH ORDINALITY AS item ("table", version, config_version, callers, place)
            LIMIT 8) AS item
      JOIN game_table ON game_table.id = item."table"
      LEFT JOIN currency ON currency.code = game_table.currency_id;
END $$;

DROP FUNCTION table_stake_save(jsonb, uuid, bigint);

-- Writes the movements of money in a change, and the rounds of the seats: each begins with its seat's first stake. The
-- wallets are locked by now.
CREATE FUNCTION table_stakes_save(stakes jsonb, change_table uuid, change_version bigint) RETURNS void
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    WITH staked AS (
        SELECT *
          FROM jsonb_to_recordset(stakes) AS staked (
               round uuid, table_round uuid, player bigint, wallet bigint, seat smallint, game text, stake numeric,
               payout numeric, moves jsonb)
         LIMIT jsonb_array_length(stakes)
    ), moved AS (
        INSERT INTO wallet_transaction (wallet_id, kind, change, round_id, source_key, reason)
        SELECT staked.wallet, move.kind, move.change, staked.round,
               staked.round || ':' || change_version || ':' || move.kind, ''
          FROM staked, ROWS FROM (jsonb_to_recordset(staked.moves) AS (kind text, change numeric))
               WITH ORDINALITY AS move (kind, change, place)
         ORDER BY staked.wallet, move.place
        RETURNING round_id, change, number, balance_after
    ), standing AS (
        SELECT staked.*, total.change, total.balance_after
          FROM staked
          JOIN (SELECT round_id, sum(change) AS change,
                       (array_agg(balance_after ORDER BY number DESC))[1] AS balance_after
                  FROM moved GROUP BY round_id) AS total ON total.round_id = staked.round
    ), continued AS (
        UPDATE game_round
           SET stake = game_round.stake + standing.stake, payout = game_round.payout + standing.payout,
               balance_after = standing.balance_after
          FROM standing WHERE game_round.id = standing.round
        RETURNING game_round.id
    )
    INSERT INTO game_round (id, partner_id, player_id, currency_id, game, how_ended, seed_pair_id, table_round, seat,
        nonce, config_version, terms, detail, stake, payout, balance_before, balance_after)
    SELECT standing.round, game_table.partner_id, standing.player, game_table.currency_id, standing.game, '', NULL,
           played.id, standing.seat, played.nonce, played.config_version, played.terms, '{}', standing.stake,
           standing.payout, standing.balance_after - standing.change, standing.balance_after
      FROM standing
      JOIN game_table ON game_table.id = change_table
      JOIN table_round AS played ON played.id = standing.table_round
     WHERE standing.round NOT IN (SELECT id FROM continued);
END $$;

-- Says whether the wallets of seats are as the server remembers them: an item has a wallet's id, its balance, and
-- whether player, partner and wallet are active.
CREATE FUNCTION table_wallets_hold(wallets jsonb) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    RETURN jsonb_array_length(wallets) = (
        SELECT count(*)
          FROM (SELECT *
                  FROM jsonb_to_recordset(wallets) AS item (wallet bigint, balance numeric, may_stake boolean)
                 LIMIT jsonb_array_length(wallets)) AS remembered
          JOIN wallet ON wallet.id = remembered.wallet AND wallet.balance = remembered.balance
          JOIN player ON player.id = wallet.player_id
          JOIN partner ON partner.id = player.partner_id
         WHERE (player.status = 'active' AND partner.active AND wallet.status = 'active') = remembered.may_stake);
END $$;

DROP FUNCTION tables_save(jsonb);

-- Writes changes of tables that were worked out before: each as a whole, or not at all. All of the array are one
-- transaction. A change is not `saved` if the table or its configuration has another version than the one that the
-- change began with, or is being changed. A change that was worked out from memory (`wallets`) is also not saved if a
-- deadline has passed since, or a wallet has changed. `now_ms` is PostgreSQL's time.
-- Raises serialization_failure if a message's id was used before, or its socket does not hold a live session any more:
-- then nothing is written.
-- Locks, in the product's order: the tables, without waiting; the wallets of all items, by ascending id; the rounds.
-- It runs with the caller's rights.
CREATE FUNCTION tables_save(items jsonb) RETURNS TABLE (place integer, saved boolean, now_ms bigint)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
    act jsonb;
    act_table uuid;
    act_version bigint;
    taken bigint;
    outcomes boolean[] := '{}';
    moves_money boolean := false;
BEGIN
    FOR act_place IN 1 .. jsonb_array_length(items) LOOP
        act := items -> act_place - 1;
        act_table := act ->> 'table';
        act_version := act ->> 'version';
        saved := NOT act ? 'wallets' OR act -> 'wallets' = '[]' OR table_wallets_hold(act -> 'wallets');
        IF saved THEN
            UPDATE game_table
               SET version = act_version, state = act -> 'state', is_open = (act ->> 'is_open')::boolean,
                   deadline = to_timestamp((act ->> 'deadline')::numeric / 1000)
             WHERE id = (SELECT id FROM game_table
                          WHERE id = act_table AND version = act_version - 1
                            AND config_version = (act ->> 'config_version')::bigint
                            AND (deadline IS NULL OR NOT act ? 'wallets' OR deadline > clock_timestamp())
                            FOR NO KEY UPDATE SKIP LOCKED);
            saved := FOUND;
        END IF;
        outcomes := outcomes || saved;
        IF saved AND act ? 'callers' THEN
            INSERT INTO table_message (session_id, message_id)
            SELECT session.id, caller.message
              FROM (SELECT *
                      FROM jsonb_to_recordset(act -> 'callers') AS item (session bigint, socket text, message uuid)
                     LIMIT jsonb_array_length(act -> 'callers')) AS caller
              JOIN table_session AS session ON session.id = caller.session AND session.socket = caller.socket
             WHERE session.ended_at IS NULL AND session.expires_at > clock_timestamp()
                ON CONFLICT DO NOTHING;
            GET DIAGNOSTICS taken = ROW_COUNT;
            IF taken < jsonb_array_length(act -> 'callers') THEN
                RAISE EXCEPTION 'a message of table % was used before, or its session is over', act_table
                    USING ERRCODE = 'serialization_failure';
            END IF;
        END IF;
        moves_money := moves_money OR saved AND act ? 'stakes';
    END LOOP;

    IF moves_money THEN
        PERFORM FROM wallet WHERE id IN (
            SELECT (staked ->> 'wallet')::bigint
              FROM jsonb_array_elements(items) WITH ORDINALITY AS item (act, place),
                   jsonb_array_elements(item.act -> 'stakes') AS staked
             WHERE outcomes[item.place] AND item.act ? 'stakes'
        ) ORDER BY id FOR NO KEY UPDATE;
    END IF;

    now_ms := extract(epoch FROM clock_timestamp()) * 1000;
    FOR act_place IN 1 .. jsonb_array_length(items) LOOP
        place := act_place;
        saved := outcomes[act_place];
        IF saved THEN
            act := items -> act_place - 1;
            act_table := act ->> 'table';
            act_version := act ->> 'version';
            PERFORM table_records_save(act, act_table, act_version);
            IF act ? 'stakes' THEN
                PERFORM table_stakes_save(act -> 'stakes', act_table, act_version);
            END IF;
            IF act ? 'closed' THEN
                PERFORM table_rounds_end(act -> 'closed', act -> 'void');
            END IF;
        END IF;
        RETURN NEXT;
    END LOOP;
END $$;
