-- What apps/baccarat/store.py reads and writes. Bets that come together are one JSON array, and each row of an answer
-- begins with the place of its bet in the array, counted from 1.
-- They are functions so that PostgreSQL keeps their plans, whether or not a connection may prepare statements.
-- LIMIT tells the planner how few items there are; it takes a JSON array for a hundred rows, and reads whole tables for
-- a hundred. There are never more (BATCH_SIZE in apps/core/batcher.py).

-- Reads what bets are worked out from. An item has `token_hash` or `user_id`, and may have `currency` and `key`. There
-- is no row for a token without a valid session.
CREATE FUNCTION baccarat_bet_contexts_load(items json) RETURNS TABLE (
    place bigint, refusal text, player_id bigint, partner_id bigint, session_id bigint, currency text, decimals smallint,
    stored_hash bytea, stored_answer bytea, wallet_id bigint, balance numeric,
    config_id bigint, config_version bigint, decks smallint, bet_min numeric, bet_max numeric,
    game_types smallint[], odds numeric[],
    seed_pair_id bigint, commitment varchar, sealed_seed bytea, client_seed varchar, nonce bigint
) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT item.place,
           CASE WHEN stored.key IS NOT NULL THEN ''
                WHEN player.status <> 'active' OR wallet.status <> 'active' THEN 'player'
                WHEN NOT partner.active THEN 'partner'
                WHEN wallet.id IS NULL THEN 'wallet'
                ELSE '' END,
           player.id, player.partner_id, session.id,
           coalesce(item.currency, session.currency_id, player.currency_id), currency.decimals,
           stored.body_hash, stored.answer, wallet.id, wallet.balance,
           config.id, config.version, config.decks, config.bet_min, config.bet_max, odds.game_types, odds.odds,
           seed_pair.id, seed_pair.commitment, seed_pair.sealed_seed, seed_pair.client_seed, seed_pair.next_nonce
      FROM (SELECT * FROM ROWS FROM (
                json_to_recordset(items) AS (token_hash text, user_id bigint, currency text, key text)
            ) WITH ORDINALITY AS item (token_hash, user_id, currency, key, place) LIMIT 8) AS item
      LEFT JOIN game_session AS session
        ON session.token_hash = item.token_hash AND session.game = 'og-baccarat'
       AND session.ended_at IS NULL AND session.expires_at > now()
      JOIN player
        ON player.id = coalesce(session.player_id, (SELECT id FROM player WHERE player.user_id = item.user_id))
      JOIN partner ON partner.id = player.partner_id
      LEFT JOIN seed_pair ON seed_pair.player_id = player.id AND seed_pair.status = 'active'
      LEFT JOIN LATERAL (
          -- OFFSET keeps PostgreSQL from joining by the scope alone: one row, and not all the player was answered.
          SELECT key, body_hash, answer FROM stored_answer
           WHERE scope = 'play:' || player.id || ':og-baccarat' AND key = item.key OFFSET 0
      ) AS stored ON true
      LEFT JOIN wallet
        ON wallet.player_id = player.id
       AND wallet.currency_id = coalesce(item.currency, session.currency_id, player.currency_id)
      LEFT JOIN currency ON currency.code = wallet.currency_id
      LEFT JOIN baccarat_config AS config
        ON config.partner_id = player.partner_id AND config.currency = wallet.currency_id AND config.status = 1
      LEFT JOIN LATERAL (
          SELECT array_agg(game_type ORDER BY game_type) AS game_types, array_agg(odds ORDER BY game_type) AS odds
            FROM baccarat_odds_config WHERE baccarat_config_id = config.id AND status = 1
      ) AS odds ON true;
END $$;

