-- A round's rows are rewritten with every action: room beside them, so that no index has to hear of it.
ALTER TABLE game_round SET (fillfactor = 80);
ALTER TABLE blackjack_round SET (fillfactor = 60);

-- Writes one action that was read and worked out before (apps/blackjack/play.py): movements, round, action, and the
-- answer under its key, which is NULL for the platform's own actions; `p_detail` is NULL as long as the round is
-- open. Nothing was locked while the servers worked it
-- out, so it writes only if wallet, nonce and round are as they were read; else it fails as a whole with
-- serialization_failure. Locks, in the product's order: the wallet (where money moves), the seed pair (of a first
-- action), the round. It runs with the caller's rights.
CREATE FUNCTION blackjack_play_save(
    p_round uuid, p_number integer, p_session bigint, p_partner bigint, p_player bigint, p_currency text,
    p_wallet bigint, p_balance numeric, p_seed_pair bigint, p_nonce bigint, p_config_version bigint, p_terms_id bigint,
    p_terms text, p_state text, p_detail text, p_acted_by text, p_action text, p_events text,
    p_debit numeric, p_credit numeric, p_how_ended text,
    p_event_id text, p_body_hash bytea, p_answer bytea
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    balance_left numeric := p_balance;
BEGIN
    IF p_debit > 0 THEN
        INSERT INTO wallet_transaction (wallet_id, kind, change, round_id, source_key, reason)
        VALUES (p_wallet, 'bet', -p_debit, p_round, p_round || ':' || p_number || ':bet', '')
        RETURNING balance_after INTO balance_left;
    END IF;
    IF p_credit > 0 THEN
        INSERT INTO wallet_transaction (wallet_id, kind, change, round_id, source_key, reason)
        VALUES (p_wallet, 'reward', p_credit, p_round, p_round || ':' || p_number || ':reward', '')
        RETURNING balance_after INTO balance_left;
    END IF;
    IF (p_debit > 0 OR p_credit > 0) AND balance_left <> p_balance - p_debit + p_credit THEN
        RAISE EXCEPTION 'wallet % has moved', p_wallet USING ERRCODE = 'serialization_failure';
    END IF;

    IF p_number = 1 THEN
        UPDATE seed_pair SET next_nonce = p_nonce + 1
         WHERE id = p_seed_pair AND next_nonce = p_nonce AND status = 'active';
        IF NOT FOUND THEN
            RAISE EXCEPTION 'nonce % of seed pair % is gone', p_nonce, p_seed_pair
                USING ERRCODE = 'serialization_failure';
        END IF;
        INSERT INTO game_round (id, partner_id, player_id, currency_id, session_id, game, ended_at, how_ended,
            seed_pair_id, nonce, config_version, terms, detail, stake, payout, balance_before, balance_after)
        VALUES (p_round, p_partner, p_player, p_currency, p_session, 'og-blackjack',
            CASE WHEN p_how_ended <> '' THEN now() END, p_how_ended,
            p_seed_pair, p_nonce, p_config_version, p_terms::jsonb, coalesce(p_detail::jsonb, '{}'),
            p_debit, p_credit, p_balance, balance_left);
        INSERT INTO blackjack_round (round_id, terms_id, state, action_count)
        VALUES (p_round, p_terms_id, p_state::jsonb, 1);
    ELSE
        UPDATE blackjack_round SET state = p_state::jsonb, action_count = p_number, acted_at = now()
         WHERE round_id = p_round AND action_count = p_number - 1;
        IF FOUND AND (p_debit > 0 OR p_credit > 0 OR p_how_ended <> '') THEN
            UPDATE game_round SET stake = stake + p_debit, payout = payout + p_credit, balance_after = balance_left,
                detail = coalesce(p_detail::jsonb, detail),
                how_ended = p_how_ended, ended_at = CASE WHEN p_how_ended <> '' THEN now() END
             WHERE id = p_round AND how_ended = '';
        END IF;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'round % has gone on', p_round USING ERRCODE = 'serialization_failure';
        END IF;
    END IF;
    INSERT INTO round_action (round_id, number, acted_by, action, events)
    VALUES (p_round, p_number, p_acted_by, p_action::jsonb, p_events::jsonb);
    IF p_event_id IS NOT NULL THEN
        INSERT INTO stored_answer (scope, key, body_hash, status, answer)
        VALUES ('play:' || p_player || ':og-blackjack', p_event_id, p_body_hash, 200, p_answer);
    END IF;
END $$;

-- The state beside a round is as much its record as the round's own row: what has ended stays.
-- `blackjack_play_save` writes the last state before it ends the round's row.
CREATE FUNCTION blackjack_round_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM game_round r WHERE r.id = OLD.round_id AND r.how_ended <> '') THEN
        RAISE EXCEPTION 'round % has ended', OLD.round_id USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.round_id <> OLD.round_id OR NEW.terms_id <> OLD.terms_id OR NEW.action_count <= OLD.action_count THEN
        RAISE EXCEPTION 'round % goes on from where it was', OLD.round_id USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER blackjack_round_guard BEFORE UPDATE ON blackjack_round
    FOR EACH ROW EXECUTE FUNCTION blackjack_round_guard();
CREATE TRIGGER blackjack_round_stays BEFORE DELETE OR TRUNCATE ON blackjack_round
    FOR EACH STATEMENT EXECUTE FUNCTION change_refuse();
