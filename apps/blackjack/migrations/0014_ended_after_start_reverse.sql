-- The function that writes actions, of 0012_bet_lock.sql. A bet of a server of a version before 0011_kept_contexts.sql names
-- no socket: it is written as before, so that such servers take bets during an upgrade.
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
        IF act_number = 1 AND act ? 'socket' THEN
            PERFORM
               FROM game_session AS session
               JOIN player ON player.id = (act ->> 'player')::bigint AND player.status = 'active'
               JOIN partner ON partner.id = player.partner_id AND partner.active
               JOIN wallet
                 ON wallet.id = (act ->> 'wallet')::bigint AND wallet.balance = balance_read AND wallet.status = 'active'
               JOIN seed_pair
                 ON seed_pair.id = (act ->> 'seed_pair')::bigint AND seed_pair.commitment = act ->> 'commitment'
                AND seed_pair.client_seed = act ->> 'client_seed' AND seed_pair.next_nonce = (act ->> 'nonce')::bigint
                AND seed_pair.status = 'active'
               JOIN currency ON currency.code = wallet.currency_id AND currency.decimals = (act ->> 'decimals')::smallint
               JOIN blackjack_terms AS terms ON terms.id = (act ->> 'terms_id')::bigint AND terms.status = 1
               JOIN blackjack_config AS config
                 ON config.id = terms.config_id AND config.active
                AND config.version = (act ->> 'config_version')::bigint
                AND config.paytable_id IS NOT DISTINCT FROM (act ->> 'paytable')::bigint
              WHERE session.id = (act ->> 'session')::bigint AND session.connection = act ->> 'socket'
                AND session.ended_at IS NULL AND session.expires_at > now()
                AND NOT EXISTS (
                    SELECT FROM stored_answer
                     WHERE scope = 'play:' || (act ->> 'player') || ':og-blackjack' AND key = act ->> 'key')
                AND NOT EXISTS (
                    SELECT FROM game_round AS round
                     WHERE round.player_id = player.id AND round.game = 'og-blackjack' AND round.how_ended = ''
                       AND round.table_round IS NULL)
                FOR NO KEY UPDATE OF wallet, seed_pair SKIP LOCKED;
            saved := FOUND;
            IF saved THEN
                UPDATE seed_pair SET next_nonce = next_nonce + 1 WHERE id = (act ->> 'seed_pair')::bigint;
            END IF;
        ELSE
            IF act ? 'socket' THEN
                PERFORM
                   FROM game_session AS session
                   JOIN wallet ON wallet.id = (act ->> 'wallet')::bigint AND wallet.balance = balance_read
                   JOIN currency
                     ON currency.code = wallet.currency_id AND currency.decimals = (act ->> 'decimals')::smallint
                  WHERE session.id = (act ->> 'session')::bigint AND session.connection = act ->> 'socket'
                    AND session.ended_at IS NULL AND session.expires_at > now()
                    AND NOT EXISTS (
                        SELECT FROM stored_answer
                         WHERE scope = 'play:' || (act ->> 'player') || ':og-blackjack' AND key = act ->> 'key');
                saved := FOUND;
            END IF;
            IF saved AND moves_money THEN
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
