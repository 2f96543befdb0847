-- The days that were folded before have the sums of their players and bets.
INSERT INTO game_day (period, zone, partner_id, currency_id, game, n, bets, stake, payout, voided_n, voided_stake,
    voided_payout, closed_at)
SELECT played.period, played.zone, played.partner_id, played.currency_id, played.game, sum(played.n),
    coalesce(max(bet.bets), 0), sum(played.stake), sum(played.payout), sum(played.voided_n), sum(played.voided_stake),
    sum(played.voided_payout), max(played.closed_at)
FROM player_day AS played
LEFT JOIN (
    SELECT period, zone, partner_id, currency_id, game, sum(bets) AS bets
    FROM play_stat WHERE level = 'day' GROUP BY 1, 2, 3, 4, 5
) AS bet USING (period, zone, partner_id, currency_id, game)
GROUP BY played.period, played.zone, played.partner_id, played.currency_id, played.game;

CREATE TRIGGER game_day_guard BEFORE INSERT OR UPDATE OR DELETE ON game_day
    FOR EACH ROW EXECUTE FUNCTION statistics_day_guard();
