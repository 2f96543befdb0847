DROP TRIGGER luck_stat_guard ON luck_stat;
