-- One action of the solo game is a bracket of two calls in one transaction: blackjack_play_open takes the locks
-- (wallet, then seed pair or round) and reads what the decision needs; blackjack_play_save writes what it was.
-- Both run with the rights of whoever calls them.

-- A round's rows are rewritten with every action: room beside them, so that no index has to hear of it.
ALTER TABLE game_round SET (fillfactor = 80);
ALTER TABLE blackjack_round SET (fillfactor = 60);
ALTER TABLE wallet SET (fillfactor = 60);

CREATE FUNCTION blackjack_play_open(
    p_session bigint, p_connection text, p_round uuid, p_event_id text,
    OUT session_live boolean, OUT is_taken_over boolean, OUT may_play boolean,
    OUT partner_id bigint, OUT player_id bigint, OUT currency text, OUT decimals smallint,
    OUT wallet_id bigint, OUT balance numeric, OUT stored_hash bytea, OUT stored_answer bytea,
    OUT round_id uuid, OUT action_count integer, OUT state text, OUT terms text, OUT terms_id bigint,
    OUT config_version bigint, OUT limits text,
    OUT seed_pair_id bigint, OUT sealed_seed bytea, OUT commitment text, OUT client_seed text, OUT nonce bigint
) LANGUAGE plpgsql AS $$
DECLARE
    session_currency text;
    player_active boolean := true;
BEGIN
    session_live := true;
    is_taken_over := false;
    IF p_session IS NOT NULL THEN
        SELECT s.player_id, s.partner_id, s.currency_id, s.ended_at IS NULL AND s.expires_at > now(),
               s.connection <> p_connection, p.status = 'active' AND o.active
          INTO player_id, partner_id, session_currency, session_live, is_taken_over, player_active
          FROM game_session s JOIN player p ON p.id = s.player_id JOIN partner o ON o.id = s.partner_id
         WHERE s.id = p_session;
        IF NOT FOUND OR NOT session_live OR is_taken_over THEN
            session_live := coalesce(session_live, false);
            RETURN;
        END IF;
        SELECT r.currency_id INTO currency FROM game_round r
         WHERE r.player_id = blackjack_play_open.player_id AND r.game = 'og-blackjack' AND r.how_ended = '';
    ELSE
        SELECT r.player_id, r.partner_id, r.currency_id INTO player_id, partner_id, currency
          FROM game_round r WHERE r.id = p_round AND r.how_ended = '';
        IF NOT FOUND THEN
            RETURN;
        END IF;
    END IF;
    currency := coalesce(currency, session_currency);

    SELECT w.id, w.balance, w.status = 'active' AND player_active, c.decimals
      INTO wallet_id, balance, may_play, decimals
      FROM wallet w JOIN currency c ON c.code = w.currency_id
     WHERE w.player_id = blackjack_play_open.player_id AND w.currency_id = blackjack_play_open.currency
       FOR UPDATE OF w;
    IF NOT FOUND THEN
        RETURN;
    END IF;

    IF p_event_id IS NOT NULL THEN
        -- Whoever writes an answer of this scope holds the wallet, so what is not here yet cannot appear.
        SELECT a.body_hash, a.answer INTO stored_hash, stored_answer FROM stored_answer a
         WHERE a.scope = 'play:' || blackjack_play_open.player_id || ':og-blackjack' AND a.key = p_event_id;
        IF FOUND THEN
            RETURN;
        END IF;
    END IF;

    SELECT r.id, r.terms::text, r.seed_pair_id, r.nonce, r.config_version INTO round_id, terms, seed_pair_id, nonce, config_version
      FROM game_round r
     WHERE r.player_id = blackjack_play_open.player_id AND r.game = 'og-blackjack' AND r.how_ended = ''
       FOR UPDATE;
    IF FOUND THEN
        SELECT b.state::text, b.action_count, b.terms_id INTO state, action_count, terms_id
          FROM blackjack_round b WHERE b.round_id = blackjack_play_open.round_id;
        SELECT s.sealed_seed, s.commitment, s.client_seed INTO sealed_seed, commitment, client_seed
          FROM seed_pair s WHERE s.id = seed_pair_id;
        RETURN;
    END IF;

    -- A rotation that commits while we wait leaves us without a row: the new active pair is found by a new statement.
    FOR attempt IN 1..2 LOOP
        SELECT s.id, s.sealed_seed, s.commitment, s.client_seed, s.next_nonce
          INTO seed_pair_id, sealed_seed, commitment, client_seed, nonce
          FROM seed_pair s WHERE s.player_id = blackjack_play_open.player_id AND s.status = 'active' FOR UPDATE;
        EXIT WHEN FOUND;
    END LOOP;
    SELECT t.id, c.version,
           json_build_object('rules', t.rules, 'perfect_pairs_odds', t.perfect_pairs_odds, 'poker_odds', t.poker_odds)::text,
           json_build_object('bet_min', c.bet_min::text, 'bet_max', c.bet_max::text,
               'perfect_pairs_min', c.perfect_pairs_min::text, 'perfect_pairs_max', c.perfect_pairs_max::text,
               'poker_min', c.poker_min::text, 'poker_max', c.poker_max::text)::text
      INTO terms_id, config_version, terms, limits
      FROM blackjack_config c JOIN blackjack_terms t ON t.config_id = c.id AND t.status = 1
     WHERE c.partner_id = blackjack_play_open.partner_id AND c.currency_id = blackjack_play_open.currency AND c.active;
