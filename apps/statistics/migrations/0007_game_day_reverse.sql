DROP TRIGGER game_day_guard ON game_day;
