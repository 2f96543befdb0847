DROP TRIGGER partner_hour_guard ON partner_hour;
