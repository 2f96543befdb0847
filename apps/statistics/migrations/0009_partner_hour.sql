-- The hours of the days that are open, and of the four weeks before them, which first pages show. Days that are closed
-- already are not compared with a recount, so they need not be complete.
INSERT INTO partner_hour (period, zone, partner_id, currency_id, hour, n, stake, payout, voided_n, voided_stake,
    voided_payout, closed_at)
SELECT counted.period, counted.zone, counted.partner_id, counted.currency_id, counted.hour,
    count(*) FILTER (WHERE NOT is_void), coalesce(sum(stake) FILTER (WHERE NOT is_void), 0),
    coalesce(sum(payout) FILTER (WHERE NOT is_void), 0), count(*) FILTER (WHERE is_void),
    coalesce(sum(stake) FILTER (WHERE is_void), 0), coalesce(sum(payout) FILTER (WHERE is_void), 0),
    (SELECT max(ctime) FROM statistics_day WHERE day = counted.period AND zone = counted.zone)
FROM (
    SELECT (happened.at AT TIME ZONE zone.name)::date AS period, zone.name AS zone, happened.partner_id,
        happened.currency_id, extract(hour FROM happened.at AT TIME ZONE zone.name)::smallint AS hour,
        happened.stake, happened.payout, happened.is_void
    FROM statistics_fold AS fold CROSS JOIN LATERAL (
        SELECT partner_id, player_id, currency_id, how_ended, stake, payout, ended_at AS at, false AS is_void
        FROM game_round WHERE ended_at >= fold.edge - interval '30 days' AND ended_at < fold.edge
        UNION ALL
        SELECT partner_id, player_id, currency_id, how_ended, stake, payout, voided.ctime, true
        FROM round_void AS voided JOIN game_round AS held ON held.id = voided.round_id
        WHERE voided.ctime >= fold.edge - interval '30 days' AND voided.ctime < fold.edge
    ) AS happened
    CROSS JOIN LATERAL (
        SELECT 'UTC' AS name
        UNION ALL
        SELECT own.zone FROM (
            SELECT zone, begins, coalesce(
                min(begins) OVER (ORDER BY from_day ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING), 'infinity'
            ) AS ends
            FROM (
                SELECT from_day, zone, from_day::timestamp AT TIME ZONE
                    CASE WHEN lag(zone, 1, 'UTC') OVER (ORDER BY from_day) = 'UTC' THEN 'UTC' ELSE zone END AS begins
                FROM partner_zone WHERE partner_id = happened.partner_id
            ) AS begun
        ) AS own
        WHERE own.zone <> 'UTC' AND happened.at >= own.begins AND happened.at < own.ends
    ) AS zone
    WHERE happened.how_ended IN ('played', 'auto_completed')
        AND NOT EXISTS (SELECT FROM table_player AS bot WHERE bot.player_id = happened.player_id AND bot.is_bot)
) AS counted
GROUP BY 1, 2, 3, 4, 5;

CREATE TRIGGER partner_hour_guard BEFORE INSERT OR UPDATE OR DELETE ON partner_hour
    FOR EACH ROW EXECUTE FUNCTION statistics_day_guard();
