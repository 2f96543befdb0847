-- Writes what a change brings about, but for the table's row and its money. A change may have actions of two rounds: one
-- that closes a window, opens the next without a pause, and takes a stake there. Each round counts its own from 1.
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
        VALUES (change_table, change_version, (act ->> 'round_number')::bigint, act -> 'events');
    END IF;
    IF act ? 'rounds' THEN
        -- Whoever reconnects is told what is left: the last 200 changes, the last finished round and the running one.
        DELETE FROM table_event
         WHERE table_id = change_table AND version <= change_version - 200
           AND round_number < (act ->> 'round_number')::bigint - 1;
    END IF;
END $$;
