-- A bet is two calls around the deal: `baccarat_bet_open` finds who bets and takes every lock, the servers
-- deal and settle, `baccarat_bet_settle` writes the outcome. Both run in the caller's transaction and with the
-- caller's rights. Why functions: a bet is some twenty statements, and each on its own would be a journey.

CREATE TYPE baccarat_opening AS (
    refusal text,             -- '' or why there is no bet: session, player, partner, wallet
    player_id bigint,
    partner_id bigint,
    session_id bigint,
    currency text,
    decimals smallint,
    stored_hash bytea,        -- of the body that the key was used with before; then nothing below is filled
    stored_answer bytea,
    wallet_id bigint,
    balance numeric,
    config_id bigint,         -- NULL: the partner offers no baccarat in this currency
    config_version bigint,
    decks smallint,
    bet_min numeric,
    bet_max numeric,
    game_types smallint[],    -- the bets on offer, and what each pays beside it
    odds numeric[],
    seed_pair_id bigint,
    commitment text,
    sealed_seed bytea,
    client_seed text,
    nonce bigint
);

-- Exactly one of `by_token_hash` and `by_user_id` says who bets. `idempotency_key` may be NULL.
-- Locks, in the product's order: the key, the wallet, the seed pair.
CREATE FUNCTION baccarat_bet_open(
    by_token_hash text, by_user_id bigint, wanted_currency text, idempotency_key text
) RETURNS baccarat_opening LANGUAGE plpgsql AS $$
DECLARE
    opening baccarat_opening;
    player_status text;
    partner_active boolean;
    wallet_status text;
BEGIN
    opening.refusal := '';
    IF by_token_hash IS NOT NULL THEN
        SELECT s.id, s.player_id, s.partner_id, s.currency_id, p.status, a.active
          INTO opening.session_id, opening.player_id, opening.partner_id, opening.currency, player_status, partner_active
          FROM game_session s JOIN player p ON p.id = s.player_id JOIN partner a ON a.id = s.partner_id
         WHERE s.token_hash = by_token_hash AND s.game = 'og-baccarat' AND s.ended_at IS NULL AND s.expires_at > now();
    ELSE
        SELECT p.id, p.partner_id, p.currency_id, p.status, a.active
          INTO opening.player_id, opening.partner_id, opening.currency, player_status, partner_active
          FROM player p JOIN partner a ON a.id = p.partner_id WHERE p.user_id = by_user_id;
    END IF;
    IF opening.player_id IS NULL THEN
        opening.refusal := 'session';
        RETURN opening;
    END IF;

    IF idempotency_key IS NOT NULL THEN
        PERFORM pg_advisory_xact_lock(
            hashtextextended('stored_answer:play:' || opening.player_id || ':og-baccarat:' || idempotency_key, 0));
        SELECT body_hash, answer INTO opening.stored_hash, opening.stored_answer
          FROM stored_answer WHERE scope = 'play:' || opening.player_id || ':og-baccarat' AND key = idempotency_key;
        IF FOUND THEN
            RETURN opening;
        END IF;
    END IF;
    IF player_status <> 'active' THEN
        opening.refusal := 'player';
        RETURN opening;
    END IF;
    IF NOT partner_active THEN
        opening.refusal := 'partner';
        RETURN opening;
    END IF;

    opening.currency := coalesce(wanted_currency, opening.currency);
    SELECT w.id, w.balance, w.status INTO opening.wallet_id, opening.balance, wallet_status
      FROM wallet w WHERE w.player_id = opening.player_id AND w.currency_id = opening.currency FOR UPDATE;
    IF NOT FOUND THEN
        opening.refusal := 'wallet';
        RETURN opening;
    END IF;
    IF wallet_status <> 'active' THEN
        opening.refusal := 'player';
        RETURN opening;
    END IF;

    -- One statement, so that limits, odds and version are of one moment.
    SELECT u.decimals, c.id, c.version, c.decks, c.bet_min, c.bet_max, o.game_types, o.odds
      INTO opening.decimals, opening.config_id, opening.config_version, opening.decks,
           opening.bet_min, opening.bet_max, opening.game_types, opening.odds
      FROM currency u
      LEFT JOIN baccarat_config c ON c.partner_id = opening.partner_id AND c.currency_id = u.code AND c.status = 1
      LEFT JOIN LATERAL (
          SELECT array_agg(r.game_type ORDER BY r.game_type) AS game_types, array_agg(r.odds ORDER BY r.game_type) AS odds
            FROM baccarat_odds_config r WHERE r.baccarat_config_id = c.id AND r.status = 1
      ) o ON true
     WHERE u.code = opening.currency;

    -- A rotation that commits while we wait leaves us without a row: the second try finds the new active pair.
    FOR attempt IN 1..2 LOOP
        UPDATE seed_pair s SET next_nonce = s.next_nonce + 1
         WHERE s.player_id = opening.player_id AND s.status = 'active'
        RETURNING s.id, s.commitment, s.sealed_seed, s.client_seed, s.next_nonce - 1
          INTO opening.seed_pair_id, opening.commitment, opening.sealed_seed, opening.client_seed, opening.nonce;
        EXIT WHEN FOUND;
    END LOOP;
    IF opening.seed_pair_id IS NULL THEN
        RAISE EXCEPTION 'player % has no seed pair', opening.player_id;
    END IF;
    RETURN opening;
