DROP TRIGGER scheduled_change_guard_truncate ON scheduled_change;
DROP TRIGGER scheduled_change_guard ON scheduled_change;
DROP FUNCTION scheduled_change_guard();
