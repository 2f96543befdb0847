-- The function that writes bets, of store_v2.sql. It now checks all that a bet's context has, since a process may keep
-- the context of a player's bet for the next one.
-- This file is never edited: games were migrated with it. Another version is another file.
DROP FUNCTION {game}_rounds_settle(json);

-- Writes bets that were dealt before: records, movements, nonce, round, and the answer under its key, which is NULL
-- without one. All bets of the array are one transaction.
-- Nothing was locked while the servers dealt: a bet is not written, and its `settled` is false, if its wallet or seed
-- pair is locked by another, or anything is not as it was read: the balance, the nonce, the seeds, the version of the
-- limits and odds, the currency's decimals, or whether player, wallet, partner and session may bet and the key is
-- unused. So nobody's bet waits for another player's.
-- During an upgrade servers of the former version send no `commitment`, `client_seed` and `decimals`, and keep nothing.
-- Locks: the wallets and the seed pairs, without waiting. It runs with the caller's rights.
CREATE FUNCTION {game}_rounds_settle(items json) RETURNS TABLE (place bigint, settled boolean)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH item AS MATERIALIZED (
        SELECT * FROM ROWS FROM (
            json_to_recordset(items) AS (
                round uuid, partner bigint, player bigint, session bigint, currency text,
                seed_pair bigint, commitment text, client_seed text, nonce bigint, config bigint, version bigint,
                paytable bigint, terms jsonb, detail jsonb,
                wallet bigint, decimals smallint, balance numeric, stake numeric, payout numeric,
                {first}_cards text[], {second}_cards text[], records json,
                key text, body_hash text, answer text
            )
        ) WITH ORDINALITY AS item (
            round, partner, player, session, currency, seed_pair, commitment, client_seed, nonce, config, version,
            paytable, terms, detail,
            wallet, decimals, balance, stake, payout, {first}_cards, {second}_cards, records, key, body_hash, answer, place
        ) LIMIT 8
    ), bet AS (
        -- Of two bets with one nonce the first is taken.
        SELECT item.*
          FROM (SELECT DISTINCT ON (seed_pair) * FROM item ORDER BY seed_pair, place) AS item
          JOIN wallet ON wallet.id = item.wallet AND wallet.balance = item.balance AND wallet.status = 'active'
                     AND wallet.player_id = item.player AND wallet.currency_id = item.currency
          JOIN seed_pair ON seed_pair.id = item.seed_pair AND seed_pair.next_nonce = item.nonce
                        AND seed_pair.status = 'active'
                        AND seed_pair.commitment = coalesce(item.commitment, seed_pair.commitment)
                        AND seed_pair.client_seed = coalesce(item.client_seed, seed_pair.client_seed)
          JOIN currency ON currency.code = item.currency
                       AND currency.decimals = coalesce(item.decimals, currency.decimals)
          JOIN player ON player.id = item.player AND player.status = 'active'
          JOIN partner ON partner.id = item.partner AND partner.active
          JOIN {game}_config AS config
            ON config.id = item.config AND config.version = item.version AND config.status = 1
           AND config.paytable_id IS NOT DISTINCT FROM item.paytable
          LEFT JOIN game_session AS session
            ON session.id = item.session AND session.ended_at IS NULL AND session.expires_at > now()
          LEFT JOIN LATERAL (
              -- OFFSET keeps PostgreSQL from joining by the scope alone: one row, and not all the player was answered.
              SELECT key FROM stored_answer
               WHERE scope = 'play:' || item.player || ':{game_id}' AND key = item.key OFFSET 0
          ) AS stored ON true
         WHERE (item.session IS NULL OR session.id IS NOT NULL) AND stored.key IS NULL
           FOR UPDATE OF wallet, seed_pair SKIP LOCKED
    ), counted AS (
        UPDATE seed_pair SET next_nonce = bet.nonce + 1 FROM bet WHERE seed_pair.id = bet.seed_pair
    ), round AS (
        INSERT INTO game_round (
            id, partner_id, player_id, currency_id, session_id, game, started_at, ended_at, how_ended,
            seed_pair_id, nonce, config_version, paytable_id, terms, detail, stake, payout,
            balance_before, balance_after
        )
        SELECT bet.round, bet.partner, bet.player, bet.currency, bet.session, '{game_id}', now(), now(), 'played',
               bet.seed_pair, bet.nonce, bet.version, bet.paytable, bet.terms, bet.detail, bet.stake, bet.payout,
               bet.balance, bet.balance - bet.stake + bet.payout
          FROM bet
    ), record AS (
        INSERT INTO {game}_game_record (
            user_id, partner_id, currency_id, round_id, game_type, bet_amount, odds, result_type, reward_amount,
            {first}_cards, {second}_cards, seed_pair_id, nonce, config_id, config_version
        )
        SELECT bet.player, bet.partner, bet.currency, bet.round,
               record.game_type, record.stake, record.odds, record.result_type, record.payout,
               bet.{first}_cards, bet.{second}_cards, bet.seed_pair, bet.nonce, bet.config, bet.version
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
        SELECT 'play:' || bet.player || ':{game_id}', bet.key, decode(bet.body_hash, 'base64'), 200,
               decode(bet.answer, 'base64')
          FROM bet WHERE bet.key IS NOT NULL
    )
    SELECT item.place, EXISTS (SELECT FROM bet WHERE bet.place = item.place) FROM item;
END $$;
