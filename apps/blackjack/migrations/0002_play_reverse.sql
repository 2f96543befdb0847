DROP FUNCTION blackjack_play_save(uuid, integer, bigint, bigint, bigint, text, bigint, numeric, bigint, bigint, bigint,
    bigint, text, text, text, text, text, text, numeric, numeric, text, text, bytea, bytea);
DROP FUNCTION blackjack_play_open(bigint, text, uuid, text);
ALTER TABLE wallet RESET (fillfactor);
ALTER TABLE blackjack_round RESET (fillfactor);
ALTER TABLE game_round RESET (fillfactor);
