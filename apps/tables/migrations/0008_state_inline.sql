-- A state of some 5 KiB is written with every change of its table and read by almost none: to compress it costs a tenth of
-- the change. A state of more than a page goes out of line, as before.
ALTER TABLE game_table ALTER COLUMN state SET STORAGE EXTERNAL, SET (toast_tuple_target = 8160);
