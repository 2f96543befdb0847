CREATE TRIGGER luck_stat_guard BEFORE INSERT OR UPDATE OR DELETE ON luck_stat
    FOR EACH ROW EXECUTE FUNCTION statistics_day_guard();