END $$;

CREATE FUNCTION blackjack_play_save(
    p_round uuid, p_number integer, p_session bigint, p_partner bigint, p_player bigint, p_currency text,
    p_wallet bigint, p_balance numeric, p_seed_pair bigint, p_nonce bigint, p_config_version bigint, p_terms_id bigint,
    p_terms text, p_state text, p_detail text, p_acted_by text, p_action text, p_events text,
    p_debit numeric, p_credit numeric, p_how_ended text,
    p_event_id text, p_body_hash bytea, p_answer bytea
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF p_number = 1 THEN
        UPDATE seed_pair SET next_nonce = next_nonce + 1 WHERE id = p_seed_pair AND next_nonce = p_nonce;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'nonce % of seed pair % is gone', p_nonce, p_seed_pair;
        END IF;
        INSERT INTO game_round (id, partner_id, player_id, currency_id, session_id, game, ended_at, how_ended,
            seed_pair_id, nonce, config_version, terms, detail, stake, payout, balance_before, balance_after)
        VALUES (p_round, p_partner, p_player, p_currency, p_session, 'og-blackjack',
            CASE WHEN p_how_ended <> '' THEN now() END, p_how_ended,
            p_seed_pair, p_nonce, p_config_version, p_terms::jsonb, p_detail::jsonb,
            p_debit, p_credit, p_balance, p_balance - p_debit + p_credit);
        INSERT INTO blackjack_round (round_id, terms_id, state, action_count)
        VALUES (p_round, p_terms_id, p_state::jsonb, 1);
    ELSE
        UPDATE game_round SET stake = stake + p_debit, payout = payout + p_credit,
            balance_after = p_balance - p_debit + p_credit, detail = p_detail::jsonb, how_ended = p_how_ended,
            ended_at = CASE WHEN p_how_ended <> '' THEN now() END
         WHERE id = p_round;
        UPDATE blackjack_round SET state = p_state::jsonb, action_count = p_number, acted_at = now() WHERE round_id = p_round;
    END IF;
    INSERT INTO round_action (round_id, number, acted_by, action, events)
    VALUES (p_round, p_number, p_acted_by, p_action::jsonb, p_events::jsonb);
    IF p_debit > 0 THEN
        INSERT INTO wallet_transaction (wallet_id, kind, change, round_id, source_key, reason)
        VALUES (p_wallet, 'bet', -p_debit, p_round, p_round || ':' || p_number || ':bet', '');
    END IF;
    IF p_credit > 0 THEN
        INSERT INTO wallet_transaction (wallet_id, kind, change, round_id, source_key, reason)
        VALUES (p_wallet, 'reward', p_credit, p_round, p_round || ':' || p_number || ':reward', '');
    END IF;
    IF p_event_id IS NOT NULL THEN
        INSERT INTO stored_answer (scope, key, body_hash, status, answer)
        VALUES ('play:' || p_player || ':og-blackjack', p_event_id, p_body_hash, 200, p_answer);
    END IF;
END $$;
