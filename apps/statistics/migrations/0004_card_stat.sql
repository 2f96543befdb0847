CREATE TRIGGER card_stat_guard BEFORE INSERT OR UPDATE OR DELETE ON card_stat
    FOR EACH ROW EXECUTE FUNCTION statistics_day_guard();
