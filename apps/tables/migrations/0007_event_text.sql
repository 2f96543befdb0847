-- The events of a change are written as the text that they are sent as, and a seat's round is written once when it ends.
-- Otherwise as in 0005_batches.sql and 0006_movement_order.sql.

ALTER TABLE table_event ALTER COLUMN events SET STORAGE MAIN;

DROP FUNCTION table_stakes_save(jsonb, uuid, bigint);

-- Writes the movements of money in a change, and the rounds of the seats: each begins with its seat's first stake, and ends
-- here if `closed` has its table's round. The wallets are locked by now. The movements are booked in the order of the
-- array: a payout before the next round's stake.
CREATE OR REPLACE FUNCTION table_stakes_save(stakes jsonb, change_table uuid, change_version bigint, closed jsonb) RETURNS void
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    WITH staked AS (
        SELECT *
          FROM ROWS FROM (jsonb_to_recordset(stakes) AS (
                   round uuid, table_round uuid, player bigint, wallet bigint, seat smallint, game text, stake numeric,
                   payout numeric, moves jsonb))
               WITH ORDINALITY AS staked (
                   round, table_round, player, wallet, seat, game, stake, payout, moves, place)
         LIMIT jsonb_array_length(stakes)
    ), moved AS (
        INSERT INTO wallet_transaction (wallet_id, kind, change, round_id, source_key, reason)
        SELECT staked.wallet, move.kind, move.change, staked.round,
               staked.round || ':' || change_version || ':' || move.kind, ''
          FROM staked, ROWS FROM (jsonb_to_recordset(staked.moves) AS (kind text, change numeric))
               WITH ORDINALITY AS move (kind, change, place)
         ORDER BY staked.place, move.place
        RETURNING round_id, change, number, balance_after
    ), standing AS (
        SELECT staked.*, total.change, total.balance_after
          FROM staked
          JOIN (SELECT round_id, sum(change) AS change,
                       (array_agg(balance_after ORDER BY number DESC))[1] AS balance_after
                  FROM moved GROUP BY round_id) AS total ON total.round_id = staked.round
    ), ended AS (
        SELECT (played ->> 'id')::uuid AS id, played -> 'seats' AS seats FROM jsonb_array_elements(closed) AS played
    ), continued AS (
        UPDATE game_round
           SET stake = game_round.stake + standing.stake, payout = game_round.payout + standing.payout,
               balance_after = standing.balance_after,
               how_ended = CASE WHEN ended.id IS NULL THEN game_round.how_ended
                   WHEN game_round.stake + standing.stake = 0 THEN 'withdrawn' ELSE 'played' END,
               ended_at = CASE WHEN ended.id IS NULL THEN game_round.ended_at ELSE now() END,
               detail = CASE WHEN ended.id IS NULL THEN game_round.detail
                   WHEN game_round.stake + standing.stake = 0 THEN '{}'
                   ELSE coalesce(ended.seats -> game_round.player_id::text, '{}') END
          FROM standing LEFT JOIN ended ON ended.id = standing.table_round
         WHERE game_round.id = standing.round
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

-- Writes what a change brings about, but for the table's row and its money. The events are a text in the JSON: to parse
-- them would take longer than to write all the rest.
CREATE OR REPLACE FUNCTION table_records_save(act jsonb, change_table uuid, change_version bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF act ? 'chains' THEN
        INSERT INTO table_chain (id, table_id, commitment, sealed_seed, length, first_round)
        SELECT chain.id, change_table, chain.commitment, decode(chain.sealed_seed, 'base64'), chain.length,
               chain.first_round
          FROM jsonb_to_recordset(act -> 'chains') AS chain
              (id uuid, commitment text, sealed_seed text, length integer, first_round bigint);
    END IF;
    IF act ? 'rounds' THEN
        INSERT INTO table_round (id, table_id, number, chain_id, seed_hash, seed, nonce, contributions, client_seed,
            shoe, config_version, terms, ending, detail)
        SELECT opened.id, change_table, opened.number, opened.chain, opened.seed_hash, '', opened.number,
               opened.contributions, opened.client_seed, opened.shoe, opened.config_version, opened.terms, '', '{}'
          FROM jsonb_to_recordset(act -> 'rounds') AS opened
              (id uuid, number bigint, chain uuid, seed_hash text, contributions jsonb, client_seed text,
               shoe smallint[], config_version bigint, terms jsonb);
    END IF;
    IF act ? 'freed' THEN
        WITH gone AS (
            DELETE FROM table_seat WHERE table_id = change_table
                AND seat IN (SELECT value::smallint FROM jsonb_array_elements_text(act -> 'freed'))
            RETURNING session_id
        )
        UPDATE table_session SET changes = changes + 1 WHERE id IN (SELECT session_id FROM gone);
    END IF;
    IF act ? 'seats' THEN
        INSERT INTO table_seat (table_id, seat, player_id, wallet_id, session_id)
        SELECT change_table, taken.seat, taken.player_id, taken.wallet_id, taken.session_id
          FROM jsonb_to_recordset(act -> 'seats') AS taken
              (seat smallint, player_id bigint, wallet_id bigint, session_id bigint)
            ON CONFLICT (table_id, seat) DO UPDATE SET session_id = EXCLUDED.session_id;
    END IF;
    IF act ? 'actions' THEN
        INSERT INTO table_action (round_id, number, seat, player_id, action, amount, is_timeout)
        SELECT taken.round, row_number() OVER (PARTITION BY taken.round ORDER BY taken.place) + coalesce(
                   (SELECT max(number) FROM table_action WHERE round_id = taken.round), 0),
               taken.seat, taken.player, taken.action, taken.amount, taken.is_timeout
          FROM ROWS FROM (jsonb_to_recordset(act -> 'actions') AS
                   (round uuid, seat smallint, player bigint, action jsonb, amount numeric, is_timeout boolean))
               WITH ORDINALITY AS taken (round, seat, player, action, amount, is_timeout, place);
    END IF;
    IF act ? 'events' THEN
        INSERT INTO table_event (table_id, version, round_number, events)
        VALUES (change_table, change_version, (act ->> 'round_number')::bigint, act ->> 'events');
    END IF;
    IF act ? 'rounds' THEN
        -- Whoever reconnects is told what is left: the last 200 changes, the last finished round and the running one.
        DELETE FROM table_event
         WHERE table_id = change_table AND version <= change_version - 200
           AND round_number < (act ->> 'round_number')::bigint - 1;
    END IF;
END $$;

-- Writes rounds that have ended, with what became of every seat that `table_stakes_save` has not ended.
CREATE OR REPLACE FUNCTION table_rounds_end(closed jsonb, void jsonb) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    played jsonb;
BEGIN
    FOR played IN SELECT * FROM jsonb_array_elements(closed) LOOP
        IF void IS NOT NULL THEN
            INSERT INTO round_void (round_id, by, reason)
            SELECT id, void ->> 'by', void ->> 'reason' FROM game_round
             WHERE table_round = (played ->> 'id')::uuid AND stake > 0;
        END IF;
        UPDATE game_round
           SET how_ended = CASE WHEN stake = 0 THEN 'withdrawn' WHEN void IS NULL THEN 'played' ELSE 'voided' END,
               ended_at = now(),
               detail = CASE WHEN void IS NULL AND stake > 0
                   THEN coalesce(played -> 'seats' -> player_id::text, '{}') ELSE '{}' END
         WHERE table_round = (played ->> 'id')::uuid AND how_ended = '';
        UPDATE table_round
           SET seed = played ->> 'seed', ending = played ->> 'ending', ended_at = now(), detail = played -> 'detail'
         WHERE id = (played ->> 'id')::uuid;
    END LOOP;
END $$;

-- Writes changes of tables that were worked out before: each as a whole, or not at all. All of the array are one
-- transaction. A change is not `saved` if the table or its configuration has another version than the one that the
-- change began with, or is being changed. A change that was worked out from memory (`wallets`) is also not saved if a
-- deadline has passed since, or a wallet has changed. `now_ms` is PostgreSQL's time.
-- Raises serialization_failure if a message's id was used before, or its socket does not hold a live session any more:
-- then nothing is written.
-- Locks, in the product's order: the tables, without waiting; the wallets of all items, by ascending id; the rounds.
-- It runs with the caller's rights.
CREATE OR REPLACE FUNCTION tables_save(items jsonb) RETURNS TABLE (place integer, saved boolean, now_ms bigint)
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
                PERFORM table_stakes_save(act -> 'stakes', act_table, act_version,
                    CASE WHEN act ? 'closed' AND NOT act ? 'void' THEN act -> 'closed' ELSE '[]' END);
            END IF;
            IF act ? 'closed' THEN
                PERFORM table_rounds_end(act -> 'closed', act -> 'void');
            END IF;
        END IF;
        RETURN NEXT;
    END LOOP;
END $$;
