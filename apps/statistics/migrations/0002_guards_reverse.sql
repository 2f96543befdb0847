DROP TRIGGER partner_zone_guard ON partner_zone;
DROP FUNCTION partner_zone_guard();
DROP TRIGGER movement_day_guard ON movement_day;
DROP TRIGGER player_day_guard ON player_day;
DROP TRIGGER play_stat_guard ON play_stat;
DROP FUNCTION statistics_day_guard();
