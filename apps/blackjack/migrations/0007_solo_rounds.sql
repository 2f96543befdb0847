-- As in 0004_store.sql; a round at a table is no round of the solo game.
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
           seed_pair.id, seed_pair.sealed_seed, seed_pair.commitment, seed_pair.client_seed, seed_pair.next_nonce
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
           round.id, play.action_count, play.state, round.terms, play.terms_id, round.config_version, NULL::json,
           seed_pair.id, seed_pair.sealed_seed, seed_pair.commitment, seed_pair.client_seed, round.nonce
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
      LEFT JOIN seed_pair ON seed_pair.id = round.seed_pair_id
      LEFT JOIN wallet
        ON wallet.player_id = session.player_id AND wallet.currency_id = coalesce(round.currency_id, session.currency_id)
      LEFT JOIN currency ON currency.code = wallet.currency_id
      LEFT JOIN LATERAL (
          SELECT body_hash, answer FROM stored_answer
           WHERE scope = 'play:' || session.player_id || ':og-blackjack' AND stored_answer.key = item.key OFFSET 0
      ) AS stored ON true;
END $$;
