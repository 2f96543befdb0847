-- The functions of 0004_store.sql and 0007_solo_rounds.sql, with the pay table: a round keeps that of its
-- offer, and its own terms are then only what the pay table does not say.
ALTER TYPE blackjack_action_context ADD ATTRIBUTE paytable_id bigint;

CREATE OR REPLACE FUNCTION blackjack_bet_contexts_load(items json) RETURNS SETOF blackjack_action_context
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY
    SELECT item.place, session.ended_at IS NULL AND session.expires_at > now(), session.connection <> item.socket,
           coalesce(player.status = 'active' AND partner.active AND wallet.status = 'active', false),
           session.partner_id, session.player_id, session.currency_id, currency.decimals, wallet.id, wallet.balance,
           stored.body_hash, stored.answer,
           (SELECT id FROM game_round AS round
             WHERE round.player_id = session.player_id AND round.game = 'og-blackjack' AND round.how_ended = ''
               AND round.table_round IS NULL),
           NULL::integer, NULL::jsonb,
           CASE WHEN terms.id IS NOT NULL THEN jsonb_build_object(
               'rules', terms.rules, 'perfect_pairs_odds', terms.perfect_pairs_odds,
               'poker_odds', terms.poker_odds) END,
           terms.id, config.version,
           CASE WHEN terms.id IS NOT NULL THEN json_build_object(
               'bet_min', config.bet_min::text, 'bet_max', config.bet_max::text,
               'perfect_pairs_min', config.perfect_pairs_min::text,
               'perfect_pairs_max', config.perfect_pairs_max::text,
               'poker_min', config.poker_min::text, 'poker_max', config.poker_max::text) END,
           seed_pair.id, seed_pair.sealed_seed, seed_pair.commitment, seed_pair.client_seed, seed_pair.next_nonce,
           config.paytable_id
      FROM (SELECT * FROM ROWS FROM (json_to_recordset(items) AS (session_id bigint, socket text, key text))
            WITH ORDINALITY AS item (session_id, socket, key, place) LIMIT 8) AS item
      JOIN game_session AS session ON session.id = item.session_id
      JOIN player ON player.id = session.player_id
      JOIN partner ON partner.id = player.partner_id
      LEFT JOIN currency ON currency.code = session.currency_id
      LEFT JOIN wallet ON wallet.player_id = session.player_id AND wallet.currency_id = session.currency_id
      LEFT JOIN LATERAL (
          -- OFFSET keeps PostgreSQL from joining by the scope alone: one row, and not all the player was answered.
          SELECT body_hash, answer FROM stored_answer
           WHERE scope = 'play:' || session.player_id || ':og-blackjack' AND stored_answer.key = item.key OFFSET 0
      ) AS stored ON true
      LEFT JOIN seed_pair ON seed_pair.player_id = session.player_id AND seed_pair.status = 'active'
      LEFT JOIN blackjack_config AS config
        ON config.partner_id = player.partner_id AND config.currency_id = session.currency_id AND config.active
      LEFT JOIN blackjack_terms AS terms ON terms.config_id = config.id AND terms.status = 1;
END $$;

CREATE OR REPLACE FUNCTION blackjack_move_contexts_load(items json) RETURNS SETOF blackjack_action_context
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY
    SELECT item.place, session.ended_at IS NULL AND session.expires_at > now(), session.connection <> item.socket,
           NULL::boolean,
           session.partner_id, session.player_id, session.currency_id, currency.decimals, wallet.id, wallet.balance,
           stored.body_hash, stored.answer,
           round.id, play.action_count, play.state, coalesce(paytable.terms, '{}') || round.terms,
           play.terms_id, round.config_version, NULL::json,
           seed_pair.id, seed_pair.sealed_seed, seed_pair.commitment, seed_pair.client_seed, round.nonce,
           round.paytable_id
      FROM (SELECT * FROM ROWS FROM (json_to_recordset(items) AS (session_id bigint, socket text, key text))
            WITH ORDINALITY AS item (session_id, socket, key, place) LIMIT 8) AS item
      JOIN game_session AS session ON session.id = item.session_id
      LEFT JOIN LATERAL (
          -- LIMIT keeps PostgreSQL from reading all open rounds, of which it takes there to be none.
          SELECT * FROM game_round
           WHERE player_id = session.player_id AND game = 'og-blackjack' AND how_ended = '' AND table_round IS NULL
           LIMIT 1
      ) AS round ON true
      LEFT JOIN blackjack_round AS play ON play.round_id = round.id
      LEFT JOIN paytable ON paytable.id = round.paytable_id
      LEFT JOIN seed_pair ON seed_pair.id = round.seed_pair_id
      LEFT JOIN wallet
        ON wallet.player_id = session.player_id AND wallet.currency_id = coalesce(round.currency_id, session.currency_id)
      LEFT JOIN currency ON currency.code = wallet.currency_id
      LEFT JOIN LATERAL (
          SELECT body_hash, answer FROM stored_answer
           WHERE scope = 'play:' || session.player_id || ':og-blackjack' AND stored_answer.key = item.key OFFSET 0
      ) AS stored ON true;
END $$;

