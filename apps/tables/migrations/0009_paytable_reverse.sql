CREATE OR REPLACE FUNCTION table_stakes_save(stakes jsonb, change_table uuid, change_version bigint, closed jsonb) RETURNS void
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    WITH staked AS (
        SELECT *
          FROM ROWS FROM (jsonb_to_recordset(stakes) AS (
                   round uuid, table_round uuid, player bigint, wallet bigint, seat smallint, game text, stake numeric,
                   payout numeric, moves jsonb))
               WITH ORDINALITY AS staked (
                   round, table_round, player, wallet, seat, game, stake, payout, moves, place)
         LIMIT jsonb_array_length(stakes)
    ), moved AS (
        INSERT INTO wallet_transaction (wallet_id, kind, change, round_id, source_key, reason)
        SELECT staked.wallet, move.kind, move.change, staked.round,
               staked.round || ':' || change_version || ':' || move.kind, ''
          FROM staked, ROWS FROM (jsonb_to_recordset(staked.moves) AS (kind text, change numeric))
               WITH ORDINALITY AS move (kind, change, place)
         ORDER BY staked.place, move.place
        RETURNING round_id, change, number, balance_after
    ), standing AS (
        SELECT staked.*, total.change, total.balance_after
          FROM staked
          JOIN (SELECT round_id, sum(change) AS change,
                       (array_agg(balance_after ORDER BY number DESC))[1] AS balance_after
                  FROM moved GROUP BY round_id) AS total ON total.round_id = staked.round
    ), ended AS (
        SELECT (played ->> 'id')::uuid AS id, played -> 'seats' AS seats FROM jsonb_array_elements(closed) AS played
    ), continued AS (
        UPDATE game_round
           SET stake = game_round.stake + standing.stake, payout = game_round.payout + standing.payout,
               balance_after = standing.balance_after,
               how_ended = CASE WHEN ended.id IS NULL THEN game_round.how_ended
                   WHEN game_round.stake + standing.stake = 0 THEN 'withdrawn' ELSE 'played' END,
               ended_at = CASE WHEN ended.id IS NULL THEN game_round.ended_at ELSE now() END,
               detail = CASE WHEN ended.id IS NULL THEN game_round.detail
                   WHEN game_round.stake + standing.stake = 0 THEN '{}'
                   ELSE coalesce(ended.seats -> game_round.player_id::text, '{}') END
          FROM standing LEFT JOIN ended ON ended.id = standing.table_round
         WHERE game_round.id = standing.round
        RETURNING game_round.id
    )
    INSERT INTO game_round (id, partner_id, player_id, currency_id, game, how_ended, seed_pair_id, table_round, seat,
        nonce, config_version, terms, detail, stake, payout, balance_before, balance_after)
    SELECT standing.round, game_table.partner_id, standing.player, game_table.currency_id, standing.game, '', NULL,
           played.id, standing.seat, played.nonce, played.config_version, played.terms, '{}', standing.stake,
           standing.payout, standing.balance_after - standing.change, standing.balance_after
      FROM standing
      JOIN game_table ON game_table.id = change_table
      JOIN table_round AS played ON played.id = standing.table_round
     WHERE standing.round NOT IN (SELECT id FROM continued);
END $$;
