-- A recount of a closed day has these rows too. They are final from now on, so the next seal covers them.
ALTER TABLE card_stat DISABLE TRIGGER card_stat_guard;
INSERT INTO card_stat (period, zone, game, decks, place, card, count, closed_at)
SELECT counted.period, 'UTC', 'og-baccarat', counted.decks, counted.place, counted.card, counted.count,
    CASE WHEN closed.day IS NOT NULL THEN now() END
FROM (
    SELECT (held.ended_at AT TIME ZONE 'UTC')::date AS period, (paytable.terms ->> 'decks')::smallint AS decks,
        dealt.place, dealt.card, count(*) AS count
    FROM statistics_fold AS fold
    JOIN game_round AS held ON held.ended_at < fold.edge
    JOIN paytable ON paytable.id = held.paytable_id
    CROSS JOIN LATERAL (
        VALUES (4, coalesce(held.detail #>> '{player,2}', held.detail #>> '{banker,2}')),
            (5, CASE WHEN held.detail #>> '{player,2}' IS NOT NULL THEN held.detail #>> '{banker,2}' END)
    ) AS dealt (place, card)
    WHERE held.game = 'og-baccarat' AND held.table_round IS NULL AND dealt.card IS NOT NULL
        AND held.how_ended IN ('played', 'auto_completed')
        AND NOT EXISTS (SELECT FROM table_player AS bot WHERE bot.player_id = held.player_id AND bot.is_bot)
    GROUP BY 1, 2, 3, 4
) AS counted
LEFT JOIN statistics_day AS closed ON closed.day = counted.period AND closed.zone = 'UTC'
WHERE counted.decks IS NOT NULL;
ALTER TABLE card_stat ENABLE TRIGGER card_stat_guard;
