ALTER TABLE card_stat DISABLE TRIGGER card_stat_guard;
DELETE FROM card_stat WHERE game = 'og-baccarat' AND place IN (4, 5);
ALTER TABLE card_stat ENABLE TRIGGER card_stat_guard;
