DROP TRIGGER card_stat_guard ON card_stat;
