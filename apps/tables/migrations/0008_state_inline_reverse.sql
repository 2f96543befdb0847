ALTER TABLE game_table ALTER COLUMN state SET STORAGE EXTENDED, RESET (toast_tuple_target);
