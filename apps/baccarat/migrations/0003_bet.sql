-- Writes bets that were read and dealt before (apps/baccarat/bracket.py): records, movements, nonce, round, and the
-- answer under its key, which is NULL without one. Every array has one element a bet; the last seven hold texts of
-- arrays: cards, and one element a record. Bets that come together are one transaction.
-- Nothing was locked while the servers dealt: a bet whose wallet or seed pair is not as it was read any more, or is
-- locked by another, is not written, and its `settled` is false. So nobody's bet waits for another player's.
-- Locks: the wallets and the seed pairs, without waiting. It runs with the caller's rights.
CREATE FUNCTION baccarat_bets_settle(
    rounds uuid[], partners bigint[], players bigint[], sessions bigint[], currencies text[],
    seed_pairs bigint[], nonces bigint[], configs bigint[], versions bigint[], terms jsonb[], details jsonb[],
    wallets bigint[], balances numeric[], stakes numeric[], payouts numeric[],
    keys text[], hashes bytea[], answers bytea[],
    player_cards text[], banker_cards text[],
    game_types text[], record_stakes text[], record_odds text[], result_types text[], record_payouts text[]
) RETURNS TABLE (place bigint, settled boolean)
-- PostgreSQL would rather plan anew for every number of bets, for more than what they cost.
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
    kept bigint[];
BEGIN
    kept := ARRAY(
        SELECT bet.place
          FROM (
              -- Of two bets with one nonce the first is taken.
              SELECT DISTINCT ON (bet.seed_pair) *
                FROM unnest(wallets, balances, seed_pairs, nonces) WITH ORDINALITY
                     AS bet (wallet, balance, seed_pair, nonce, place)
               ORDER BY bet.seed_pair, bet.place
          ) AS bet
          JOIN wallet ON wallet.id = bet.wallet AND wallet.balance = bet.balance
          JOIN seed_pair ON seed_pair.id = bet.seed_pair AND seed_pair.next_nonce = bet.nonce
                        AND seed_pair.status = 'active'
           FOR UPDATE OF wallet, seed_pair SKIP LOCKED);

    UPDATE seed_pair SET next_nonce = bet.nonce + 1
      FROM unnest(seed_pairs, nonces) WITH ORDINALITY AS bet (seed_pair, nonce, place)
     WHERE seed_pair.id = bet.seed_pair AND bet.place = ANY (kept);

    INSERT INTO game_round (
        id, partner_id, player_id, currency_id, session_id, game, started_at, ended_at, how_ended,
        seed_pair_id, nonce, config_version, terms, detail, stake, payout, balance_before, balance_after
    )
    SELECT bet.round, bet.partner, bet.player, bet.currency, bet.session, 'og-baccarat', now(), now(), 'played',
           bet.seed_pair, bet.nonce, bet.version, bet.terms, bet.detail, bet.stake, bet.payout,
           bet.balance, bet.balance - bet.stake + bet.payout
      FROM unnest(rounds, partners, players, currencies, sessions, seed_pairs, nonces, versions, terms, details,
                  stakes, payouts, balances) WITH ORDINALITY
           AS bet (round, partner, player, currency, session, seed_pair, nonce, version, terms, detail,
                   stake, payout, balance, place)
     WHERE bet.place = ANY (kept);

    WITH record AS (
        INSERT INTO baccarat_game_record (
            user_id, partner_id, currency_id, round_id, game_type, bet_amount, odds, result_type, reward_amount,
            player_cards, banker_cards, seed_pair_id, nonce, config_id, config_version
        )
        SELECT bet.player, bet.partner, bet.currency, bet.round,
               record.game_type, record.stake, record.odds, record.result_type, record.payout,
               bet.player_cards::text[], bet.banker_cards::text[], bet.seed_pair, bet.nonce, bet.config, bet.version
          FROM unnest(players, partners, currencies, rounds, player_cards, banker_cards, seed_pairs, nonces, configs,
                      versions, game_types, record_stakes, record_odds, result_types, record_payouts) WITH ORDINALITY
               AS bet (player, partner, currency, round, player_cards, banker_cards, seed_pair, nonce, config,
                       version, game_types, stakes, odds, result_types, payouts, place),
               unnest(bet.game_types::smallint[], bet.stakes::numeric[], bet.odds::numeric[],
                      bet.result_types::smallint[], bet.payouts::numeric[])
               AS record (game_type, stake, odds, result_type, payout)
         WHERE bet.place = ANY (kept)
        RETURNING id, round_id
    ), sole_record AS (
        SELECT round_id, min(id) AS id FROM record GROUP BY round_id HAVING count(*) = 1
    )
    -- A movement belongs to its round; where the round has one record, to that record too.
    INSERT INTO wallet_transaction (wallet_id, kind, change, source_key, round_id, record_id, reason)
    SELECT bet.wallet, movement.kind, movement.change, bet.round || ':' || movement.number || ':' || movement.kind,
           bet.round, sole_record.id, ''
      FROM unnest(wallets, rounds, stakes, payouts) WITH ORDINALITY AS bet (wallet, round, stake, payout, place)
      LEFT JOIN sole_record ON sole_record.round_id = bet.round,
           LATERAL (VALUES (1, 'bet', -bet.stake), (2, 'reward', bet.payout)) AS movement (number, kind, change)
     WHERE bet.place = ANY (kept) AND movement.change <> 0
     ORDER BY bet.wallet, movement.number;

    INSERT INTO stored_answer (scope, key, body_hash, status, answer)
    SELECT 'play:' || bet.player || ':og-baccarat', bet.key, bet.body_hash, 200, bet.answer
      FROM unnest(players, keys, hashes, answers) WITH ORDINALITY AS bet (player, key, body_hash, answer, place)
     WHERE bet.place = ANY (kept) AND bet.key IS NOT NULL;

    RETURN QUERY
        SELECT bet.place, bet.place = ANY (kept) FROM generate_series(1, cardinality(rounds)::bigint) AS bet (place);
END $$;
