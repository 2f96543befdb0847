DROP FUNCTION blackjack_play_save(uuid, integer, bigint, bigint, bigint, text, bigint, numeric, bigint, bigint, bigint,
    bigint, text, text, text, text, text, text, numeric, numeric, text, text, bytea, bytea);
DROP FUNCTION blackjack_play_open(bigint, text, uuid, text);