CREATE OR REPLACE FUNCTION blackjack_platform_contexts_load(items json) RETURNS SETOF blackjack_action_context
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY
    SELECT item.place, true, false, NULL::boolean,
           round.partner_id, round.player_id, round.currency_id, currency.decimals, wallet.id, wallet.balance,
           NULL::bytea, NULL::bytea,
           round.id, play.action_count, play.state, coalesce(paytable.terms, '{}') || round.terms,
           play.terms_id, round.config_version, NULL::json,
           seed_pair.id, seed_pair.sealed_seed, seed_pair.commitment, seed_pair.client_seed, round.nonce,
           round.paytable_id
      FROM (SELECT * FROM ROWS FROM (json_to_recordset(items) AS (round_id uuid))
            WITH ORDINALITY AS item (round_id, place) LIMIT 8) AS item
      JOIN game_round AS round ON round.id = item.round_id AND round.game = 'og-blackjack' AND round.how_ended = ''
      LEFT JOIN blackjack_round AS play ON play.round_id = round.id
      LEFT JOIN paytable ON paytable.id = round.paytable_id
      LEFT JOIN seed_pair ON seed_pair.id = round.seed_pair_id
      LEFT JOIN wallet ON wallet.player_id = round.player_id AND wallet.currency_id = round.currency_id
      LEFT JOIN currency ON currency.code = wallet.currency_id;
END $$;

CREATE OR REPLACE FUNCTION blackjack_actions_save(items jsonb) RETURNS TABLE (place integer, saved boolean)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    act jsonb;
    act_round uuid;
    act_number integer;
    balance_read numeric;
    debit numeric;
    credit numeric;
    ending text;
    moves_money boolean;
BEGIN
    FOR act_place IN 1 .. jsonb_array_length(items) LOOP
        place := act_place;
        act := items -> act_place - 1;
        act_round := act ->> 'round';
        act_number := act ->> 'number';
        balance_read := act ->> 'balance';
        debit := act ->> 'debit';
        credit := act ->> 'credit';
        ending := act ->> 'how_ended';
        moves_money := debit > 0 OR credit > 0;

        saved := true;
        IF moves_money THEN
            PERFORM FROM wallet WHERE id = (act ->> 'wallet')::bigint AND balance = balance_read
                FOR NO KEY UPDATE SKIP LOCKED;
            saved := FOUND;
        END IF;
        IF saved AND act_number = 1 THEN
            UPDATE seed_pair SET next_nonce = next_nonce + 1
             WHERE id = (SELECT id FROM seed_pair
                          WHERE id = (act ->> 'seed_pair')::bigint AND next_nonce = (act ->> 'nonce')::bigint
                            AND status = 'active' FOR NO KEY UPDATE SKIP LOCKED);
            saved := FOUND;
        ELSIF saved THEN
            UPDATE blackjack_round SET state = act -> 'state', action_count = act_number, acted_at = now()
             WHERE round_id = (SELECT round_id FROM blackjack_round
                                WHERE round_id = act_round AND action_count = act_number - 1
                                  AND (SELECT how_ended FROM game_round WHERE id = act_round) = ''
                                  FOR NO KEY UPDATE SKIP LOCKED);
            saved := FOUND;
        END IF;
        IF NOT saved THEN
            RETURN NEXT;
            CONTINUE;
        END IF;

        IF debit > 0 THEN
            INSERT INTO wallet_transaction (wallet_id, kind, change, round_id, source_key, reason)
            VALUES ((act ->> 'wallet')::bigint, 'bet', -debit, act_round, act_round || ':' || act_number || ':bet', '');
        END IF;
        IF credit > 0 THEN
            INSERT INTO wallet_transaction (wallet_id, kind, change, round_id, source_key, reason)
            VALUES ((act ->> 'wallet')::bigint, 'reward', credit, act_round,
                act_round || ':' || act_number || ':reward', '');
        END IF;
        IF act_number = 1 THEN
            INSERT INTO game_round (id, partner_id, player_id, currency_id, session_id, game, ended_at, how_ended,
                seed_pair_id, nonce, config_version, paytable_id, terms, detail, stake, payout,
                balance_before, balance_after)
            VALUES (act_round, (act ->> 'partner')::bigint, (act ->> 'player')::bigint, act ->> 'currency',
                (act ->> 'session')::bigint, 'og-blackjack', CASE WHEN ending <> '' THEN now() END, ending,
                (act ->> 'seed_pair')::bigint, (act ->> 'nonce')::bigint, (act ->> 'config_version')::bigint,
                (act ->> 'paytable')::bigint, act -> 'terms', coalesce(act -> 'detail', '{}'), debit, credit,
                balance_read, balance_read - debit + credit);
            INSERT INTO blackjack_round (round_id, terms_id, state, action_count)
            VALUES (act_round, (act ->> 'terms_id')::bigint, act -> 'state', 1);
        ELSIF moves_money OR ending <> '' THEN
            UPDATE game_round
               SET stake = stake + debit, payout = payout + credit, balance_after = balance_read - debit + credit,
                   detail = coalesce(act -> 'detail', detail),
                   how_ended = ending, ended_at = CASE WHEN ending <> '' THEN now() END
             WHERE id = (SELECT id FROM game_round WHERE id = act_round FOR NO KEY UPDATE SKIP LOCKED);
            IF NOT FOUND THEN
                -- Its state is written already. An operator who voids the round in this very moment is so rare that
                -- the whole array may go again, each action alone.
                RAISE EXCEPTION 'round % is locked', act_round USING ERRCODE = 'serialization_failure';
            END IF;
        END IF;
        INSERT INTO round_action (round_id, number, acted_by, action, events)
        VALUES (act_round, act_number, act ->> 'acted_by', act -> 'action', act -> 'events');
        IF act ? 'key' THEN
            INSERT INTO stored_answer (scope, key, body_hash, status, answer)
            VALUES ('play:' || (act ->> 'player') || ':og-blackjack', act ->> 'key',
                decode(act ->> 'body_hash', 'base64'), 200, decode(act ->> 'answer', 'base64'));
        END IF;
        RETURN NEXT;
    END LOOP;
END $$;