END $$;

-- Writes round, records, movements and the stored answer of a bet that `baccarat_bet_open` opened in this transaction.
-- `stored_key` is NULL without an idempotency key.
CREATE FUNCTION baccarat_bet_settle(
    settled_round uuid, of_partner bigint, of_player bigint, of_session bigint, in_currency text,
    with_seed_pair bigint, with_nonce bigint, with_config bigint, with_version bigint, terms jsonb, detail jsonb,
    from_wallet bigint, balance_before numeric, stake numeric, payout numeric,
    player_cards text[], banker_cards text[],
    game_types smallint[], stakes numeric[], odds numeric[], result_types smallint[], payouts numeric[],
    stored_key text, stored_hash bytea, answer bytea
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    first_record bigint;
BEGIN
    INSERT INTO game_round (
        id, partner_id, player_id, currency_id, session_id, game, started_at, ended_at, how_ended,
        seed_pair_id, nonce, config_version, terms, detail, stake, payout, balance_before, balance_after
    ) VALUES (
        settled_round, of_partner, of_player, in_currency, of_session, 'og-baccarat', now(), now(), 'played',
        with_seed_pair, with_nonce, with_version, terms, detail, stake, payout,
        balance_before, balance_before - stake + payout
    );

    INSERT INTO baccarat_game_record (
        user_id, partner_id, currency_id, round_id, game_type, bet_amount, odds, result_type, reward_amount,
        player_cards, banker_cards, seed_pair_id, nonce, config_id, config_version
    )
    SELECT of_player, of_partner, in_currency, settled_round, b.game_type, b.stake, b.odds, b.result_type, b.payout,
           player_cards, banker_cards, with_seed_pair, with_nonce, with_config, with_version
      FROM unnest(game_types, stakes, odds, result_types, payouts) AS b (game_type, stake, odds, result_type, payout);

    -- A movement belongs to its round; where the round has one record, to that record too.
    IF cardinality(game_types) = 1 THEN
        first_record := currval('baccarat_game_record_id_seq');
    END IF;
    INSERT INTO wallet_transaction (wallet_id, kind, change, source_key, round_id, record_id, reason)
    SELECT from_wallet, m.kind, m.change, settled_round || ':' || m.number || ':' || m.kind, settled_round, first_record, ''
      FROM (VALUES (1, 'bet', -stake), (2, 'reward', payout)) AS m (number, kind, change)
     WHERE m.change <> 0 ORDER BY m.number;

    IF stored_key IS NOT NULL THEN
        INSERT INTO stored_answer (scope, key, body_hash, status, answer)
        VALUES ('play:' || of_player || ':og-baccarat', stored_key, stored_hash, 200, answer);
    END IF;
END $$;
