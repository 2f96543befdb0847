DROP TRIGGER blackjack_round_stays ON blackjack_round;
DROP TRIGGER blackjack_round_guard ON blackjack_round;
DROP FUNCTION blackjack_round_guard();
DROP FUNCTION blackjack_play_save(uuid, integer, bigint, bigint, bigint, text, bigint, numeric, bigint, bigint, bigint,
    bigint, text, text, text, text, text, text, numeric, numeric, text, text, bytea, bytea);
ALTER TABLE blackjack_round RESET (fillfactor);
ALTER TABLE game_round RESET (fillfactor);
