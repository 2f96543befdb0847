DROP TRIGGER blackjack_round_stays ON blackjack_round;
DROP TRIGGER blackjack_round_guard ON blackjack_round;
DROP FUNCTION blackjack_round_guard();