-- Writes bets that were read and dealt before: records, movements, nonce, round, and the answer under its key, which is
-- NULL without one. All bets of the array are one transaction.
-- Nothing was locked while the servers dealt: a bet whose wallet or seed pair is not as it was read any more, or is
-- locked by another, is not written, and its `settled` is false. So nobody's bet waits for another player's.
-- Locks: the wallets and the seed pairs, without waiting. It runs with the caller's rights.
CREATE FUNCTION baccarat_rounds_settle(items json) RETURNS TABLE (place bigint, settled boolean)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH item AS MATERIALIZED (
        SELECT * FROM ROWS FROM (
            json_to_recordset(items) AS (
                round uuid, partner bigint, player bigint, session bigint, currency text,
                seed_pair bigint, nonce bigint, config bigint, version bigint, terms jsonb, detail jsonb,
                wallet bigint, balance numeric, stake numeric, payout numeric,
                player_cards text[], banker_cards text[], records json,
                key text, body_hash text, answer text
            )
        ) WITH ORDINALITY AS item (
            round, partner, player, session, currency, seed_pair, nonce, config, version, terms, detail,
            wallet, balance, stake, payout, player_cards, banker_cards, records, key, body_hash, answer, place
        ) LIMIT 8
    ), bet AS (
        -- Of two bets with one nonce the first is taken.
        SELECT item.*
          FROM (SELECT DISTINCT ON (seed_pair) * FROM item ORDER BY seed_pair, place) AS item
          JOIN wallet ON wallet.id = item.wallet AND wallet.balance = item.balance
          JOIN seed_pair ON seed_pair.id = item.seed_pair AND seed_pair.next_nonce = item.nonce
                        AND seed_pair.status = 'active'
           FOR UPDATE OF wallet, seed_pair SKIP LOCKED
    ), counted AS (
        UPDATE seed_pair SET next_nonce = bet.nonce + 1 FROM bet WHERE seed_pair.id = bet.seed_pair
    ), round AS (
        INSERT INTO game_round (
            id, partner_id, player_id, currency_id, session_id, game, started_at, ended_at, how_ended,
            seed_pair_id, nonce, config_version, terms, detail, stake, payout, balance_before, balance_after
        )
        SELECT bet.round, bet.partner, bet.player, bet.currency, bet.session, 'og-baccarat', now(), now(), 'played',
               bet.seed_pair, bet.nonce, bet.version, bet.terms, bet.detail, bet.stake, bet.payout,
               bet.balance, bet.balance - bet.stake + bet.payout
          FROM bet
    ), record AS (
        INSERT INTO baccarat_game_record (
            user_id, partner_id, currency_id, round_id, game_type, bet_amount, odds, result_type, reward_amount,
            player_cards, banker_cards, seed_pair_id, nonce, config_id, config_version
        )
        SELECT bet.player, bet.partner, bet.currency, bet.round,
               record.game_type, record.stake, record.odds, record.result_type, record.payout,
               bet.player_cards, bet.banker_cards, bet.seed_pair, bet.nonce, bet.config, bet.version
          FROM bet,
               json_to_recordset(bet.records)
               AS record (game_type smallint, stake numeric, odds numeric, result_type smallint, payout numeric)
        RETURNING id, round_id
    ), movement AS (
        -- A movement belongs to its round; where the round has one record, to that record too.
        INSERT INTO wallet_transaction (wallet_id, kind, change, source_key, round_id, record_id, reason)
        SELECT bet.wallet, movement.kind, movement.change, bet.round || ':' || movement.number || ':' || movement.kind,
               bet.round, record.id, ''
          FROM bet
          LEFT JOIN record ON record.round_id = bet.round AND json_array_length(bet.records) = 1,
               LATERAL (VALUES (1, 'bet', -bet.stake), (2, 'reward', bet.payout)) AS movement (number, kind, change)
         WHERE movement.change <> 0
         ORDER BY bet.wallet, movement.number
    ), stored AS (
        INSERT INTO stored_answer (scope, key, body_hash, status, answer)
        SELECT 'play:' || bet.player || ':og-baccarat', bet.key, decode(bet.body_hash, 'base64'), 200,
               decode(bet.answer, 'base64')
          FROM bet WHERE bet.key IS NOT NULL
    )
    SELECT item.place, EXISTS (SELECT FROM bet WHERE bet.place = item.place) FROM item;
END $$;
