-- Writes a bet that was read and dealt before (apps/baccarat/bracket.py): records, movements, nonce, round, and the
-- answer under its key, which is NULL without one. Nothing was locked while the servers dealt, so it writes only if
-- wallet and seed pair are as they were read; else it fails as a whole with serialization_failure. Locks, in the
-- product's order: the wallet, the seed pair. It runs with the caller's rights.
CREATE FUNCTION baccarat_bet_settle(
    settled_round uuid, of_partner bigint, of_player bigint, of_session bigint, in_currency text,
    with_seed_pair bigint, with_nonce bigint, with_config bigint, with_version bigint, terms jsonb, detail jsonb,
    from_wallet bigint, balance_before numeric, stake numeric, payout numeric,
    player_cards text[], banker_cards text[],
    game_types smallint[], stakes numeric[], odds numeric[], result_types smallint[], payouts numeric[],
    stored_key text, stored_hash bytea, answer bytea
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    of_record bigint;
    balance_left numeric;
BEGIN
    INSERT INTO baccarat_game_record (
        user_id, partner_id, currency_id, round_id, game_type, bet_amount, odds, result_type, reward_amount,
        player_cards, banker_cards, seed_pair_id, nonce, config_id, config_version
    )
    SELECT of_player, of_partner, in_currency, settled_round, b.game_type, b.stake, b.odds, b.result_type, b.payout,
           player_cards, banker_cards, with_seed_pair, with_nonce, with_config, with_version
      FROM unnest(game_types, stakes, odds, result_types, payouts) AS b (game_type, stake, odds, result_type, payout);

    -- A movement belongs to its round; where the round has one record, to that record too.
    IF cardinality(game_types) = 1 THEN
        of_record := currval('baccarat_game_record_id_seq');
    END IF;
    INSERT INTO wallet_transaction (wallet_id, kind, change, source_key, round_id, record_id, reason)
    VALUES (from_wallet, 'bet', -stake, settled_round || ':1:bet', settled_round, of_record, '')
    RETURNING balance_after INTO balance_left;
    IF balance_left <> balance_before - stake THEN
        RAISE EXCEPTION 'wallet % has moved', from_wallet USING ERRCODE = 'serialization_failure';
    END IF;
    IF payout > 0 THEN
        INSERT INTO wallet_transaction (wallet_id, kind, change, source_key, round_id, record_id, reason)
        VALUES (from_wallet, 'reward', payout, settled_round || ':2:reward', settled_round, of_record, '');
    END IF;

    UPDATE seed_pair SET next_nonce = with_nonce + 1
     WHERE id = with_seed_pair AND next_nonce = with_nonce AND status = 'active';
    IF NOT FOUND THEN
        RAISE EXCEPTION 'nonce % of seed pair % is gone', with_nonce, with_seed_pair
            USING ERRCODE = 'serialization_failure';
    END IF;
    INSERT INTO game_round (
        id, partner_id, player_id, currency_id, session_id, game, started_at, ended_at, how_ended,
        seed_pair_id, nonce, config_version, terms, detail, stake, payout, balance_before, balance_after
    ) VALUES (
        settled_round, of_partner, of_player, in_currency, of_session, 'og-baccarat', now(), now(), 'played',
        with_seed_pair, with_nonce, with_version, terms, detail, stake, payout,
        balance_before, balance_before - stake + payout
    );

    IF stored_key IS NOT NULL THEN
        INSERT INTO stored_answer (scope, key, body_hash, status, answer)
        VALUES ('play:' || of_player || ':og-baccarat', stored_key, stored_hash, 200, answer);
    END IF;
END $$;
